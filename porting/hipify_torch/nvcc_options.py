"""Options of nvcc and names of CUDA libraries, as an extension names them, for clang and ROCm."""

import logging
import os
import shlex
from collections.abc import Iterable, Sequence

from porting.buildfiles.flags import translate
from porting.buildfiles.libraries import link_names
from porting.diagnostics import Severity
from porting.errors import UsageError

_LOG = logging.getLogger(__name__)
_LEVELS = {Severity.WARNING: logging.WARNING, Severity.NOTE: logging.INFO}


def translated_options(options: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return options of nvcc, one word each, as clang's; options of clang stay as they are.

    Architectures are left out: torch adds those it builds for.  Warnings are logged.  Raises
    UsageError for an option that clang has nothing for.
    """
    translated = translate([os.fspath(option) for option in options])
    for note in translated.notes:
        if note.severity is Severity.ERROR:
            raise UsageError(
                f"{note.flag} has no counterpart in a ROCm build: {note.text}; leave it out there"
            )
        _LOG.log(_LEVELS[note.severity], "%s: %s", note.flag, note.text)
    return list(translated.flags)


def shell_options(options: Sequence[str]) -> list[str]:
    """Return options that a shell will split into words, as `load` takes them."""
    words = [word for option in options for word in shlex.split(option)]
    new = translated_options(words)
    return list(options) if new == words else [shlex.quote(word) for word in new]


def library_names(names: Iterable[str]) -> list[str]:
    """Return names for the linker as those of ROCm's libraries.

    What has no counterpart is left out; that, and one that does something else, is logged.
    """
    new: list[str] = []
    for name in names:
        found, reason = link_names(name)
        if reason:
            _LOG.warning("-l%s: %s", name, reason)
        new += found
    return list(dict.fromkeys(new))
