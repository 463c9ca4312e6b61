"""The detection rule in a generated build script: a platform and its folder."""
# The text must run on Python 3.8; its paths are strings, as in the flags they stand in.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120, PTH123, UP035

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any, Iterator, Mapping

from porting.buildfiles.python.script.tables import (
    BOTH_FOUND,
    CHOICES,
    INCOMPLETE,
    NO_FOLDER,
    NOT_FOUND,
    PLATFORMS,
    SELECTOR,
    TOO_OLD,
    UNKNOWN_CHOICE,
)


class GpuBuildError(Exception):
    """No platform can be chosen; the text says why and what to set."""


def choose(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return (platform, folder) by the rule: GPU_PLATFORM decides; unset, what is installed.

    Raises GpuBuildError where both platforms are installed, or not the one that was asked for.
    """
    asked = environment.get(SELECTOR, "")
    if asked and asked not in CHOICES:
        choices = ", ".join(CHOICES)
        raise GpuBuildError(UNKNOWN_CHOICE.format(selector=SELECTOR, value=asked, choices=choices))
    if asked == "none":
        return "none", ""
    if asked:
        found = _usable(PLATFORMS[asked], environment)
        if not found:
            raise GpuBuildError(_not_there(asked, environment))
        return asked, found
    homes = {name: _usable(row, environment) for name, row in PLATFORMS.items()}
    homes = {name: path for name, path in homes.items() if path}
    if len(homes) > 1:
        raise GpuBuildError(BOTH_FOUND.format(selector=SELECTOR, **homes))
    return next(iter(homes.items()), ("none", ""))


def _usable(row: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    return next((path for _, path, fault in _candidates(row, environment) if not fault), "")


def _not_there(asked: str, environment: Mapping[str, str]) -> str:
    row = PLATFORMS[asked]
    looked = [f"{source}: {fault}" for source, _, fault in _candidates(row, environment)]
    looked += [f"{name} is not set" for name in row["variables"] if not environment.get(name)]
    return NOT_FOUND.format(
        selector=SELECTOR,
        value=asked,
        title=row["title"],
        looked="; ".join(looked),
        variable=row["variables"][0],
    )


def _candidates(
    row: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield (source, path, fault) of each place once; no fault means that it is usable."""
    seen = set()
    for source, path in _places(row, environment):
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield source, path, _fault(row, path)


def _places(row: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in row["variables"]:
        if environment.get(name):
            yield name, str(Path(environment[name]))
    found = shutil.which(row["compiler"], path=environment.get("PATH", ""))
    if found:
        real = os.path.realpath(found)
        yield f"{row['compiler']} on PATH", os.path.dirname(os.path.dirname(real))
    for path in row["defaults"]:
        yield path, path


def _fault(row: Mapping[str, Any], path: str) -> str:
    if not os.path.isdir(path):
        return NO_FOLDER.format(path=path)
    missing = [
        group[0]
        for group in (row["headers"], row["libraries"])
        if not any(os.path.isfile(os.path.join(path, name)) for name in group)
    ]
    if missing:
        return INCOMPLETE.format(path=path, missing=" and no ".join(missing))
    version = _version(row, path)
    if version and version < row["oldest"]:
        return TOO_OLD.format(
            name=row["name"],
            version=".".join(map(str, version)),
            path=path,
            oldest=".".join(map(str, row["oldest"])),
            variable=row["variables"][0],
        )
    return ""


def _version(row: Mapping[str, Any], path: str) -> tuple[int, ...]:
    for name, pattern in row["version_files"]:
        try:
            with open(os.path.join(path, name), errors="replace") as file:
                match = re.search(pattern, file.read(), re.MULTILINE)
        except OSError:
            continue
        if match:
            numbers = [int(text) for text in match.groups()]
            if len(numbers) == 1:
                return numbers[0] // 1000, numbers[0] % 1000 // 10
            return tuple(numbers)
    return ()
