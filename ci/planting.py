"""Faults that are planted on purpose: mutants.toml, and a copy of the checkout to plant them in.

The working tree is only read. The copy has its place below build/, and is brought up to date
file by file, so that what was built in it stays.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ci.cells import PLATFORMS, ROOT
from ci.errors import ParityError
from ci.toml_keys import Keys

MUTANTS = ROOT / "ci" / "mutants.toml"
# An editable install has a finder of its own, which would lead imports back to the working tree.
SITE = '''"""Let the packages of this copy come before those of an editable install."""

import sys

sys.meta_path[:] = [
    finder for finder in sys.meta_path if type(finder).__name__ != "ScikitBuildRedirectingFinder"
]
'''
_GIT_SECONDS = 120


@dataclass(frozen=True)
class Area:
    """A part of the sources: where faults of it may be, and how many there have to be at least."""

    name: str
    folder: str
    least: int


AREAS = {
    area.name: area
    for area in (
        Area("gpu", "bindings/gpu/", 8),
        Area("emulator", "porting/emulate/", 16),
        Area("mappings", "porting/mappings/", 6),
    )
}


@dataclass(frozen=True)
class Mutant:
    """One fault: `find`, which a file has once, becomes `replace`.

    `caught_by`: the tests, as pytest names them, that are to fail first. `platforms`: where.
    """

    id: str
    area: str
    file: str
    fault: str
    find: str
    replace: str
    platforms: tuple[str, ...]
    caught_by: tuple[str, ...]


def read_mutants(path: Path = MUTANTS) -> dict[str, Mutant]:
    """Return the mutants by their ids.  Raises ParityError for what is not as it has to be."""
    root = Keys.of_file(path, path.name)
    found: dict[str, Mutant] = {}
    for keys in root.array("mutant"):
        mutant = _mutant(keys)
        if mutant.id in found:
            raise keys.wrong("id", "one that no other mutant has")
        found[mutant.id] = mutant
    root.finish()
    return found


def _mutant(keys: Keys) -> Mutant:
    area = AREAS[keys.text("area", tuple(AREAS))]
    file = keys.text("file")
    if not file.startswith(area.folder) or ".." in file:
        raise keys.wrong("file", f"a file of {area.folder}")
    find, replace = keys.text("find"), keys.text("replace")
    if find == replace:
        raise keys.wrong("replace", "another text than `find`")
    made = Mutant(
        keys.text("id"),
        area.name,
        file,
        keys.text("fault"),
        find,
        replace,
        keys.texts("platforms", PLATFORMS),
        keys.texts("caught_by"),
    )
    if not all(name.startswith("tests/") for name in made.caught_by):
        raise keys.wrong("caught_by", "names of tests, as pytest takes them from the root")
    keys.finish()
    return made


def planted_text(text: str, mutant: Mutant) -> str:
    """Return a file's text with the fault.  Raises ParityError unless the place is there once."""
    times = text.count(mutant.find)
    if times != 1:
        raise ParityError(
            f"mutant {mutant.id}: its text is in {mutant.file} {times} times and has to be there "
            "once; bring `find` in ci/mutants.toml up to date"
        )
    return text.replace(mutant.find, mutant.replace)


def check(mutants: Sequence[Mutant], tree: Path) -> None:
    """Raise ParityError for the first mutant that cannot be planted."""
    for mutant in mutants:
        planted_text(_read(tree, mutant), mutant)


@contextmanager
def planted(mutant: Mutant, tree: Path) -> Iterator[None]:
    """Plant a fault in a copy for as long as the context lasts."""
    path = tree / mutant.file
    before = _read(tree, mutant)
    path.write_text(planted_text(before, mutant), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def _read(tree: Path, mutant: Mutant) -> str:
    try:
        return (tree / mutant.file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ParityError(f"mutant {mutant.id}: {mutant.file} does not exist") from None


def copy_checkout(source: Path, tree: Path) -> None:
    """Make `tree` a copy of what git has or would add; files that are as they were stay."""
    wanted = {name for name in _listed(source) if (source / name).is_file()}
    for name in sorted(wanted):
        _copy_if_changed(source / name, tree / name)
    for name in copied_files(tree) - wanted:
        (tree / name).unlink(missing_ok=True)
    (tree / "sitecustomize.py").write_text(SITE, encoding="utf-8")
    _list_of(tree).write_text("\0".join(sorted(wanted)), encoding="utf-8")


def _listed(source: Path) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    said = subprocess.run(
        command, cwd=source, capture_output=True, check=True, timeout=_GIT_SECONDS
    )
    return [name for name in os.fsdecode(said.stdout).split("\0") if name]


def _copy_if_changed(source: Path, target: Path) -> None:
    if target.is_file() and target.read_bytes() == source.read_bytes():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)  # with a new date: builds are to see the change
    shutil.copymode(source, target)


def _list_of(tree: Path) -> Path:
    return tree.with_name(f"{tree.name}.files")


def copied_files(tree: Path) -> set[str]:
    """Return what was copied the last time; none where there is no copy."""
    path = _list_of(tree)
    return set(path.read_text(encoding="utf-8").split("\0")) if path.is_file() else set()
