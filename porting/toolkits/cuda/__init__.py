"""A CUDA home for machines without CUDA: NVIDIA's compiler, headers and runtime, from wheels."""

from porting.toolkits.cuda.build import CudaHome, create, find, is_ours
from porting.toolkits.cuda.recipe import has

__all__ = ["CudaHome", "create", "find", "has", "is_ours"]
