"""Run kernels of a sidecar by the runtime API alone: a script for a process of its own.

`python launched.py REQUEST.json ARRAYS.npz RESULT.npz`.  Without a compiled host program, the
kernels are registered and launched by the calls that such a program's code makes.
"""

import ctypes
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

TO_DEVICE, TO_HOST = 1, 2
_MAGIC = {"cuda": 0x466243B1, "hip": 0x48495046}


class Extent(ctypes.Structure):
    """The vendors' dim3."""

    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


class Wrapper(ctypes.Structure):
    """What a program's start-up code hands over: where its device code would be."""

    _fields_ = (
        ("magic", ctypes.c_int),
        ("version", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("unused", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Runtime:
    """A vendor's runtime library, and the prefix of its functions."""

    library: ctypes.CDLL
    prefix: str

    def call(self, name: str, *arguments: object) -> None:
        """Call a function of the API.  Raises RuntimeError when it gives another status than 0."""
        status = getattr(self.library, self.prefix + name)(*arguments)
        if status:
            raise RuntimeError(f"{self.prefix}{name} gave {status}")

    def register(self, names: list[str]) -> dict[str, ctypes.c_void_p]:
        """Register kernels of one unit; returns the host's address of each."""
        image = getattr(self.library, f"__{self.prefix}RegisterFatBinary")
        image.restype = ctypes.c_void_p
        hosts = ctypes.create_string_buffer(8 * len(names))
        kept.extend((hosts, Wrapper(_MAGIC[self.prefix], 1, ctypes.addressof(hosts), None)))
        handle = ctypes.c_void_p(image(ctypes.byref(kept[-1])))
        found = {}
        for number, name in enumerate(names):
            host = ctypes.c_void_p(ctypes.addressof(hosts) + 8 * number)
            text = name.encode()
            register = getattr(self.library, f"__{self.prefix}RegisterFunction")
            register(handle, host, text, text, -1, None, None, None, None, None)
            found[name] = host
        if self.prefix == "cuda":
            getattr(self.library, "__cudaRegisterFatBinaryEnd")(handle)
        return found

    def put(self, array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
        """Return a copy of an array in the device's memory."""
        address = ctypes.c_void_p()
        size = ctypes.c_size_t(array.nbytes)
        self.call("Malloc", ctypes.byref(address), size)
        self.call("Memcpy", address, ctypes.c_void_p(array.ctypes.data), size, TO_DEVICE)
        return address

    def get(self, address: ctypes.c_void_p, array: np.ndarray[Any, Any]) -> None:
        """Fill an array from the device's memory."""
        size = ctypes.c_size_t(array.nbytes)
        self.call("Memcpy", ctypes.c_void_p(array.ctypes.data), address, size, TO_HOST)


# The runtime keeps addresses of these.
kept: list[Any] = []


def launch(
    runtime: Runtime, host: ctypes.c_void_p, asked: dict[str, Any], values: list[Any]
) -> None:
    """Launch a kernel and wait for it; arrays are copied to the device and back."""
    places: list[Any] = []
    for value in values:
        if value.ndim:
            places.append(runtime.put(value))
        else:
            places.append(ctypes.create_string_buffer(value.tobytes()))
    pointers = (ctypes.c_void_p * len(places))(*(ctypes.addressof(place) for place in places))
    name = "LaunchCooperativeKernel" if asked["is_cooperative"] else "LaunchKernel"
    grid, block = Extent(*asked["grid"]), Extent(*asked["block"])
    runtime.call(name, host, grid, block, pointers, ctypes.c_size_t(asked["shared"]), None)
    runtime.call("DeviceSynchronize")
    for value, place in zip(values, places, strict=True):
        if value.ndim:
            runtime.get(place, value)


def main(request: Path, arrays: Path, result: Path) -> None:
    """Carry out all launches of a request."""
    asked = json.loads(request.read_text())
    runtime = Runtime(ctypes.CDLL(asked["library"]), asked["prefix"])
    hosts = runtime.register(asked["kernels"])
    with np.load(arrays) as given:
        values = [given[name].copy() for name in given.files]
    waiting = iter(values)
    for one in asked["launches"]:
        mine = [next(waiting) for _ in range(one["arguments"])]
        launch(runtime, hosts[one["kernel"]], one, mine)
    np.savez(result, *values)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
