"""Which names of a whole tree make lane masks, and which are combined with them."""

from collections.abc import Iterable
from dataclasses import replace

from porting.config import Target
from porting.mapping import Names
from porting.rules.dialect import is_hip_source
from porting.rules.project import Project
from porting.rules.unit import Unit
from porting.rules.warp.flow import Known
from porting.rules.warp.reading import read_masks
from porting.rules.warp.width import Widths
from porting.source import SourceFile


def with_lane_masks(project: Project, sources: Iterable[SourceFile]) -> Project:
    """Return the facts with those about lane masks, which only code for wavefronts has.

    A function in one file is known for a mask by what another file combines it with, and what it
    returns flows on from there: all files are read until nothing is new.
    """
    if not project.asks_warp_size or project.counts_in_32:
        return project
    target = Target()
    names = Names.load(target.rocm)
    units = [Unit(source, target, names, project) for source in sources]
    units = [unit for unit in units if not (is_hip_source(unit) or Widths(unit).logical)]
    known = Known()
    while True:
        found = known
        for unit in units:
            _, told = read_masks(unit, found, wave=True)
            found = replace(told, shifts=())
        if found == known:
            break
        known = found
    return replace(project, lane_masks=known.functions, met_by_masks=known.demanded)
