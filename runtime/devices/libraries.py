"""The vendor libraries that the runtime can use, in the order they are reported."""

from typing import Final

from runtime.devices.cuda import LIBCUDA, LIBNCCL
from runtime.devices.record import VendorLibrary
from runtime.devices.rocm import LIBAMDHIP64, LIBRCCL
from runtime.devices.verbs import LIBIBVERBS

LIBRARIES: Final[tuple[VendorLibrary, ...]] = (
    LIBCUDA,
    LIBAMDHIP64,
    LIBNCCL,
    LIBRCCL,
    LIBIBVERBS,
)
