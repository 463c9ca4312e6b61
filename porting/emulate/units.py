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
from porting.verify.arguments import FOLDERS, arguments_of, flags_of, is_relocatable
from porting.verify.database import NAME

_ENDINGS = {".cu": "cuda", ".hip": "hip"}
_KEPT = ("-fno-exceptions", "-fno-rtti")


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
    words = list(_with_files(arguments_of(entry), folder))
    source = Path(os.path.normpath(folder / entry["file"]))
    language = _language(source, words)
    if language:
        yield Unit(source, folder, language, tuple(_flags(words, folder)), is_relocatable(words))


def _language(source: Path, words: Sequence[str]) -> str:
    named = [value for flag, value in pairwise(words) if flag == "-x"]
    if "hip" in named or any(word.startswith("--offload-arch=gfx") for word in words):
        return "hip"
    if "cu" in named or "cuda" in named:
        return "cuda"
    return _ENDINGS.get(source.suffix, "")


def _flags(words: Sequence[str], folder: Path) -> Iterator[str]:
    for flag, value in flags_of(words):
        if flag in FOLDERS:
            yield from (flag, os.path.normpath(folder / value))
        elif flag == "-include":
            yield from (flag, value)
        elif flag == "-std":
            yield f"-std={value.replace('hip', 'c++')}"
        elif flag or value.startswith(_KEPT):
            yield flag + value


def _with_files(words: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield the words, and in the place of a file of options those that stand in it."""
    waiting = iter(words)
    for word in waiting:
        name, _, value = word.partition("=")
        if name in {"--options-file", "-optf"}:
            text = (folder / (value or next(waiting, ""))).read_text()
            yield from _with_files(shlex.split(text), folder)
        else:
            yield word
