"""Tensor statistics on the GPU, for anything that has a device pointer."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}


class GpuError(RuntimeError):
    """A call into the library failed."""


@dataclass(frozen=True)
class Moments:
    """What one pass over a tensor finds."""

    total: float
    total_of_squares: float
    minimum: float
    maximum: float
    not_finite: int


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(Path(__file__).with_name("libtidepool.so")))
    library.tidepool_last_problem.restype = ctypes.c_char_p
    return library


def _check(status: int) -> None:
    if status != 0:
        raise GpuError(_library().tidepool_last_problem().decode())


def moments(pointer: int, count: int, dtype: str, stream: int = 0) -> Moments:
    """Return the moments of `count` values at a device pointer."""
    values = (ctypes.c_double * 5)()
    _check(
        _library().tidepool_moments(
            ctypes.c_void_p(pointer),
            ctypes.c_size_t(count),
            DTYPES[dtype],
            ctypes.c_void_p(stream),
            values,
        )
    )
    return Moments(values[0], values[1], values[2], values[3], int(values[4]))


def environment_report() -> str:
    """Say how many devices the library finds, or why none, and which this process may see."""
    count, lanes = ctypes.c_int(), ctypes.c_int()
    try:
        _check(_library().tidepool_device_count(ctypes.byref(count), ctypes.byref(lanes)))
        found = f"{count.value} devices, warps of {lanes.value} lanes"
    except GpuError as error:
        found = str(error)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "all")
    return f"{found}; visible devices: {visible}"
