"""Call C functions of an open library by the addresses its symbol table gives."""

import ctypes
from collections.abc import Callable, Iterable
from typing import Any

from runtime.core import Symbol

# A prototype keeps the C signature beside the symbol's name. The GIL is released during a call,
# and the thread's errno is kept for ctypes.get_errno().
Prototype = Callable[[int], Callable[..., Any]]


def c_function(result: Any, *arguments: Any) -> Prototype:  # noqa: ANN401 - ctypes types
    """Return the prototype of a C function with this result and these argument types."""
    return ctypes.CFUNCTYPE(result, *arguments, use_errno=True)


class Calls:
    """The functions found in one library. They are valid while that library stays open."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        self._addresses = {row.name: row.address for row in symbols if row.address is not None}

    def find(self, name: str, prototype: Prototype) -> Callable[..., Any] | None:
        """Return the function, or None when the library lacks it."""
        address = self._addresses.get(name)
        return None if address is None else prototype(address)

    def get(self, name: str, prototype: Prototype) -> Callable[..., Any]:
        """Return the function; raise KeyError when the library lacks it."""
        return prototype(self._addresses[name])
