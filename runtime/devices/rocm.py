"""AMD's platform, and its libraries: the HIP runtime and RCCL."""

from ctypes import POINTER, byref, c_char_p, c_int

from runtime.devices.calls import Calls, c_function
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.kfd import architecture_at
from runtime.devices.nccl_api import NCCL_OPTIONAL, NCCL_REQUIRED, prove_nccl
from runtime.devices.ranges import DLPACK_ROCM, DLPACK_ROCM_HOST
from runtime.devices.record import Evidence, VendorLibrary
from runtime.devices.visible import Filters

_GET_INT = c_function(c_int, POINTER(c_int))
_GET_ERROR_STRING = c_function(c_char_p, c_int)


def version_text(number: int) -> str:
    """Spell out the version that hipRuntimeGetVersion packs into one number."""
    return f"{number // 10_000_000}.{number // 100_000 % 100}.{number % 100_000}"


def _describe(calls: Calls, function: str, status: int) -> str:
    get_error_string = calls.find("hipGetErrorString", _GET_ERROR_STRING)
    text = get_error_string(status) if get_error_string else None
    if not text:
        return f"{function} returned {status}"
    return f"{function} returned {status}: {text.decode(errors='replace')}"


def _version(calls: Calls) -> str | None:
    number = c_int()
    get_version = calls.find("hipRuntimeGetVersion", _GET_INT)
    if get_version is None or get_version(byref(number)):
        return None
    return version_text(number.value)


def prove_hip(calls: Calls) -> Evidence:
    """Count the devices; a runtime without one does not work."""
    version = _version(calls)
    count = c_int()
    if status := calls.get("hipGetDeviceCount", _GET_INT)(byref(count)):
        detail = _describe(calls, "hipGetDeviceCount", status)
        return Evidence(works=False, detail=detail, version=version)
    return Evidence(works=count.value > 0, detail=f"devices: {count.value}", version=version)


LIBAMDHIP64 = VendorLibrary(
    name="libamdhip64",
    purpose="AMD HIP runtime",
    sonames=("libamdhip64.so.7",),
    required=("hipGetDeviceCount",),
    optional=("hipRuntimeGetVersion", "hipGetErrorString"),
    prove=prove_hip,
    help="install ROCm 7.0 or newer on a machine with an AMD GPU, and put its lib folder on "
    "LD_LIBRARY_PATH",
)

LIBRCCL = VendorLibrary(
    name="librccl",
    purpose="AMD collectives",
    sonames=("librccl.so.1",),
    required=NCCL_REQUIRED,
    optional=NCCL_OPTIONAL,
    prove=prove_nccl,
    help="install RCCL of ROCm 7.0 or newer and put its folder on LD_LIBRARY_PATH",
)


def _architecture(major: int, minor: int, pci_address: str) -> str:
    """Return the name that compilers know; HIP's numbers leave out its last digit."""
    return architecture_at(pci_address) or f"gfx{major}{minor:x}?"


ROCM = GpuPlatform(
    name="rocm",
    title="ROCm",
    module="runtime._gpu_rocm",
    library="libamdhip64.so.7",
    home_variables=("ROCM_PATH", "ROCM_HOME"),
    # ROCm documentation, "GPU isolation techniques".  Of its releases so far HIP itself reads
    # GPU_DEVICE_ORDINAL in OpenCL's programs only, against what that page says.
    filters=Filters(
        "HIP",
        ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"),
        first="ROCR_VISIBLE_DEVICES",
    ),
    reached=frozenset({DLPACK_ROCM, DLPACK_ROCM_HOST}),
    architecture=_architecture,
    version_of=lambda number: (number // 10_000_000, number // 100_000 % 100),
    oldest=(7, 0),
    # hipErrorInsufficientDriver; HIP says hipErrorNoDevice where the kernel driver is missing too.
    without_driver=frozenset({35}),
)
