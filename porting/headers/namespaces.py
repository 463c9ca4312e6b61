"""C++ namespaces of CUDA's libraries as names for those of ROCm's."""

from collections.abc import Sequence
from typing import Final

from porting.headers.layout import comment
from porting.headers.uses import Uses
from porting.mapping import Names, Status

_CUB: Final = "cub"
_CUB_WIDTH: Final = (
    "CUB's warp primitives work on 32 lanes, hipCUB's on a wavefront unless they are told."
)
_CUB_HEADER: Final = "hipcub/hipcub.hpp"


def namespaces_text(uses: Uses, names: Names) -> str:
    """Return the aliases of the namespaces that a tree names, for C++."""
    inner: dict[str, list[str]] = {}
    declared: list[str] = []
    for path in uses.namespaces:
        known = names.namespace(path)
        if known is None or known.target is None or known.status is not Status.MAPPED:
            continue
        if path == _CUB and uses.cub_warps:
            continue
        declared.append(f"namespace {known.target} {{}}\n")
        outer, _, name = path.rpartition("::")
        inner.setdefault(outer, []).append(f"namespace {name} = ::{known.target};\n")
    blocks = [_block(outer, aliases) for outer, aliases in inner.items()]
    if _CUB in uses.namespaces and uses.cub_warps:
        blocks.append(_cub(uses))
    if not blocks:
        return ""
    return f"#if defined(__cplusplus)\n{''.join([*declared, *blocks])}#endif\n"


def _block(outer: str, aliases: Sequence[str]) -> str:
    if not outer:
        return "".join(aliases)
    # clang-format's ShortNamespaceLines: one line inside needs no comment at the end.
    end = "}\n" if len(aliases) == 1 else f"}}  // namespace {outer}\n"
    return f"namespace {outer} {{\n{''.join(aliases)}{end}"


def _cub(uses: Uses) -> str:
    """Return namespace cub with the warp primitives that a tree uses 32 lanes wide."""
    widths = "".join(
        f"template <typename T, int Lanes = 32>\nusing {name} = ::hipcub::{name}<T, Lanes>;\n"
        for name in uses.cub_warps
    )
    return (
        "namespace hipcub {}\nnamespace cub {\nusing namespace ::hipcub;\n}\n"
        f"#if defined(__HIPCC__) && __has_include(<{_CUB_HEADER}>)\n#include <{_CUB_HEADER}>\n\n"
        f"{comment(_CUB_WIDTH)}namespace cub {{\n{widths}}}  // namespace cub\n#endif\n"
    )
