"""Meson build files for ROCm, or for both vendors: the common form of projects with CUDA."""
