"""Kernels among the words of a command that compiles and links at once: clang is told of them.

Clang takes a .cu file for CUDA, and an object for source text once a language was named, so `-x`
stands around the kernels alone.
"""

import re
from enum import Enum

from porting.buildfiles.make.model import Makefile

_KERNEL = re.compile(r"\.cu\b")
_AUTOMATIC = re.compile(r"\$(?:[<^+?]|[({][<^+?][)}])")
_VARIABLE = re.compile(r"\$[({][\w.-]+(?::[^(){}]*)?[)}]")
_FUNCTION = re.compile(r"\$[({](?:wildcard|filter|filter-out|addprefix|patsubst|sort|notdir)\b")


BEGIN, END = "-x hip", "-x none"


class Kernels(Enum):
    """Which of the files that a word stands for are kernels."""

    NONE = 0
    SOME = 1
    ALL = 2


def kernels_of(makefile: Makefile, word: str, target: str) -> Kernels:
    """Return which files of a word are kernels, as far as the Makefiles say.

    `target`: that of the rule whose command it is, for make's automatic variables.
    """
    if word.startswith("-"):
        return Kernels.NONE
    if word.endswith(".cu"):
        return Kernels.ALL
    files = _files(makefile, word, target)
    if not any(map(_KERNEL.search, files)):
        return Kernels.NONE
    return Kernels.ALL if all(file.endswith(".cu") for file in files) else Kernels.SOME


def sorted_out(word: str) -> str:
    """Return a word for files of both kinds with the kernels first, and their language named."""
    return f"{BEGIN} $(filter %.cu,{word}) {END} $(filter-out %.cu,{word})"


def _files(makefile: Makefile, word: str, target: str) -> list[str]:
    """Return the names that a word may stand for, as far as the Makefiles say."""
    if _AUTOMATIC.fullmatch(word):
        listed = makefile.prerequisites.get(target, "").partition("|")[0]
        given = listed.split()[:1] if "<" in word else listed.split()
    elif _VARIABLE.fullmatch(word) or _FUNCTION.match(word):
        given = [word]
    else:
        return []
    found = [part for text in given for part in makefile.expansions(text)]
    return [file for text in found if not _VARIABLE.fullmatch(text) for file in text.split()]
