"""Warps and wavefronts: masks, ballots, shuffles, votes, and the number of lanes."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.dialect import is_hip_source
from porting.rules.unit import Unit
from porting.rules.warp.codes import CODES
from porting.rules.warp.legacy import check_legacy
from porting.rules.warp.literals import check_literals
from porting.rules.warp.masks import check_masks
from porting.rules.warp.shuffles import check_shuffles
from porting.rules.warp.votes import check_votes
from porting.rules.warp.width import Widths

__all__ = ["CODES", "check"]

# Without one of these a file says nothing about warps.
_TRACES: Final = (
    *("threadIdx", "__shfl", "__ballot", "__any", "__all", "__match_", "__activemask"),
    *("__reduce_", "__syncwarp", "warp", "Warp", "WARP", "lane", "tid"),
)


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what depends on the number of lanes in a wavefront."""
    if not _concerns(unit) or is_hip_source(unit):
        return
    widths = Widths(unit)
    yield from check_shuffles(unit, widths)
    yield from check_votes(unit, widths)
    yield from check_legacy(unit, widths)
    yield from check_masks(unit, widths)
    yield from check_literals(unit, widths)


def _concerns(unit: Unit) -> bool:
    """Whether a file has a trace of warps, or a function that the tree uses as a lane mask."""
    text, project = unit.source.text, unit.project
    if any(trace in text for trace in _TRACES):
        return True
    return any(name in text for name in (*project.lane_masks, *project.met_by_masks))
