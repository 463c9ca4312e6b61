"""NVIDIA's platform, and its libraries: the driver API and NCCL."""

from ctypes import POINTER, byref, c_char_p, c_int, c_uint

from runtime.devices.calls import Calls, c_function
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.nccl_api import NCCL_OPTIONAL, NCCL_REQUIRED, prove_nccl
from runtime.devices.ranges import DLPACK_CUDA, DLPACK_CUDA_HOST, DLPACK_CUDA_MANAGED
from runtime.devices.record import Evidence, VendorLibrary
from runtime.devices.visible import Filters

_INIT = c_function(c_int, c_uint)
_GET_INT = c_function(c_int, POINTER(c_int))
_GET_ERROR_STRING = c_function(c_int, c_int, POINTER(c_char_p))


def _describe(calls: Calls, function: str, status: int) -> str:
    text = c_char_p()
    get_error_string = calls.find("cuGetErrorString", _GET_ERROR_STRING)
    if get_error_string is None or get_error_string(status, byref(text)) or not text.value:
        return f"{function} returned {status}"
    return f"{function} returned {status}: {text.value.decode(errors='replace')}"


def _version(calls: Calls) -> str | None:
    number = c_int()
    get_version = calls.find("cuDriverGetVersion", _GET_INT)
    if get_version is None or get_version(byref(number)):
        return None
    return f"{number.value // 1000}.{number.value % 1000 // 10}"


def prove_driver(calls: Calls) -> Evidence:
    """Initialise the driver and count its devices; a driver without one does not work."""
    version = _version(calls)
    if status := calls.get("cuInit", _INIT)(0):
        return Evidence(works=False, detail=_describe(calls, "cuInit", status), version=version)
    count = c_int()
    if status := calls.get("cuDeviceGetCount", _GET_INT)(byref(count)):
        detail = _describe(calls, "cuDeviceGetCount", status)
        return Evidence(works=False, detail=detail, version=version)
    return Evidence(works=count.value > 0, detail=f"devices: {count.value}", version=version)


LIBCUDA = VendorLibrary(
    name="libcuda",
    purpose="NVIDIA driver API",
    sonames=("libcuda.so.1",),
    required=("cuInit", "cuDeviceGetCount"),
    optional=("cuDriverGetVersion", "cuGetErrorString"),
    prove=prove_driver,
    help="install the NVIDIA driver on a machine with an NVIDIA GPU",
)

LIBNCCL = VendorLibrary(
    name="libnccl",
    purpose="NVIDIA collectives",
    sonames=("libnccl.so.2",),
    required=NCCL_REQUIRED,
    optional=NCCL_OPTIONAL,
    prove=prove_nccl,
    help="install NCCL 2 and put its folder on LD_LIBRARY_PATH",
)

CUDA = GpuPlatform(
    name="cuda",
    title="CUDA",
    module="runtime._gpu_cuda",
    library="libcudart.so.13",
    home_variables=("CUDA_HOME", "CUDA_PATH"),
    # CUDA Programming Guide, "CUDA Environment Variables".
    filters=Filters("CUDA", ("CUDA_VISIBLE_DEVICES",)),
    reached=frozenset({DLPACK_CUDA, DLPACK_CUDA_HOST, DLPACK_CUDA_MANAGED}),
    architecture=lambda major, minor, _: f"sm_{major}{minor}",
    version_of=lambda number: (number // 1000, number % 1000 // 10),
    oldest=(12, 0),
    without_driver=frozenset({35}),  # cudaErrorInsufficientDriver
)
