"""What the headers of a compat tree define of cooperative groups, where HIP lacks it."""

from typing import Final

from porting.config import Target
from porting.headers.layout import comment
from porting.headers.uses import Uses
from porting.mapping import Names, Status
from porting.rules.cooperative.definitions import LABELED_PARTITION, REDUCE
from porting.rules.cooperative.provided import HEADERS, PARTITION, SINCE

GROUPS_HEADER: Final = "hip/hip_cooperative_groups.h"
# HIP has the collectives of these in its one header, or lacks them.
COLLECTIVE_HEADERS: Final = "cooperative_groups/"
_BASE: Final = "cooperative_groups"
_IMPORTED: Final = f"""\
#if defined(__HIP__)
namespace {_BASE} {{
using ported::{PARTITION};
}}
#endif
"""


def definitions_for(path: str, uses: Uses, target: Target, names: Names) -> str:
    """Return the code behind the include of HIP's header in the one that stands for `path`."""
    if target.release < SINCE or not path.startswith(_BASE):
        return ""
    found = []
    if path in HEADERS and _is_lacking("reduce", names):
        about = comment("Reductions over the threads of a group, which HIP lacks.")
        found.append(about + REDUCE)
    if PARTITION in uses.names and _is_lacking(PARTITION, names):
        about = comment("Groups of the threads with one label, which HIP lacks.")
        found.append(about + LABELED_PARTITION + _IMPORTED)
    return "\n".join(found)


def _is_lacking(name: str, names: Names) -> bool:
    known = names.get(f"{_BASE}::{name}")
    return known is not None and known.status is Status.UNSUPPORTED
