"""Makefiles for ROCm, or for both vendors with their differences in a generated gpu.mk."""
