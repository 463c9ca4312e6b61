"""Decide what becomes of the members of structs that HIP has too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nametables import decide, evidence
from nametables.decide import C_LIBRARIES, Record, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from nametables.cuda_names import CudaName
    from nametables.decide import Sources

_WITH_STRUCTS = C_LIBRARIES - {"curand"}
_TAG = re.compile(r"(_st|_v\d+|_union)+$")


def decide_all(
    cuda: Iterable[CudaName], types: Mapping[str, Record], sources: Sources
) -> Iterator[Record]:
    """Yield a record per member of each struct that HIP has; the others have their own record."""
    done: set[str] = set()
    for name in cuda:
        member = name.name.partition("::")[2]
        if name.kind != "field" or name.library not in _WITH_STRUCTS or member.startswith("__"):
            continue
        struct = _user_name(name.owner, types)
        full = f"{struct}::{member}"
        if struct and full not in done:
            done.add(full)
            yield _member(full, name, types[struct].target, sources)


def _user_name(tag: str, types: Mapping[str, Record]) -> str:
    """Return the name that users give a struct, if HIP has the struct."""
    for name in (_TAG.sub("", tag), tag):
        if name in types and types[name].target and name[:2].lower() in ("cu", "nc", "te"):
            return name
    return ""


def _member(full: str, cuda: CudaName, struct: str, sources: Sources) -> Record:
    fact = sources.curated.exact.get(full)
    name = full.partition("::")[2]
    reason, advice = (fact.reason, fact.help) if fact else ("", "")
    for target in [fact.target] if fact and fact.target else _spellings(struct, name):
        found = evidence.span(sources.hip, target)
        if found is not None:
            shown = f"{struct}::{target.partition('::')[2]}"
            verdict = Verdict(shown, target, found, reason, advice)
            return decide.member(full, cuda, verdict, sources)
    lacking = Verdict(
        reason=reason or f"{struct} has no member {name}",
        help=advice or "guard the use with a HIP branch",
    )
    return decide.member(full, cuda, lacking, sources)


def _spellings(struct: str, member: str) -> list[str]:
    """Return how headers and stubs may call a member: by typedef, by tag, by versioned tag."""
    base = struct.removesuffix("_t")
    owners = [struct, f"{struct}R0600", base, f"{base}_t", f"{base}_st", f"{struct}_st"]
    owners += [f"{base}_union", f"_{struct}"]
    return [f"{owner}::{member}" for owner in owners]
