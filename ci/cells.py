"""The cells of the parity matrix: matrix.toml's rules, checked key by key and written out."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ci.errors import ParityError
from ci.toml_keys import Keys

ROOT = Path(__file__).resolve().parent.parent
MATRIX = ROOT / "ci" / "matrix.toml"
PLATFORMS = ("cuda", "rocm")
CHECKED = ("device", "emulated", "compiled")
WAVES = (32, 64)
_RELEASE = re.compile(r"[0-9]+(\.[0-9]+)*")


@dataclass(frozen=True)
class Platform:
    """A vendor's platform: the lanes of a wave per GPU target, and how its container is made."""

    name: str
    waves: Mapping[str, int]
    containerfile: str
    device: tuple[str, ...]


@dataclass(frozen=True)
class Toolkit:
    """The releases that a cell may use: `release` with its patches, or all after it."""

    name: str
    platform: Platform
    release: str
    only_newer: bool
    tag: str

    def covers(self, release: str) -> bool:
        """Tell whether an installed release is one of these."""
        if not _RELEASE.fullmatch(release):
            return False
        wanted = _numbers(self.release)
        found = _numbers(release)[: len(wanted)]
        return found > wanted if self.only_newer else found == wanted

    @property
    def wanted(self) -> str:
        """What the releases are, in words."""
        return f"newer than {self.release}" if self.only_newer else self.release


@dataclass(frozen=True)
class Runner:
    """A kind of machine: the labels of its jobs, and how cells can be checked on it."""

    name: str
    labels: tuple[str, ...]
    checked: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One combination that the parity suite runs in."""

    toolkit: Toolkit
    target: str
    python: str
    checked: str
    runner: Runner
    in_container: bool
    in_make_test: bool

    @property
    def id(self) -> str:
        """The readable name, which a column of the table has: rocm-7.1-gfx942-py311-emulated."""
        python = self.python.replace(".", "")
        return f"{self.toolkit.name}-{self.target}-py{python}-{self.checked}"

    @property
    def platform(self) -> str:
        """The name of the cell's platform."""
        return self.toolkit.platform.name

    @property
    def wave(self) -> int:
        """The lanes of a wave on the cell's target."""
        return self.toolkit.platform.waves[self.target]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the machine that can run it."""
        return tuple(label.replace("{target}", self.target) for label in self.runner.labels)


def read_matrix(path: Path = MATRIX) -> dict[str, Cell]:
    """Return all cells by their ids, in the order of the rules.

    Raises ParityError with the place in the file.
    """
    shown = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    keys = Keys.of_file(path, shown)
    pythons = keys.texts("pythons")
    platforms = {name: _platform(name, table) for name, table in keys.tables("platform")}
    toolkits = {name: _toolkit(name, table, platforms) for name, table in keys.tables("toolkit")}
    runners = {name: _runner(name, table) for name, table in keys.tables("runner")}
    cells: dict[str, Cell] = {}
    stated: dict[str, str] = {}
    for table in keys.array("rule"):
        for cell in _rule(table, pythons, toolkits, runners):
            if before := stated.get(cell.id):
                raise ParityError(f"{shown}: {table.path} states {cell.id}, and so does {before}")
            cells[cell.id], stated[cell.id] = cell, table.path
    keys.finish()
    if not cells:
        raise keys.wrong("rule", "at least one rule")
    return cells


def _platform(name: str, keys: Keys) -> Platform:
    if name not in PLATFORMS:
        raise ParityError(f"{keys.place} is no platform; platforms are {', '.join(PLATFORMS)}")
    platform = Platform(
        name,
        keys.numbers("targets", WAVES),
        keys.text("containerfile"),
        keys.texts("device"),
    )
    keys.finish()
    return platform


def _toolkit(name: str, keys: Keys, platforms: Mapping[str, Platform]) -> Toolkit:
    platform = platforms[keys.text("platform", platforms)]
    only_newer = keys.has("newer_than")
    key = "newer_than" if only_newer else "release"
    release = keys.text(key)
    if not _RELEASE.fullmatch(release):
        raise keys.wrong(key, "a release like 7.1")
    if only_newer and keys.has("release"):
        raise keys.wrong("release", "left out, since newer_than says the releases")
    toolkit = Toolkit(name, platform, release, only_newer, keys.text("tag"))
    keys.finish()
    return toolkit


def _runner(name: str, keys: Keys) -> Runner:
    runner = Runner(name, keys.texts("labels"), keys.texts("checked", CHECKED))
    keys.finish()
    return runner


def _rule(
    keys: Keys,
    pythons: tuple[str, ...],
    toolkits: Mapping[str, Toolkit],
    runners: Mapping[str, Runner],
) -> Iterator[Cell]:
    """Yield the cells of a rule; platforms meet in it, so each name needs one of the other kind."""
    keys.text("why")
    runner = runners[keys.text("runner", runners)]
    checked = keys.texts("checked", runner.checked)
    chosen = [toolkits[name] for name in keys.texts("toolkits", toolkits)]
    known = {target for toolkit in toolkits.values() for target in toolkit.platform.waves}
    targets = keys.texts("targets", sorted(known))
    own_pythons = keys.texts("pythons", pythons)
    in_container, in_make_test = keys.flag("container"), keys.flag("make_test")
    keys.finish()
    _check_pairs(keys, chosen, targets)
    for way in checked:
        for toolkit in chosen:
            for target in (name for name in targets if name in toolkit.platform.waves):
                for python in own_pythons:
                    yield Cell(toolkit, target, python, way, runner, in_container, in_make_test)


def _check_pairs(keys: Keys, toolkits: list[Toolkit], targets: tuple[str, ...]) -> None:
    for toolkit in toolkits:
        if not toolkit.platform.waves.keys() & set(targets):
            own = ", ".join(toolkit.platform.waves)
            raise keys.wrong("targets", f"an array with a target of {toolkit.name} too: {own}")
    for target in targets:
        if not any(target in toolkit.platform.waves for toolkit in toolkits):
            raise keys.wrong("toolkits", f"an array with a toolkit for {target} too")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
