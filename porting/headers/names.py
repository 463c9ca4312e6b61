"""Which entry of a compat header provides a CUDA name."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from porting.config import FOLLOWED_CUDA, Target
from porting.headers.device_properties import WARP_SIZE_NAMES, warp_size_entry
from porting.headers.entries import Entry, Group, Missing, Side
from porting.headers.fitting import INTEGERS
from porting.headers.functions import CXX_ONLY, function_entry, intrinsic_entry
from porting.headers.layout import define
from porting.headers.parts import part_names
from porting.headers.uses import Use, Uses
from porting.mapping import Name, Names, Status
from porting.rules.api.tags import TAGS
from porting.rules.names import CONVENTIONS, is_cudas
from porting.syntax import looks_like_cuda

_VERSION: Final = str(1000 * FOLLOWED_CUDA[0] + 10 * FOLLOWED_CUDA[1])
_VERSIONS: Final = ("CUDA_VERSION", "CUDART_VERSION")
# Types of libraries above the runtime are macros: their headers are included by those who use them.
_TYPED: Final = ("runtime", "driver")
# Structures that HIP declares and does not define: C knows them by their tag alone.
_TAGS_ALONE: Final = ("ihip", "_hip")
# Types of headers that hip_runtime.h does not include are macros for the same reason.
_ELSEWHERE: Final = (
    *("hipComplex", "hipFloatComplex", "hipDoubleComplex", "hipGLDeviceList", "hipRoundMode"),
    "hipStreamMemOp",
)
_CONSTANTS: Final = ("enumerator", "macro", "variable")


def entries_for(
    uses: Uses, target: Target, names: Names, declared: frozenset[str]
) -> Iterator[Entry | Missing]:
    """Yield an entry for every used name that HIP has not under the same name.

    `declared`: names that the tree declares itself; CUDA names among them that HIP lacks are its
    own.
    """
    provided = part_names()
    for use in uses.names.values():
        name = names.get(use.name)
        if name is None or use.name in provided or use.name == "warpSize":
            continue
        if use.name in CONVENTIONS:
            yield Entry(use.name, name.library, Group.CONSTANTS, define(use.name, ""))
        elif use.name in _VERSIONS:
            text = define(use.name, _VERSION)
            yield Entry(use.name, name.library, Group.CONSTANTS, text)
        elif name.name in WARP_SIZE_NAMES and WARP_SIZE_NAMES[name.name] & uses.names.keys():
            yield warp_size_entry(name)
        elif name.status is Status.UNCHANGED or _is_trees(name, declared):
            continue
        else:
            entry = _entry(use, name, target, names, uses.names.keys())
            if isinstance(entry, Entry) or is_cudas(name) or looks_like_cuda(name.name):
                yield entry


def _is_trees(name: Name, declared: frozenset[str]) -> bool:
    """Whether a name that HIP lacks is the tree's own, or guards a header of CUDA's."""
    is_guard = name.kind == "macro" and name.name.startswith("__") and name.name.endswith("H__")
    return name.target is None and (name.name in declared or is_guard)


def _entry(
    use: Use, name: Name, target: Target, names: Names, named: AbstractSet[str]
) -> Entry | Missing:
    if name.kind == "function":
        return function_entry(use, name, target, names, named)
    if name.kind == "intrinsic":
        return intrinsic_entry(use, name, target, names)
    if name.target is None:
        return Missing(name.name, name.library, name.reason, name.help)
    if name.kind == "type":
        return _type(use, name, name.target)
    if name.kind in _CONSTANTS:
        text = define(name.name, name.target)
        return Entry(name.name, name.library, Group.CONSTANTS, text)
    return Entry(name.name, name.library, Group.FUNCTIONS, define(name.name, name.target))


def _type(use: Use, name: Name, target: str) -> Entry:
    if name.name in INTEGERS:
        text = f"typedef unsigned long long {name.name};\n"
    elif use.is_tag or target.startswith(_TAGS_ALONE):
        text = define(name.name, TAGS.get(name.name, target))
    elif name.library in _TYPED and not target.startswith(_ELSEWHERE):
        text = f"typedef {target} {name.name};\n"
    else:
        text = define(name.name, target)
    side = Side.CXX if target in CXX_ONLY else Side.BOTH
    return Entry(name.name, name.library, Group.TYPES, text, side)
