"""Compile commands of a build system: the flags that matter to a unit of the ported tree."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from porting.errors import InputError
from porting.verify.arguments import FOLDERS, arguments_of, flags_of, is_relocatable

NAME = "compile_commands.json"
_PLACES = (NAME, f"build/{NAME}")
_KEPT = ("-fno-exceptions", "-fexceptions", "-fno-rtti", "-frtti", "-fopenmp")


@dataclass(frozen=True)
class Command:
    """The flags of one unit that say how to read it."""

    flags: tuple[str, ...]
    is_hip: bool = False


def load(root: Path) -> Mapping[str, Command]:
    """Return path below `root` -> its command, of the tree's own compile_commands.json.

    The database may come from the input's build: entries are matched by the end of their path, and
    folders below the input's root become folders below `root`.  Raises InputError when the file is
    no compilation database.
    """
    for place in _PLACES:
        path = root / place
        if path.is_file():
            return parse(path, root)
    return {}


def unused(root: Path, commands: Mapping[str, Command]) -> str:
    """Return that the tree's database helped nobody, "" where it did or where there is none."""
    place = next((place for place in _PLACES if (root / place).is_file()), "")
    if commands or not place:
        return ""
    return f"{place} names no unit of this tree, so no flags were taken from it"


def parse(path: Path, root: Path) -> Mapping[str, Command]:
    """Return the commands of one database for the files that exist below `root`."""
    try:
        entries = json.loads(path.read_text())
        return dict(filter(None, (_entry(entry, root) for entry in entries)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is no compilation database: {error}; mend or remove it"
        ) from error


def _entry(entry: Mapping[str, Any], root: Path) -> tuple[str, Command] | None:
    directory = Path(entry["directory"])
    file = Path(os.path.normpath(directory / entry["file"]))
    unit = _below(file, root)
    if not unit:
        return None
    input_root = Path(str(file).removesuffix(unit))
    arguments = arguments_of(entry)
    return unit, Command(_flags(arguments, directory, input_root, root), _is_hip(arguments))


def _below(file: Path, root: Path) -> str:
    """Return the longest end of a path that is a file below `root`, else ""."""
    parts = PurePosixPath(file.as_posix()).parts[1:]
    for start in range(len(parts)):
        ending = "/".join(parts[start:])
        if (root / ending).is_file():
            return ending
    return ""


def _is_hip(arguments: Sequence[str]) -> bool:
    return any(flag == "-x" and value in {"hip", "cu"} for flag, value in pairwise(arguments))


def _flags(
    arguments: Sequence[str], directory: Path, input_root: Path, root: Path
) -> tuple[str, ...]:
    kept: list[str] = []
    for flag, value in flags_of(arguments):
        if flag in FOLDERS or flag == "-include":
            moved = _moved(directory / value, input_root, root)
            if moved.exists() and not _is_toolkits(moved, root):
                kept += [flag, str(moved)]
        elif flag:
            kept.append(f"{flag}={value}" if flag == "-std" else flag + value)
        elif value.startswith(_KEPT):
            kept.append(value)
    return (*kept, "-fgpu-rdc") if is_relocatable(arguments) else tuple(kept)


def _is_toolkits(folder: Path, root: Path) -> bool:
    """Whether a folder has the headers of CUDA itself, which the port takes the place of."""
    return (folder / "cuda_runtime_api.h").is_file() and not folder.is_relative_to(root)


def _moved(path: Path, input_root: Path, root: Path) -> Path:
    """Return where a path of the input is in the ported tree; other paths stay."""
    normal = Path(os.path.normpath(path))
    if normal.is_relative_to(input_root):
        return root / normal.relative_to(input_root)
    return normal
