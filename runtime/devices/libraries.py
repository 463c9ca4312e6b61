"""The vendor libraries and platforms that the runtime can use, in the order they are reported."""

from typing import Final

from runtime.devices.cuda import CUDA, LIBCUDA, LIBNCCL
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.record import VendorLibrary
from runtime.devices.rocm import LIBAMDHIP64, LIBRCCL, ROCM
from runtime.devices.verbs import LIBIBVERBS

LIBRARIES: Final[tuple[VendorLibrary, ...]] = (
    LIBCUDA,
    LIBAMDHIP64,
    LIBNCCL,
    LIBRCCL,
    LIBIBVERBS,
)

PLATFORMS: Final[tuple[GpuPlatform, ...]] = (CUDA, ROCM)
