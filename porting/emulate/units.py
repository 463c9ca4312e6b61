"""The units with kernels that a build folder names, and what their compile commands say.

A unit is a source that nvcc, or clang for HIP, compiled.  Its flags are taken from
compile_commands.json as far as they say how to read it: folders, macros, the standard.
"""

import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from porting.errors import InputError
from porting.verify.database import NAME

_ENDINGS = {".cu": "cuda", ".hip": "hip"}
_WITH_VALUE = {
    "-I": "-I",
    "-isystem": "-isystem",
    "-iquote": "-iquote",
    "-idirafter": "-idirafter",
    "-include": "-include",
    "-D": "-D",
    "-U": "-U",
    "--include-path": "-I",
    "--system-include": "-isystem",
    "--pre-include": "-include",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
}
_PATHS = frozenset(("-I", "-isystem", "-iquote", "-idirafter"))
_KEPT = ("-std=", "-fno-exceptions", "-fno-rtti")
_RDC = frozenset(("-fgpu-rdc", "-rdc=true", "--relocatable-device-code=true", "-dc"))


@dataclass(frozen=True)
class Unit:
    """A source to compile for the processor: `language` is cuda or hip."""

    source: Path
    folder: Path
    language: str
    flags: tuple[str, ...] = ()
    is_relocatable: bool = False


def units_of(build: Path) -> list[Unit]:
    """Return the units with device code of a build folder, in the order of its database.

    Raises InputError when the folder has no database, or one that cannot be read.
    """
    path = build if build.name == NAME else build / NAME
    if not path.is_file():
        message = (
            f"{build} has no {NAME}, so the sources of its kernels are not known; configure it "
            "with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or build with `bear -- make`"
        )
        raise InputError(message)
    try:
        entries = json.loads(path.read_text())
        found = [unit for entry in entries for unit in _unit(entry)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no compilation database: {error}; make it again") from error
    return list({_key(unit): unit for unit in found}.values())


def _key(unit: Unit) -> tuple[Path, tuple[str, ...]]:
    """Return what makes units the same: programs may each read one source under other macros.

    Units of relocatable code define names for each other, so that there is one per source.
    """
    return unit.source, () if unit.is_relocatable else unit.flags


def _unit(entry: Mapping[str, Any]) -> Iterator[Unit]:
    folder = Path(entry["directory"])
    given = entry.get("arguments")
    words = shlex.split(entry["command"]) if given is None else list(given)
    source = Path(os.path.normpath(folder / entry["file"]))
    language = _language(source, words)
    if language:
        yield Unit(
            source, folder, language, tuple(_flags(words[1:], folder)), bool(_RDC & set(words))
        )


def _language(source: Path, words: Sequence[str]) -> str:
    named = [value for flag, value in pairwise(words) if flag == "-x"]
    if "hip" in named or any(word.startswith("--offload-arch=gfx") for word in words):
        return "hip"
    if "cu" in named or "cuda" in named:
        return "cuda"
    return _ENDINGS.get(source.suffix, "")


def _flags(words: Sequence[str], folder: Path) -> Iterator[str]:
    waiting = iter(words)
    for word in waiting:
        if word.startswith("--options-file"):
            name = word.partition("=")[2] or next(waiting, "")
            yield from _flags(shlex.split((folder / name).read_text()), folder)
            continue
        flag, value = _divided(word, waiting)
        if flag in _PATHS:
            yield from (flag, os.path.normpath(folder / value))
        elif flag:
            yield from (flag, value) if flag == "-include" else (flag + value,)
        elif word.startswith(_KEPT):
            yield word.replace("=hip", "=c++")


def _divided(word: str, waiting: Iterator[str]) -> tuple[str, str]:
    """Return a flag under clang's name and its value, which may be the next word."""
    if word in _WITH_VALUE:
        return _WITH_VALUE[word], next(waiting, "")
    for name, flag in _WITH_VALUE.items():
        if word.startswith(name) and len(name) > 1:
            value = (
                word[len(name) :].removeprefix("=") if name.startswith("--") else word[len(name) :]
            )
            return flag, value
    return "", ""
