"""A port that leaves sources alone: the headers that it needs, and what they cannot do."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from porting.config import Target
from porting.diagnostics import by_place
from porting.headers import HEADER, INCLUDE, Headers, compat_findings, make_headers, units_of
from porting.hipify import Hipified
from porting.mapping import Names
from porting.port.suppressing import suppress
from porting.rules import Project
from porting.suppress import UNUSED


def compat_flags(root: Path) -> tuple[str, ...]:
    """Return the flags that a ROCm build of a compat tree needs for every unit."""
    folder = root.absolute()
    return ("-include", str(folder / HEADER), "-isystem", str(folder / INCLUDE))


def leave_sources(
    hipified: Sequence[Hipified], target: Target, names: Names, project: Project
) -> tuple[tuple[Hipified, ...], Headers]:
    """Return ported files as they were, each with the findings that are left, and the headers.

    `hipified`: the same files ported by rewriting, which found what there is to find.
    """
    found = [finding for done in hipified for finding in done.diagnostics]
    units = units_of([done.source for done in hipified], target, names, project)
    headers = make_headers(units, target, names, project, found)
    by_path = {unit.source.path: unit for unit in units}
    left: list[Hipified] = []
    for done in hipified:
        unit = by_path.get(done.source.path)
        if unit is None:
            left.append(replace(done, data=done.source.data, edits=()))
            continue
        findings = list(compat_findings(done.diagnostics, unit, headers, names))
        rest = suppress(findings, [unit.source])
        kept = (
            finding
            for finding in rest.kept
            if finding.code != UNUSED.code or (finding.file, finding.line) not in rest.answered
        )
        taken_out = (*done.suppressed, *rest.taken_out)
        left.append(Hipified(done.source, done.source.data, (), tuple(by_place(kept)), taken_out))
    return tuple(left), headers
