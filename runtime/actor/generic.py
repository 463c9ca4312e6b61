"""Generic classes without the import of `typing`, which costs more than this package together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic
else:

    class Generic:
        """Stand in for typing's: a class can be subscripted, and is itself."""

        __slots__ = ()

        def __class_getitem__(cls, _parameter: object) -> type:
            return cls


__all__ = ["Generic"]
