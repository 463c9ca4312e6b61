"""Results of a run as stages with counts and verdicts per unit."""

from collections import Counter
from collections.abc import Mapping, Sequence

from porting.config import release_key
from porting.reports import Outcome, Stage, State, Verdict
from porting.toolkits.sysroot import Sysroot
from porting.verify.results import DEVICE, HOST, Result, foreign_headers

STAGES = (HOST, DEVICE)


def release_note(rocm: str) -> str:
    """Return what stands for a patch release, or "" for a minor one."""
    major, minor = release_key(rocm)
    headers = f"{major}.{minor}"
    if headers == rocm:
        return ""
    return f"headers of ROCm {headers} stand for {rocm}: same minor release"


def stages(
    results: Sequence[Result], unavailable: Mapping[str, str], note: str = ""
) -> tuple[Stage, ...]:
    """Return the stages with their counts; `unavailable` maps a stage to the reason."""
    counts = Counter((result.job.stage, result.outcome) for result in results)
    return tuple(
        Stage(
            name,
            State.UNAVAILABLE if name in unavailable else State.RAN,
            unavailable.get(name, ""),
            verified=counts[name, Outcome.VERIFIED],
            failed=counts[name, Outcome.FAILED],
            not_verified=counts[name, Outcome.NOT_VERIFIED],
            note=note,
        )
        for name in STAGES
    )


def verdicts(
    results: Sequence[Result], sysroot: Sysroot | None
) -> Mapping[str, tuple[Verdict, ...]]:
    """Return unit -> what each stage said of it, units sorted by path."""
    notes = {r.job.unit.path: _note(r, sysroot) for r in results if r.job.stage == HOST}
    found: dict[str, list[Verdict]] = {path: [] for path in sorted(notes)}
    for result in results:
        path = result.job.unit.path
        found[path].append(_verdict(result, notes[path]))
    return {path: tuple(items) for path, items in found.items()}


def _note(result: Result, sysroot: Sysroot | None) -> str:
    if sysroot is None:
        return ""
    return foreign_headers(result.headers, sysroot.headers, sysroot.rocm)


def _verdict(result: Result, note: str) -> Verdict:
    details = {
        Outcome.VERIFIED: note,
        Outcome.FAILED: f"{len(result.errors)} error{'s' * (len(result.errors) != 1)}",
        Outcome.NOT_VERIFIED: result.reason,
    }
    return Verdict(result.job.stage, result.job.arch, result.outcome, details[result.outcome])
