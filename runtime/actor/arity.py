"""Whether a method takes the arguments of a call: asked where the call is made."""

from __future__ import annotations

import functools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_VAR_POSITIONAL = 0x04
_Function = type(lambda: None)


@functools.cache
def _positional(method: Callable[..., Any], implicit: int) -> tuple[int, int] | None:
    """Return how many positional arguments a plain function takes, least and most."""
    code = getattr(method, "__code__", None)
    if code is None:
        return None
    needed = code.co_kwonlyargcount - len(method.__kwdefaults__ or ())
    if needed > 0:
        return None
    most = code.co_argcount - implicit
    least = max(0, most - len(method.__defaults__ or ()))
    return least, (1 << 30) if code.co_flags & _VAR_POSITIONAL else most


def takes(method: object, count: int, *, needed: int = 1 << 30) -> bool:
    """Tell whether a function takes `count` positional arguments, and needs `needed` at most.

    True for what is no plain function: nothing is known of it.
    """
    if not isinstance(method, _Function):
        return True
    counts = _positional(method, 0)
    return counts is None or (counts[0] <= needed and counts[1] >= count)


def check(
    method: Callable[..., Any], implicit: int, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise TypeError when the method does not take these; `implicit` ones come before them."""
    if not kwargs:
        counts = _positional(method, implicit)
        if counts is not None and counts[0] <= len(args) <= counts[1]:
            return
    import inspect

    try:
        inspect.signature(method).bind(*(None,) * implicit, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{method.__qualname__}(): {error}") from None


def check_constructor(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> None:
    """Raise TypeError when a class cannot be constructed from these."""
    constructor = kind.__init__  # type: ignore[misc]
    if hasattr(constructor, "__code__"):
        check(constructor, 1, args, kwargs)
    elif (args or kwargs) and not any("__new__" in vars(each) for each in kind.__mro__[:-1]):
        raise TypeError(f"{kind.__qualname__}() takes no arguments")
