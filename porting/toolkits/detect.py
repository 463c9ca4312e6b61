"""The detection rule: which GPU platform to build for, and what was found on the way."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from porting.errors import ToolchainError
from porting.toolkits import asking, platforms
from porting.toolkits.platforms import CHOICES, PLATFORMS, SELECTOR, Platform


class State(StrEnum):
    """Whether a place holds a toolkit."""

    USABLE = "usable"
    UNUSABLE = "found, unusable"
    ABSENT = "absent"


@dataclass(frozen=True)
class Candidate:
    """A place where a toolkit was looked for.

    `source` is what named it: a variable, the compiler on PATH, or the default.  `version` is ()
    when it is unknown, `reason` says why it is not usable.  `asked` is what a compiler was asked
    and said, where its own folder is no home; `silent` is the compiler that named no folder.
    """

    platform: Platform
    source: str
    path: Path
    state: State
    version: tuple[int, int] | tuple[()] = ()
    reason: str = ""
    asked: str = ""
    silent: Path | None = None

    @property
    def release(self) -> str:
        """The version as people write it, "of unknown version" without one."""
        return ".".join(map(str, self.version)) or "of unknown version"

    @property
    def is_too_old(self) -> bool:
        """Whether it is whole, and only its release is wrong."""
        return self.reason == _too_old(self.path, self.version, self.platform)

    @property
    def help(self) -> str:
        """What to do about a compiler that does not say where its toolkit is."""
        variable = self.platform.variables[0]
        return platforms.SILENT_HELP.format(variable=variable, program=self.silent)


@dataclass(frozen=True)
class Choice:
    """The platform to use and its home; `home` is None for "none"."""

    platform: str
    home: Candidate | None = None


def candidates(platform: Platform, environment: Mapping[str, str]) -> list[Candidate]:
    """Return every place of a platform's toolkit that is set or exists, in order of precedence.

    A home without headers or runtime library, or older than what can be used, is listed with the
    reason; only usable ones count.
    """
    return list(_walk(platform, environment))


def home(platform: Platform, environment: Mapping[str, str]) -> Candidate | None:
    """Return the first usable home of a platform, or None; what comes after it is not looked at.

    Raises ToolchainError when a compiler that comes before it does not say where its toolkit is:
    another one would be a choice that nobody made.
    """
    for candidate in _walk(platform, environment):
        if candidate.state is State.USABLE:
            return candidate
        if candidate.silent:
            message = platforms.SILENT.format(
                program=candidate.silent,
                title=platform.title,
                reason=candidate.reason,
                help=candidate.help,
            )
            raise ToolchainError(message)
    return None


def choose(
    environment: Mapping[str, str] = os.environ,
    table: Sequence[Platform] = PLATFORMS,
) -> Choice:
    """Return the platform by the one rule: GPU_PLATFORM decides; unset, what is installed.

    Raises ToolchainError when both platforms are installed and nothing says which, and when the
    platform that was asked for is not there or too old.
    """
    asked = environment.get(SELECTOR, "")
    if asked and asked not in CHOICES:
        choices = ", ".join(CHOICES)
        message = platforms.UNKNOWN_CHOICE.format(selector=SELECTOR, value=asked, choices=choices)
        raise ToolchainError(message)
    if asked == "none":
        return Choice("none")
    if asked:
        platform = next(p for p in table if p.name == asked)
        found = home(platform, environment)
        if found is None:
            raise _not_there(platform, environment)
        return Choice(platform.name, found)
    homes = [candidate for p in table if (candidate := home(p, environment))]
    if len(homes) > 1:
        places = {candidate.platform.name: candidate.path for candidate in homes}
        raise ToolchainError(platforms.BOTH_FOUND.format(selector=SELECTOR, **places))
    return Choice(homes[0].platform.name, homes[0]) if homes else Choice("none")


def _not_there(platform: Platform, environment: Mapping[str, str]) -> ToolchainError:
    """Return the error that says where a platform was looked for."""
    looked = [f"{c.source}: {c.reason}" for c in candidates(platform, environment)]
    unset = [name for name in platform.variables if not environment.get(name)]
    return ToolchainError(
        platforms.NOT_FOUND.format(
            selector=SELECTOR,
            value=platform.name,
            title=platform.title,
            looked="; ".join([*looked, *(f"{name} is not set" for name in unset)]),
            variable=platform.variables[0],
        )
    )


def _walk(platform: Platform, environment: Mapping[str, str]) -> Iterator[Candidate]:
    """Yield each place once, and what becomes of a compiler that is asked."""
    seen: set[Path] = set()
    for source, path, compiler in _places(platform, environment):
        found = _inspect(platform, source, path)
        if compiler and not _is_whole(found):
            found = _ask(found, compiler, environment)
        real = Path(os.path.realpath(found.path))
        if real not in seen or (found.asked and not _is_whole(found)):
            seen.add(real)
            yield found


def _places(
    platform: Platform, environment: Mapping[str, str]
) -> Iterator[tuple[str, Path, Path | None]]:
    """Yield what named a place, the place, and the compiler where one named it."""
    for name in platform.variables:
        if environment.get(name):
            yield name, Path(environment[name]), None
    compiler = shutil.which(platform.compiler, path=environment.get("PATH", ""))
    if compiler:
        real = Path(os.path.realpath(compiler))
        yield f"{platform.compiler} on PATH", real.parent.parent, Path(compiler)
    for text in platform.defaults:
        yield text, Path(text), None


def _ask(beside: Candidate, compiler: Path, environment: Mapping[str, str]) -> Candidate:
    """Return the home that a compiler leads to; the folder beside it, unusable, without one."""
    platform, told, named = beside.platform, [], False
    for answer in asking.ask(platform, compiler, environment):
        told.append(answer.told)
        if answer.folder is None:
            continue
        named = True
        for folder in (answer.folder, *answer.folder.parents):
            if _is_whole(found := _inspect(platform, beside.source, folder)):
                return replace(found, asked=answer.told)
    asked = "; ".join(told)
    silent = None if named else compiler
    reason = f"{beside.reason}; {asked}{platforms.NO_HOME_THERE if named else ''}"
    return replace(beside, state=State.UNUSABLE, reason=reason, asked=asked, silent=silent)


def _is_whole(candidate: Candidate) -> bool:
    """Whether a home has all its parts, be its release too old or not."""
    return candidate.state is State.USABLE or candidate.is_too_old


def _inspect(platform: Platform, source: str, path: Path) -> Candidate:
    if not path.is_dir():
        reason = platforms.NO_FOLDER.format(path=path)
        return Candidate(platform, source, path, State.ABSENT, (), reason)
    version = _version(platform, path)
    missing = [
        group[0]
        for group in (platform.headers, platform.libraries)
        if not any((path / name).is_file() for name in group)
    ]
    if missing:
        reason = platforms.INCOMPLETE.format(path=path, missing=" and no ".join(missing))
        return Candidate(platform, source, path, State.UNUSABLE, version, reason)
    if version and version < platform.oldest:
        reason = _too_old(path, version, platform)
        return Candidate(platform, source, path, State.UNUSABLE, version, reason)
    return Candidate(platform, source, path, State.USABLE, version)


def _version(platform: Platform, path: Path) -> tuple[int, int] | tuple[()]:
    for name, pattern in platform.version_files:
        try:
            text = (path / name).read_text(errors="replace")
        except OSError:
            continue
        if match := re.search(pattern, text, re.MULTILINE):
            numbers = [int(text) for text in match.groups()]
            if len(numbers) == 1:
                return numbers[0] // 1000, numbers[0] % 1000 // 10
            return numbers[0], numbers[1]
    return ()


def _too_old(path: Path, version: tuple[int, ...], platform: Platform) -> str:
    return platforms.TOO_OLD.format(
        name=platform.name,
        version=".".join(map(str, version)),
        path=path,
        oldest=".".join(map(str, platform.oldest)),
        variable=platform.variables[0],
    )
