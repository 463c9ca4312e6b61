"""The one exception tree of `porting`, with exit codes; and what the system says of an error."""

import errno
import os

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))
_SAYS_FULL = tuple(os.strerror(code) for code in _FULL)


class PortingError(Exception):
    """Something stopped the command; the text says what happened, what it means, what to do."""

    exit_code = 2


class UsageError(PortingError):
    """The command was asked for something that cannot be done as asked."""


class InputError(PortingError):
    """A path of the input is missing, unreadable or of a kind that cannot be ported."""


class OutputError(PortingError):
    """The output cannot be written where it was asked for; nothing half-written is left."""


class ConfigError(PortingError):
    """`[tool.porting]` or a command-line value is not valid; the text names the key and value."""


class MappingError(PortingError):
    """A name table is missing, damaged or does not know the release that was asked for."""


class ToolchainError(PortingError):
    """A compiler, wheel or sysroot that a requested stage needs is not available."""


def reason(error: OSError) -> str:
    """Return what the system says of an error, as it stands in a sentence of ours."""
    return (error.strerror or str(error)).lower()


def is_full_disk(error: OSError) -> bool:
    """Whether there was no space left, on the disk or in the user's quota."""
    return error.errno in _FULL


def says_full_disk(output: str) -> bool:
    """Whether a program said that there was no space left."""
    return any(text in output for text in _SAYS_FULL)
