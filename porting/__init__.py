"""Bring CUDA code to AMD ROCm: the porting toolchain."""

__version__ = "0.1.0"
__all__ = ["__version__"]
