"""Audit built files: what each one is, which plan it follows, and what is wrong with it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

from porting.diagnostics import Diagnostic, Severity
from porting.elf import Binary, ElfError, ElfFile, Kind, read_binary
from porting.errors import InputError
from porting.link.checks import CHECKS, check_process
from porting.link.codes import NOT_EXAMINED
from porting.link.collecting import collect
from porting.link.follows import WANTED, Follows, follows
from porting.link.loader import Search
from porting.link.reach import Reach, reach
from porting.link.subject import Question, Subject

_RUST_METADATA = "lib.rmeta"  # in every .rlib
# What a member of an archive is -> the rest of what is said of it, and what to do.
_OTHERS = {
    "an archive": (
        "; linkers do not look into it",
        "put its members into the outer archive, or link both",
    ),
    "LLVM bitcode": ("", "audit what is linked from it"),
    "no object": ("", "take it out, unless a program of yours reads it"),
}


@dataclass(frozen=True)
class Audited:
    """One ELF file; `places` are where the libraries it needs were found, None: nowhere."""

    file: ElfFile
    follows: Follows
    places: Mapping[str, str | None]
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Audit:
    """The result: the files in the order given, and those that could not be read, with why.

    `not_examined`: findings about members of archives that are no ELF files.
    """

    question: Question
    files: tuple[Audited, ...]
    unreadable: tuple[tuple[str, str], ...]
    not_examined: tuple[Diagnostic, ...] = ()

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Every finding, file by file."""
        found = tuple(finding for file in self.files for finding in file.findings)
        return (*found, *self.not_examined)

    @property
    def exit_code(self) -> int:
        """0: nothing of warning or worse; 1: something; 2: a file could not be read."""
        if self.unreadable:
            return 2
        return int(any(finding.severity is not Severity.NOTE for finding in self.findings))


def audit(
    paths: Sequence[Path], question: Question, search: Search, *, separate: bool = False
) -> Audit:
    """Audit files, and the ELF files in folders.

    Shared libraries that are named together are taken for parts of one process, each program for
    one of its own; `separate`: every file for itself.  Raises InputError for a path that is not
    there, or that has nothing to audit.
    """
    read = lru_cache(maxsize=None)(lambda path: read_binary(path, WANTED))
    binaries: list[Binary] = []
    collected = collect(paths)
    unreadable = list(collected.unreadable)
    for path in collected.files:
        try:
            binaries.append(read(path))
        except ElfError as error:
            unreadable.append((str(path), str(error)))
    if binaries and not unreadable and not any(binary.members for binary in binaries):
        named = ", ".join(str(path) for path in paths)
        raise InputError(f"{named} has no object that can be examined; build it, or check the path")
    files: list[tuple[int, Audited]] = []
    order = {path: number for number, path in enumerate(collected.files)}
    for group in _processes(binaries, separate=separate):
        roots = [(b.path, f) for b in group for f in b.members if not b.is_archive]
        linked = [(path, file) for path, file in roots if file.kind is not Kind.OBJECT]
        audited = _audited(group, reach(linked, search, read), question)
        files += ((order[path], file) for path, file in audited)
    told = tuple(file for _, file in sorted(files, key=itemgetter(0)))
    return Audit(question, told, tuple(unreadable), tuple(_not_examined(binaries)))


def _processes(binaries: Sequence[Binary], *, separate: bool) -> Iterator[list[Binary]]:
    together: list[Binary] = []
    for binary in binaries:
        shared = not binary.is_archive and binary.members[0].kind is Kind.SHARED
        if shared and not separate:
            together.append(binary)
        else:
            yield [binary]
    if together:
        yield together


def _audited(
    group: Sequence[Binary], process: Reach, question: Question
) -> Iterator[tuple[Path, Audited]]:
    """Yield the files of a process by their path on disk; what is wrong with it is the first's."""
    about = next((b.members[0].name for b in group if b.members), "")
    shared = tuple(check_process(about, process)) if process.loaded else ()
    for binary in group:
        for file in binary.members:
            subject = Subject(binary.path, file, follows(file), process, question)
            own = [finding for check in CHECKS for finding in check(subject)]
            told = shared if file.name == about and not binary.is_archive else ()
            places = _places(file, process)
            yield binary.path, Audited(file, subject.follows, places, (*own, *told))


def _not_examined(binaries: Iterable[Binary]) -> Iterator[Diagnostic]:
    """Yield a note on every member that is not known to have nothing for a linker."""
    for binary in binaries:
        for other in binary.others:
            if other.name == _RUST_METADATA:
                continue
            told, help_text = _OTHERS[other.what]
            name = f"{binary.path}({other.name})"
            yield NOT_EXAMINED.at(name, f"not examined, it is {other.what}{told}", help_text)


def _places(file: ElfFile, process: Reach) -> dict[str, str | None]:
    known: dict[str, str] = {}
    for item in process.loaded:
        known.setdefault(item.asked, str(item.path))
        known.setdefault(item.file.soname, str(item.path))
    return {name: known.get(name) for name in file.needed}
