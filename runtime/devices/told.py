"""What a GPU module raises, as the runtime's exceptions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from runtime.devices.errors import DeviceError, UnsupportedError

_KINDS = {"GpuError": DeviceError, "UnsupportedError": UnsupportedError}


@contextmanager
def told() -> Iterator[None]:
    """Turn what a GPU module raises into the runtime's exceptions, with the same text."""
    try:
        yield
    except RuntimeError as error:
        kind = _KINDS.get(type(error).__name__)
        if kind is None:
            raise
        fields: Any = error
        raise kind(str(error), fields.call, fields.code, fields.name, fields.text) from error
    except OSError as error:
        raise DeviceError(str(error)) from error
