"""Put our `hipify` in the place of torch's while torch builds an extension, and take it out."""

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from porting.config import Target
from porting.errors import ToolchainError

_HIPIFY = "torch.utils.hipify.hipify_python"
# What torch's `hipify` runs for each file: nothing may come here while ours is in its place.
_PER_FILE = "preprocess_file_and_save_result"
# One call at a time: a second one would take ours for torch's and put it back.
_LOCK = threading.RLock()


@contextmanager
def our_hipify(target: Target) -> Iterator[Callable[[], bool]]:
    """Let this thread's calls of torch's `hipify` be ours; yield what says if one was.

    Other threads' calls stay torch's.  Raises ToolchainError, at once, for a torch that has no such
    function, and, when that happens, for one that hipifies a file in spite of it.
    """
    module = importlib.import_module(_HIPIFY)
    with _LOCK:
        before = {name: _function(module, name) for name in ("hipify", _PER_FILE)}
        here = threading.get_ident()
        calls: list[str] = []

        def hipify(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - torch's
            if threading.get_ident() != here:
                return before["hipify"](*args, **kwargs)
            from porting.hipify_torch.hipify_python import hipify as ours

            calls.append("hipify")
            return ours(*args, **kwargs, target=target)

        def per_file(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - torch's
            if threading.get_ident() != here:
                return before[_PER_FILE](*args, **kwargs)
            raise ToolchainError(
                "torch hipified a file of an extension itself, although porting's hipify is in the"
                " place of its own: this torch is built in a way that porting does not know; run"
                " `porting port` on the project instead"
            )

        try:
            module.__dict__.update({"hipify": hipify, _PER_FILE: per_file})
            yield partial(bool, calls)
        finally:
            module.__dict__.update(before)


def _function(module: ModuleType, name: str) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if not callable(found):
        raise ToolchainError(
            f"{module.__name__} has no {name}: this torch is built in a way that porting does not"
            " know; run `porting port` on the project instead"
        )
    return found  # type: ignore[no-any-return]
