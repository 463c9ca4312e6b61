"""Arguments of a compiler, nvcc or clang, as flags under clang's names and their values.  Pure.

nvcc's names are those of its manual, chapter 4.2: most options have a long one, and a value may
follow after `=` also where clang wants it attached or as the next argument.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_NAMES = {
    "-isystem": "-isystem",
    "-iquote": "-iquote",
    "-idirafter": "-idirafter",
    "-include": "-include",
    "-std": "-std",
    "-I": "-I",
    "-D": "-D",
    "-U": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--std": "-std",
}
FOLDERS = frozenset(("-I", "-isystem", "-iquote", "-idirafter"))
_MACROS = frozenset(("-D", "-U"))
_RDC = frozenset(("-fgpu-rdc", "-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c"))


def arguments_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the words of an entry of a compilation database, after the compiler's own."""
    given = entry.get("arguments")
    return (shlex.split(entry["command"]) if given is None else list(given))[1:]


def is_relocatable(words: Sequence[str]) -> bool:
    """Whether device code may use names of other units."""
    return bool(_RDC & set(words))


def flags_of(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each flag that says how to read a source, with its value; "" and the word for others.

    The flags are -I, -isystem, -iquote, -idirafter, -include, -D, -U and -std.
    """
    waiting = iter(words)
    for word in waiting:
        if word in _NAMES:
            yield _NAMES[word], next(waiting, "")
        else:
            yield _attached(word)


def _attached(word: str) -> tuple[str, str]:
    for name, flag in _NAMES.items():
        value = word.removeprefix(name)
        if value == word:
            continue
        if flag == "-std" or name.startswith("--"):
            if value.startswith("="):
                return flag, value[1:]
        else:
            return flag, value if flag in _MACROS else value.removeprefix("=")
    return "", word
