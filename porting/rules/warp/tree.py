"""Which names of a whole tree make lane masks, and which are combined with them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from porting.config import Target
from porting.mapping import Names
from porting.rules.dialect import is_hip_source
from porting.rules.project import Project
from porting.rules.unit import Unit
from porting.rules.warp.flow import Known
from porting.rules.warp.reading import read_masks
from porting.rules.warp.vocabulary import PRODUCERS
from porting.rules.warp.width import Widths
from porting.source import SourceFile

# Without one of these, and without a name that concerns masks, a file makes no lane mask.
_TRACES: Final = (*PRODUCERS, "lane", "Lane", "LANE", "warpSize", "_sync")


def with_lane_masks(project: Project, sources: Iterable[SourceFile]) -> Project:
    """Return the facts with those about lane masks, which only code for wavefronts has.

    A function in one file is known for a mask by what another file combines it with, and what it
    returns flows on from there: files are read until nothing is new.
    """
    if not project.asks_warp_size or project.counts_in_32:
        return project
    known, traces = Known(), _TRACES
    units: list[Unit] = []
    waiting = list(sources)
    while True:
        found = known
        units += _units(project, [s for s in waiting if any(t in s.text for t in traces)])
        waiting = [s for s in waiting if not any(t in s.text for t in traces)]
        for unit in units:
            _, told = read_masks(unit, found, wave=True)
            found = replace(told, shifts=())
        if found == known:
            return replace(project, lane_masks=known.functions, met_by_masks=known.demanded)
        known, traces = found, tuple(found.functions | found.demanded)


def _units(project: Project, sources: Iterable[SourceFile]) -> list[Unit]:
    """Return the files that are not written for HIP already, nor count in 32."""
    target = Target()
    names = Names.load(target.rocm)
    units = [Unit(source, target, names, project) for source in sources]
    return [unit for unit in units if not (is_hip_source(unit) or Widths(unit).logical)]
