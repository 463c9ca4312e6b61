"""Find the parts of cooperative groups that HIP lacks or has later."""

from collections.abc import Callable, Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.mapping import Status
from porting.rules.cooperative import provided
from porting.rules.cooperative.codes import ABSENT, NESTED, SIXTY_FOUR, TOO_WIDE, WRITTEN
from porting.rules.cooperative.groups import NAMESPACE, Group, Groups, Kind
from porting.rules.cooperative.votes import BALLOTS, MATCHES, SINCE, check_votes, is_plain
from porting.rules.dialect import is_hip_source
from porting.rules.unit import Unit
from porting.rules.warp.declarations import declaration_at
from porting.rules.warp.places import enclosing_call
from porting.rules.warp.vocabulary import COUNTERS
from porting.rules.warp.width import integer
from porting.syntax import Call, HeaderName, call_at, statement_start

_NESTED: Final = (7, 1)
_SPLIT_BARRIERS: Final = (7, 12)
_WAVE: Final = 64
# Names of the namespace that releases lack; the tables know which.  Where the tables know more than
# these, the plain names rule speaks.
_NAMES: Final = (
    *("reduce", "reduce_update_async", "reduce_store_async", "inclusive_scan", "exclusive_scan"),
    *("inclusive_scan_update", "exclusive_scan_update", "memcpy_async", "wait", "wait_prior"),
    *("invoke_one", "invoke_one_broadcast", "labeled_partition", "binary_partition"),
    *("this_cluster", "cluster_group", "block_tile_memory", "this_thread"),
)
_COLLECTIVE_HEADER: Final = "cooperative_groups/"
_ONLY_HEADER: Final = "hip/hip_cooperative_groups.h"
_DIMENSIONS: Final = {
    (Kind.GRID, "dim_blocks"): "gridDim",
    (Kind.GRID, "group_dim"): "gridDim",
    (Kind.GRID, "block_index"): "blockIdx",
}


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield the uses of cooperative groups that HIP does not take as they are."""
    groups = Groups(unit)
    if not groups.is_used or is_hip_source(unit):
        return
    yield from _headers(unit)
    for name in _NAMES:
        for place in unit.where(name):
            if groups.is_meant(place) and _is_used(unit, place):
                yield from _function(unit, place)
    yield from _partitions(unit, groups)
    yield from check_votes(unit, groups)
    for name, member in _MEMBERS.items():
        for place in unit.where(name):
            if unit.tokens[place - 1].text in (".", "->"):
                yield from member(unit, groups, place)


def _is_used(unit: Unit, place: int) -> bool:
    """Whether the name is called, or used as a type; not part of a using declaration."""
    start = statement_start(unit.tokens, place)
    return unit.tokens[start].text not in ("using", "namespace")


def _function(unit: Unit, place: int) -> Iterator[Diagnostic]:
    """Report a name of the namespace that the target release lacks."""
    name = unit.tokens[place]
    known = unit.names.get(f"{NAMESPACE}::{name.text}")
    if name.text == "binary_partition" and unit.target.release >= SINCE:
        return  # a template of AMD's header since the votes of groups are there
    if known is None or known.status is not Status.UNSUPPORTED:
        return
    if name.text == "reduce" and provided.has_reduce(unit):
        message = "reduce() is the definition that stands where its header was included"
        yield unit.diagnose(WRITTEN, name, message, symbol=name.text)
        return
    if name.text == "labeled_partition" and (edits := provided.partition(unit, name)):
        message = "labeled_partition() is a definition behind the include of the header"
        yield unit.diagnose(WRITTEN, name, message, symbol=name.text, edits=edits)
        return
    yield unit.diagnose(
        ABSENT,
        name,
        f"{NAMESPACE}::{name.text} is not in HIP {unit.target.rocm}: {known.reason}",
        help=known.help,
        symbol=name.text,
    )


def _headers(unit: Unit) -> Iterator[Diagnostic]:
    """Include HIP's one header in place of those of the collectives, which it lacks."""
    for header in unit.headers:
        if not header.is_include or not header.path.startswith(_COLLECTIVE_HEADER):
            continue
        known = unit.names.header(header.path)
        if known is None or known.status is Status.UNSUPPORTED:
            yield _header(unit, header)


def _header(unit: Unit, header: HeaderName) -> Diagnostic:
    message = f"{_ONLY_HEADER} is included in place of {header.path}"
    edits = [Edit(header.start, header.end, _ONLY_HEADER, header.path)]
    if provided.defines_reduce(unit, header):
        message += ", and reduce() is defined behind it"
        edits.append(provided.reduce_behind(unit, header))
    return unit.diagnose(WRITTEN, header.start, message, symbol=header.path, edits=edits)


def _partitions(unit: Unit, groups: Groups) -> Iterator[Diagnostic]:
    for place in unit.where("tiled_partition"):
        call = call_at(unit.tokens, place)
        if call is None or not groups.is_meant(place):
            continue
        size = integer(unit.tokens[place + 2]) if unit.tokens[place + 1].text == "<" else None
        if size is not None and size > min(unit.target.wave_sizes):
            yield _too_wide(unit, place, size)
        elif unit.tokens[place + 1].text == "<" and len(call.arguments) == 1:
            yield from _nested(unit, groups, call)


def _too_wide(unit: Unit, place: int, size: int) -> Diagnostic:
    narrow = sorted(arch for arch in unit.target.archs if size > _lanes(arch))
    return unit.diagnose(
        TOO_WIDE,
        unit.tokens[place],
        f"a tile of {size} threads does not fit in a wavefront of {', '.join(narrow)}",
        help="use the block, or tiles of 32",
    )


def _lanes(arch: str) -> int:
    return _WAVE if int(arch[3:-2]) <= 9 else _WAVE // 2  # noqa: PLR2004 - gfx9


def _nested(unit: Unit, groups: Groups, call: Call) -> Iterator[Diagnostic]:
    """Cut a tile of a tile from the block, where HIP cannot nest."""
    argument = call.arguments[0]
    outer = groups.of(argument.first) if argument.last - argument.first == 1 else None
    if unit.target.release >= _NESTED or outer is None or outer.kind is not Kind.TILE:
        return
    tokens = unit.tokens
    name = tokens[call.name]
    message = "a tile of a tile came with ROCm 7.1"
    if outer.parent not in (Kind.BLOCK, None) or _asks_meta_group(unit):
        yield unit.diagnose(
            NESTED,
            name,
            f"{message}, and this one cannot be cut from the block",
            help="cut it with tiled_partition from this_thread_block()",
        )
        return
    first = call.name
    while tokens[first - 1].text == "::":
        first -= 2
    qualifier = unit.text_of(first, call.name)
    start, end = tokens[argument.first].start, tokens[argument.last - 1].end
    edit = Edit(start, end, f"{qualifier}this_thread_block()", name.text)
    yield unit.diagnose(
        NESTED,
        name,
        f"{message}: it is cut from the block instead, which holds the same threads",
        help="check that meta_group_rank() and meta_group_size() of it are not used elsewhere",
        edits=[edit],
    )


def _asks_meta_group(unit: Unit) -> bool:
    return bool(unit.where("meta_group_rank") or unit.where("meta_group_size"))


def _receiver(groups: Groups, place: int) -> tuple[int, Group] | None:
    """Return the first token of `group.member` and the group, when it is a plain known name."""
    at = place - 2
    group = groups.of(at)
    return None if group is None else (at, group)


def _vote(unit: Unit, groups: Groups, place: int) -> Iterator[Diagnostic]:
    """Write a tile's vote with the wavefront's ballot; `check_votes` has the others."""
    found = _receiver(groups, place)
    call = call_at(unit.tokens, place)
    if found is None or call is None:
        return
    first, group = found
    name = unit.tokens[place]
    if group.kind is Kind.COALESCED and name.text not in ("any", "all"):
        yield from _cut(unit, place)
    if is_plain(group, name.text) and len(call.arguments) == 1:
        yield _tile_vote(unit, call, first, group.size)


def _tile_vote(unit: Unit, call: Call, first: int, size: int) -> Diagnostic:
    """Read the tile's lanes from the wavefront's ballot: tiles are aligned to their size.

    HIP's own members exist from ROCm 7.0 on, and stop the kernel when a thread of the tile has
    returned (unless NDEBUG is defined).
    """
    tokens = unit.tokens
    name = tokens[call.name].text
    lanes = f"__lane_id() & {_WAVE - size}"
    mask = f"0x{(1 << size) - 1:x}u"
    opening, closing, ending = "(__ballot(", "", f" >> ({lanes}) & {mask})"
    if name == "any":
        opening, ending = "((__ballot(", f" >> ({lanes}) & {mask}) != 0)"
    elif name == "all":
        opening, closing, ending = "((__ballot(!(", ")", f" >> ({lanes}) & {mask}) == 0)"
    close = tokens[call.close]
    edits = [Edit(tokens[first].start, tokens[call.open].end, opening, name)]
    if closing:
        edits.append(Edit(close.start, close.start, closing, name))
    edits.append(Edit(close.end, close.end, ending, name))
    return unit.diagnose(
        WRITTEN,
        tokens[call.name],
        f"{name} of a tile of {size} is written with the wavefront's ballot",
        edits=edits,
    )


def _cut(unit: Unit, place: int) -> Iterator[Diagnostic]:
    """Report a 64-bit vote that is counted or kept in 32 bits."""
    tokens = unit.tokens
    function = unit.functions.around(place)
    if function is None:
        return
    call = enclosing_call(unit, function, place - 2)
    narrow = call is not None and tokens[call].text in COUNTERS
    start = statement_start(tokens, place)
    for at in range(start + 1, place):
        if tokens[at].text == "=":
            declaration = declaration_at(tokens, at - 1)
            narrow |= declaration is not None and not (declaration.wide or declaration.deduced)
    if narrow:
        yield unit.diagnose(
            SIXTY_FOUR,
            tokens[place],
            f"{tokens[place].text} of a coalesced group has up to 64 bits and is kept in 32",
            help="use unsigned long long, __popcll and __ffsll",
        )


def _num_threads(unit: Unit, groups: Groups, place: int) -> Iterator[Diagnostic]:
    """Write num_threads(), which came with ROCm 7.0, by its older name."""
    if _receiver(groups, place) is None:
        return
    name = unit.tokens[place]
    yield unit.diagnose(
        WRITTEN,
        name,
        "num_threads() came with ROCm 7.0 and is size()",
        edits=[Edit(name.start, name.end, "size", name.text)],
    )


def _dimension(unit: Unit, groups: Groups, place: int) -> Iterator[Diagnostic]:
    found = _receiver(groups, place)
    call = call_at(unit.tokens, place)
    if found is None or call is None:
        return
    first, group = found
    tokens = unit.tokens
    name = tokens[place]
    if group.kind is Kind.BLOCK and name.text == "dim_threads":
        edit = Edit(name.start, name.end, "group_dim", name.text)
    elif (group.kind, name.text) in _DIMENSIONS:
        new = _DIMENSIONS[group.kind, name.text]
        edit = Edit(tokens[first].start, tokens[call.close].end, new, name.text)
    else:
        return
    message = f"{name.text}() is written as {edit.replacement}"
    yield unit.diagnose(WRITTEN, name, message, edits=[edit])


def _later(unit: Unit, groups: Groups, place: int) -> Iterator[Diagnostic]:
    """Report members that came with ROCm 7.12."""
    found = _receiver(groups, place)
    if found is None or unit.target.release >= _SPLIT_BARRIERS:
        return
    name = unit.tokens[place]
    yield unit.diagnose(
        ABSENT,
        name,
        f"{found[1].kind}::{name.text} is not in HIP before ROCm 7.12",
        help="use sync(), and blockIdx and gridDim for ranks of blocks",
    )


Member = Callable[[Unit, Groups, int], Iterator[Diagnostic]]
_MEMBERS: Final[dict[str, Member]] = {
    **dict.fromkeys((*BALLOTS, *MATCHES), _vote),
    "num_threads": _num_threads,
    **dict.fromkeys(("dim_threads", "dim_blocks", "group_dim", "block_index"), _dimension),
    **dict.fromkeys(("barrier_arrive", "barrier_wait", "block_rank", "num_blocks"), _later),
}
