"""Headers of Thrust's CUDA backend below detail/, and rocThrust's in their place.  Data.

CUDA's tables hold the public headers only.  The names: files that ROCm/rocThrust holds in
thrust/system/hip/detail under the same name as Thrust in thrust/system/cuda/detail.
"""

from typing import Final

from porting.syntax.words import words

_CUDA: Final = "thrust/system/cuda/detail/"
_HIP: Final = "thrust/system/hip/detail/"
_SAME: Final = words(
    "adjacent_difference assign_value binary_search copy copy_if count cross_system dispatch equal"
    " execution_policy extrema fill find for_each gather generate get_value guarded_driver_types"
    " inner_product iter_swap make_unsigned_special malloc_and_free merge mismatch par par_to_seq"
    " parallel_for partition per_device_resource reduce reduce_by_key remove replace reverse scan"
    " scan_by_key scatter set_operations sort swap_ranges tabulate terminate transform"
    " transform_reduce transform_scan uninitialized_copy uninitialized_fill unique unique_by_key"
    " util internal/copy_cross_system internal/copy_device_to_device"
)
_OTHER: Final = {"guarded_cuda_runtime_api.h": "guarded_hip_runtime_api.h"}


def rocthrust_header(path: str) -> str | None:
    """Return rocThrust's header in place of one of Thrust's CUDA backend, None if none is known."""
    leaf = path.removeprefix(_CUDA)
    if leaf in _OTHER:
        return _HIP + _OTHER[leaf]
    return _HIP + leaf if path != leaf and leaf.removesuffix(".h") in _SAME else None


def is_backend(path: str) -> bool:
    """Whether a header is one of Thrust's CUDA backend."""
    return path.startswith("thrust/system/cuda/")
