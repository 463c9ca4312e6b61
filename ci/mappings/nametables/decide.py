"""Decide what becomes of each CUDA name: the best proposal that exists, else the reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nametables import candidates, evidence
from nametables.candidates import Proposal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nametables.cuda_names import CudaName
    from nametables.curated import Curated, Fact, Lifetime
    from nametables.hip_names import HipInventory


_TAG_SUFFIX = re.compile(r"(_enum|_st|_v1)$")
_KINDS = ("function", "type", "enumerator", "macro", "variable")
_TYPE_LOOK = re.compile(r"(_st|_t|_flags|Struct|Handle|Context|List|User)$")
_DEVICE = frozenset(("device", "fp16", "bf16", "fp8"))
_VERSION_SUFFIX = re.compile(r"_v[2-9]")
C_LIBRARIES = frozenset(
    (
        "runtime",
        "driver",
        "nccl",
        "nvrtc",
        "cublas",
        "cublaslt",
        "cufft",
        "curand",
        "cusparse",
        "cusparselt",
        "cusolver",
    )
)


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


_NOWHERE = evidence.Span("", "")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a struct's member becomes: `declared` is its name in AMD's files, `target` the shown."""

    target: str = ""
    declared: str = ""
    span: evidence.Span = _NOWHERE
    reason: str = ""
    help: str = ""


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
    best = _best(cuda, _proposals(cuda, fact, sources), sources)
    if best is None:
        return _unsupported(cuda, fact, sources)
    speaks = fact is not None and (fact.exact or fact.target is not None)
    return _mapped(cuda, *best, fact if speaks else None, sources)


def _best(
    cuda: CudaName, proposals: Iterator[Proposal], sources: Sources
) -> tuple[Proposal, evidence.Span] | None:
    """Return the first proposal that exists; where the interop stubs differ, the longest-lived.

    So a name that HIP has spelled in one way in all releases wins over a newer spelling.
    """
    best: tuple[Proposal, evidence.Span] | None = None
    for proposal in proposals:
        if best is not None and proposal.source != best[0].source:
            break
        found = evidence.span(sources.hip, proposal.target)
        if found is None or not _alike(cuda, proposal, sources):
            continue
        if proposal.source != "interop":
            return proposal, found
        if best is None or _life(found, sources) > _life(best[1], sources):
            best = (proposal, found)
    return best


def _life(span: evidence.Span, sources: Sources) -> tuple[bool, int]:
    return not span.last, -sources.hip.releases.index(span.first)


def _alike(cuda: CudaName, proposal: Proposal, sources: Sources) -> bool:
    """Tell whether what only a rule pairs is alike: a type with a type, calls with equal counts."""
    if proposal.source not in ("tag", "rule", "torch"):
        return True
    if cuda.kind == "type" and not sources.hip.is_type(proposal.target):
        return False
    here, there = cuda.arities, sources.hip.arities(proposal.target)
    if not here or not there:
        return True
    versioned = _VERSION_SUFFIX.search(cuda.name) and not _VERSION_SUFFIX.search(proposal.target)
    return here <= there if versioned else bool(here & there)


def _argument_note(cuda: CudaName, target: str, sources: Sources) -> str:
    """Say how the argument counts differ, or return an empty string."""
    here, there = cuda.arities, sources.hip.arities(target)
    if cuda.library not in C_LIBRARIES or not here or not there or here <= there:
        return ""
    return (
        f"{cuda.name} is declared with {_listed(here)} arguments, {target} takes {_listed(there)}"
    )


def _listed(counts: set[int]) -> str:
    return " or ".join(str(count) for count in sorted(counts))


def _proposals(cuda: CudaName, fact: Fact | None, sources: Sources) -> Iterator[Proposal]:
    if fact is not None and fact.target is not None:
        yield Proposal(fact.target, "curated")
        return
    for target in sources.interop.get(cuda.name, ()):
        yield Proposal(target, "interop")
    base = _TAG_SUFFIX.sub("", cuda.name)
    for target in sources.interop.get(base, ()) if base != cuda.name else ():
        yield Proposal(target, "tag")
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
    known = sources.curated.lifetime(proposal.target)
    where = evidence.cite(sources.hip, proposal.target)
    if known is not None:
        found = _known(found, known)
        where = f"{where}; releases: {known.source}"
    note = (fact.reason if fact else "") or _argument_note(cuda, proposal.target, sources)
    plain = "none" if proposal.target == cuda.name else "rename"
    differs = "arguments" if note and not (fact and fact.reason) else plain
    return Record(
        cuda.name,
        cuda.library,
        _kind(cuda, proposal.target, sources),
        _declared(cuda),
        proposal.target,
        (fact.action if fact else "") or differs,
        found.first,
        found.last,
        note,
        fact.help if fact else "",
        f"{where}; {fact.source}" if fact and fact.source else where,
        proposal.source,
    )


def member(full: str, cuda: CudaName, verdict: Verdict, sources: Sources) -> Record:
    """Return the record of a struct's member."""
    same = verdict.target.partition("::")[2] == full.partition("::")[2]
    cite = sources.searched[cuda.library]
    if verdict.target:
        cite = evidence.cite(sources.hip, verdict.declared)
    return Record(
        full,
        cuda.library,
        "field",
        _declared(cuda),
        verdict.target,
        "rename" if verdict.target and not same else "none",
        verdict.span.first,
        verdict.span.last,
        verdict.reason,
        verdict.help,
        cite,
        "member",
    )


def _known(found: evidence.Span, known: Lifetime) -> evidence.Span:
    """Return a span with its ends moved to where a curated fact puts them."""
    first = found.first if known.first is None else known.first
    return evidence.Span(first, found.last if known.last is None else known.last)


def _unsupported(cuda: CudaName, fact: Fact | None, sources: Sources) -> Record:
    default = sources.curated.defaults.get(cuda.library)
    reason = (fact.reason if fact else "") or (default.reason if default else "")
    advice = (fact.help if fact else "") or (default.help if default else "")
    searched = sources.searched[cuda.library]
    return Record(
        cuda.name,
        cuda.library,
        _kind(cuda, "", sources),
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


def _kind(cuda: CudaName, target: str, sources: Sources) -> str:
    """Return the kind to show: functions of the device libraries are intrinsics.

    A name that no declaration was found for has the kind of its counterpart, or looks like one.
    """
    if cuda.kind not in ("used", "legacy", "using"):
        return "intrinsic" if cuda.kind == "function" and cuda.library in _DEVICE else cuda.kind
    if target:
        kinds = {entry.kind for entry in sources.hip.names[target]}
        return next((kind for kind in _KINDS if kind in kinds), "function")
    if cuda.name.isupper() or cuda.name.startswith(("CU_", "NV")):
        return "macro"
    return "type" if _TYPE_LOOK.search(cuda.name) else "function"


def _declared(cuda: CudaName) -> str:
    if not cuda.header:
        return "no header of the toolkits read; known from AMD's or torch's table"
    return f"{cuda.header} ({', '.join(sorted(cuda.toolkits, key=_version))})"


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
