"""Decide what becomes of each CUDA name: the best proposal that exists, else the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nametables import candidates, evidence
from nametables.candidates import Proposal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nametables.cuda_names import CudaName
    from nametables.curated import Curated, Fact
    from nametables.hip_names import HipInventory


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a table: a CUDA name and what stands for it from release to release."""

    name: str
    library: str
    kind: str
    declared: str
    target: str
    action: str
    first: str
    last: str
    reason: str
    help: str
    cite: str
    source: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything a decision rests on."""

    hip: HipInventory
    curated: Curated
    interop: Mapping[str, tuple[str, ...]]
    torch: Mapping[str, str]
    searched: Mapping[str, str]


def decide(cuda: CudaName, sources: Sources) -> Record:
    """Return the record of one CUDA name."""
    fact = sources.curated.fact(cuda.name, cuda.library)
    best = _best(_proposals(cuda, fact, sources), sources)
    if best is None:
        return _unsupported(cuda, fact, sources)
    return _mapped(cuda, *best, fact, sources)


def _best(proposals: Iterator[Proposal], sources: Sources) -> tuple[Proposal, evidence.Span] | None:
    """Return the proposal of the best source that exists; of one source's, the longest-lived.

    So a name that HIP has spelled in one way in all releases wins over a newer spelling.
    """
    order = sources.hip.releases
    best: tuple[Proposal, evidence.Span] | None = None
    for proposal in proposals:
        if best is not None and proposal.source != best[0].source:
            break
        found = evidence.span(sources.hip, proposal.target)
        if found is None:
            continue
        if best is None or (not found.last, -order.index(found.first)) > (
            not best[1].last,
            -order.index(best[1].first),
        ):
            best = (proposal, found)
    return best


def _proposals(cuda: CudaName, fact: Fact | None, sources: Sources) -> Iterator[Proposal]:
    if fact is not None and fact.target is not None:
        yield Proposal(fact.target, "curated")
        return
    for target in sources.interop.get(cuda.name, ()):
        yield Proposal(target, "interop")
    yield Proposal(cuda.name, "same")
    for target in candidates.by_rule(cuda.name, cuda.library):
        yield Proposal(target, "rule")
    if cuda.name in sources.torch:
        yield Proposal(sources.torch[cuda.name], "torch")


def _mapped(
    cuda: CudaName,
    proposal: Proposal,
    found: evidence.Span,
    fact: Fact | None,
    sources: Sources,
) -> Record:
    known = sources.curated.since.get(proposal.target)
    found = replace(found, first=known[0]) if known else found
    where = evidence.cite(sources.hip, proposal.target)
    cite = f"{where}; first release: {known[1]}" if known else where
    same = proposal.target == cuda.name
    action = (fact.action if fact else "") or ("none" if same else "rename")
    return Record(
        cuda.name,
        cuda.library,
        cuda.kind,
        _declared(cuda),
        proposal.target,
        action,
        found.first,
        found.last,
        fact.reason if fact else "",
        fact.help if fact else "",
        f"{cite}; {fact.source}" if fact and fact.source else cite,
        proposal.source,
    )


def _unsupported(cuda: CudaName, fact: Fact | None, sources: Sources) -> Record:
    default = sources.curated.defaults.get(cuda.library)
    reason = (fact.reason if fact else "") or (default.reason if default else "")
    advice = (fact.help if fact else "") or (default.help if default else "")
    searched = sources.searched[cuda.library]
    return Record(
        cuda.name,
        cuda.library,
        cuda.kind,
        _declared(cuda),
        "",
        "none",
        "",
        "",
        reason,
        advice,
        f"{searched}; {fact.source}" if fact and fact.source else searched,
        "curated" if fact else "",
    )


def _declared(cuda: CudaName) -> str:
    return f"{cuda.header} ({', '.join(sorted(cuda.toolkits, key=_version))})"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
