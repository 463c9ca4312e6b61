"""The RDMA verbs library of rdma-core."""

import errno
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p, get_errno, set_errno

from runtime.devices.calls import Calls, c_function
from runtime.devices.record import Evidence, VendorLibrary

_GET_DEVICE_LIST = c_function(POINTER(c_void_p), POINTER(c_int))
_FREE_DEVICE_LIST = c_function(None, POINTER(c_void_p))
_GET_DEVICE_NAME = c_function(c_char_p, c_void_p)


def _no_list(error: int) -> Evidence:
    """Explain a null list: without kernel support that is ENOSYS and not an empty list."""
    meaning = "the kernel has no RDMA support" if error == errno.ENOSYS else "no list"
    text = f"{errno.errorcode.get(error, error)}, {os.strerror(error)}"
    return Evidence(works=False, detail=f"{meaning}: ibv_get_device_list failed with {text}")


def prove_verbs(calls: Calls) -> Evidence:
    """List the RDMA devices; a machine without one has no use of the library."""
    count = c_int()
    set_errno(0)
    devices = calls.get("ibv_get_device_list", _GET_DEVICE_LIST)(byref(count))
    if not devices:
        return _no_list(get_errno())
    name_of = calls.get("ibv_get_device_name", _GET_DEVICE_NAME)
    names = [(name_of(devices[i]) or b"?").decode() for i in range(count.value)]
    calls.get("ibv_free_device_list", _FREE_DEVICE_LIST)(devices)
    if not names:
        return Evidence(works=False, detail="the machine has no RDMA devices")
    return Evidence(works=True, detail=f"devices: {', '.join(names)}")


LIBIBVERBS = VendorLibrary(
    name="libibverbs",
    purpose="RDMA verbs",
    sonames=("libibverbs.so.1",),
    required=("ibv_get_device_list", "ibv_get_device_name", "ibv_free_device_list"),
    optional=(),
    prove=prove_verbs,
    help="install libibverbs1 and the driver of an RDMA network card",
)
