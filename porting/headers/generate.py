"""Make the compat header and the forwarding headers of a tree.  Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.generated import FOLDER, says_generated
from porting.headers.c_header import Content, compose
from porting.headers.entries import Entry, Missing
from porting.headers.forwarding import forwarding_headers
from porting.headers.names import entries_for
from porting.headers.uses import Uses, uses_of
from porting.mapping import Names
from porting.rules import Project, Unit
from porting.rules.api.codes import FIELD_RENAMED
from porting.source import C_SUFFIXES, SourceFile
from porting.syntax import has_trace_of_cuda

HEADER: Final = f"{FOLDER}/cuda_to_hip.h"
INCLUDE: Final = f"{FOLDER}/include"


@dataclass(frozen=True)
class Headers:
    """The generated headers by path below the tree's root, and what went into them."""

    files: Mapping[str, str]
    uses: Uses = field(default_factory=Uses)
    entries: tuple[Entry, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def provided(self) -> frozenset[str]:
        """The CUDA names that have an entry."""
        return frozenset(entry.name for entry in self.entries)


def units_of(
    sources: Iterable[SourceFile], target: Target, names: Names, project: Project
) -> list[Unit]:
    """Return the files that may use CUDA, ready to be read; generated headers are left out."""
    return [
        Unit(source, target, names, project)
        for source in sources
        if source.suffix in C_SUFFIXES
        and not source.is_binary
        and not (source.path.startswith(f"{FOLDER}/") and says_generated(source.data))
        and (source.is_cuda or has_trace_of_cuda(source.text))
    ]


def make_headers(
    units: Sequence[Unit],
    target: Target,
    names: Names,
    project: Project,
    findings: Iterable[Diagnostic] = (),
) -> Headers:
    """Return the headers for the CUDA names that some files use.

    `findings`: those of a port of the same files, which know the members that have other names.
    """
    uses = uses_of(units, project.pastes, names)
    made = list(entries_for(uses, target, names, project.declared))
    entries = tuple(entry for entry in made if isinstance(entry, Entry))
    missing = tuple(entry for entry in made if isinstance(entry, Missing))
    content = Content(uses, entries, missing, _fields(findings))
    files = {HEADER: compose(content, target, names)}
    for path, text in forwarding_headers(uses, target, names).items():
        files[f"{INCLUDE}/{path}"] = text
    return Headers(files, uses, entries, missing)


def _fields(findings: Iterable[Diagnostic]) -> tuple[tuple[str, str], ...]:
    """Return the members that a port renames, and their names in HIP."""
    found = {
        (edit.symbol or finding.symbol, edit.replacement)
        for finding in findings
        if finding.code == FIELD_RENAMED.code
        for edit in finding.edits
        if edit.replacement.isidentifier()
    }
    return tuple(sorted(pair for pair in found if pair[0]))


__all__ = ["FOLDER", "HEADER", "INCLUDE", "Headers", "make_headers", "units_of"]
