"""The C API that NCCL and RCCL share, as far as a probe needs it."""

from ctypes import POINTER, byref, c_char_p, c_int

from runtime.devices.calls import Calls, c_function
from runtime.devices.record import Evidence

NCCL_REQUIRED = ("ncclGetVersion",)
NCCL_OPTIONAL = ("ncclGetErrorString",)

_GET_VERSION = c_function(c_int, POINTER(c_int))
_GET_ERROR_STRING = c_function(c_char_p, c_int)

# From 2.9 on the number has two digits for the minor version: 2.8.4 is 2804, 2.9.6 is 20906.
_FIRST_WIDE = 10_000


def version_text(number: int) -> str:
    """Spell out the version that ncclGetVersion packs into one number."""
    major_unit = 10_000 if number >= _FIRST_WIDE else 1_000
    return f"{number // major_unit}.{number % major_unit // 100}.{number % 100}"


def prove_nccl(calls: Calls) -> Evidence:
    """Ask for the version: the one call that needs no GPU."""
    number = c_int()
    status = calls.get("ncclGetVersion", _GET_VERSION)(byref(number))
    if not status:
        return Evidence(works=True, detail="opens", version=version_text(number.value))
    get_error_string = calls.find("ncclGetErrorString", _GET_ERROR_STRING)
    text = get_error_string(status).decode(errors="replace") if get_error_string else "no text"
    return Evidence(works=False, detail=f"ncclGetVersion returned {status}: {text}")
