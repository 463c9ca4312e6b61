"""The detection rule in a generated build script: a platform and its folder."""
# The text must run on Python 3.8; its paths are strings, as in the flags they stand in.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120, PTH123, UP035

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple

from porting.buildfiles.python.script.tables import (
    BOTH_FOUND,
    CHOICES,
    INCOMPLETE,
    MOST_WORDS,
    NO_ANSWER,
    NO_END,
    NO_FOLDER,
    NO_HOME_THERE,
    NO_WORDS,
    NOT_FOUND,
    PLATFORMS,
    SAYS,
    SELECTOR,
    SILENT,
    SILENT_HELP,
    TOO_OLD,
    UNKNOWN_CHOICE,
)


class GpuBuildError(Exception):
    """No platform can be chosen; the text says why and what to set."""


class Place(NamedTuple):
    """Where a toolkit was looked for.

    `fault`: why it is not usable; `silent`: the compiler that does not say where its own is.
    """

    source: str
    path: str
    fault: str = ""
    silent: str = ""


def choose(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return (platform, folder) by the rule: GPU_PLATFORM decides; unset, what is installed.

    Raises GpuBuildError where both platforms are installed, or not the one that was asked for, and
    where a compiler does not say where its toolkit is.
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
    for place in _candidates(row, environment):
        if not place.fault:
            return place.path
        if place.silent:
            program = place.silent
            help_ = SILENT_HELP.format(variable=row["variables"][0], program=program)
            reason = place.fault
            message = SILENT.format(program=program, title=row["title"], reason=reason, help=help_)
            raise GpuBuildError(message)
    return ""


def _not_there(asked: str, environment: Mapping[str, str]) -> str:
    row = PLATFORMS[asked]
    looked = [f"{place.source}: {place.fault}" for place in _candidates(row, environment)]
    looked += [f"{name} is not set" for name in row["variables"] if not environment.get(name)]
    return NOT_FOUND.format(
        selector=SELECTOR,
        value=asked,
        title=row["title"],
        looked="; ".join(looked),
        variable=row["variables"][0],
    )


def _candidates(row: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[Place]:
    """Yield each place once, and what becomes of a compiler that is asked."""
    seen = set()
    for source, path, compiler in _places(row, environment):
        place = Place(source, path, _fault(row, path))
        asked = bool(compiler) and not _is_whole(row, path)
        if asked:
            place = _ask(row, place, compiler, environment)
        real = os.path.realpath(place.path)
        if real not in seen or (asked and not _is_whole(row, place.path)):
            seen.add(real)
            yield place


def _places(
    row: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Yield what named a place, the place, and the compiler where one named it."""
    for name in row["variables"]:
        if environment.get(name):
            yield name, str(Path(environment[name])), ""
    found = shutil.which(row["compiler"], path=environment.get("PATH", ""))
    if found:
        real = os.path.realpath(found)
        yield f"{row['compiler']} on PATH", os.path.dirname(os.path.dirname(real)), found
    for path in row["defaults"]:
        yield path, path, ""


def _ask(
    row: Mapping[str, Any], beside: Place, compiler: str, environment: Mapping[str, str]
) -> Place:
    """Return the home that a compiler leads to; the folder beside it, unusable, without one."""
    answers, named = [], False
    for question in row["questions"]:
        program = os.path.join(os.path.dirname(compiler), question["program"])
        if question["program"] != row["compiler"] and not os.access(program, os.X_OK):
            continue
        command = [str(Path(program).absolute()), *question["arguments"]]
        told, folder = _answer(command, question["prefixes"], row["patience"], environment)
        answers.append(told)
        named = named or bool(folder)
        for path in (Path(folder), *Path(folder).parents) if folder else ():
            if _is_whole(row, str(path)):
                return Place(beside.source, str(path), _fault(row, str(path)))
    fault = f"{beside.fault}; {'; '.join(answers)}{NO_HOME_THERE if named else ''}"
    return Place(beside.source, beside.path, fault, "" if named else compiler)


def _answer(
    command: list[str],
    prefixes: tuple[str, ...],
    patience: float,
    environment: Mapping[str, str],
) -> tuple[str, str]:
    """Return what a program that was asked says, and the folder that it names."""
    shown = " ".join(command)
    code, output = _run(command, patience, environment)
    if code is None:
        return NO_END.format(command=shown, seconds=f"{patience:g}"), ""
    for prefix in prefixes:
        for line in output.splitlines():
            folder = line[len(prefix) :].strip()
            if line.startswith(prefix) and Path(folder).is_absolute() and os.path.isdir(folder):
                return SAYS.format(command=shown, said=line.strip()), os.path.realpath(folder)
    words = " ".join(output.split())[:MOST_WORDS] or NO_WORDS
    return NO_ANSWER.format(command=shown, code=code, words=words), ""


def _run(
    command: list[str], patience: float, environment: Mapping[str, str]
) -> tuple[int | None, str]:
    """Return how a program ended, None where it did not in time, and both of its outputs."""
    # A file, since what a program leaves running keeps a pipe open.
    with tempfile.TemporaryFile() as answer:
        try:
            process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return 127, f"{command[0]}: {(error.strerror or str(error)).lower()}"
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
            process.wait()
            return None, ""
        answer.seek(0)
        return code, answer.read().decode("utf-8", "replace")


def _is_whole(row: Mapping[str, Any], path: str) -> bool:
    """Whether a home has all its parts, be its release too old or not."""
    return os.path.isdir(path) and not _missing(row, path)


def _missing(row: Mapping[str, Any], path: str) -> list[str]:
    return [
        group[0]
        for group in (row["headers"], row["libraries"])
        if not any(os.path.isfile(os.path.join(path, name)) for name in group)
    ]


def _fault(row: Mapping[str, Any], path: str) -> str:
    if not os.path.isdir(path):
        return NO_FOLDER.format(path=path)
    missing = _missing(row, path)
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
