"""What one compilation said: from a finished compiler to an outcome with its errors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from porting.errors import says_full_disk
from porting.processes import Ran
from porting.reports import Outcome
from porting.toolkits.sysroot import Header, Origin
from porting.verify import code_object
from porting.verify.messages import ClangError, errors
from porting.verify.sources import Unit
from porting.verify.toolchain import Toolchain

HOST = "host syntax"
DEVICE = "device code"
_CRASHED = re.compile(r"PLEASE submit a bug report|Stack dump:")


@dataclass(frozen=True)
class Job:
    """One compilation: a unit, a stage, and for device code the architecture."""

    unit: Unit
    stage: str
    arch: str = ""


@dataclass(frozen=True)
class Result:
    """The outcome of a job.  `errors` are clang's; `reason` says why nothing is known.

    `general`: the reason is the machine's or the target's, the same for every unit.
    """

    job: Job
    outcome: Outcome
    reason: str = ""
    errors: tuple[ClangError, ...] = ()
    headers: tuple[str, ...] = ()
    general: bool = False

    @property
    def missing_headers(self) -> tuple[str, ...]:
        """The headers that were not found."""
        return tuple(error.missing_header for error in self.errors if error.missing_header)


def not_compiled(job: Job, reason: str) -> Result:
    """Return the result of a job of which nothing is known."""
    return Result(job, Outcome.NOT_VERIFIED, reason)


def not_possible(job: Job, reason: str) -> Result:
    """Return the result of a job that nothing here can do, whatever its unit."""
    return Result(job, Outcome.NOT_VERIFIED, reason, general=True)


def judge(job: Job, done: Ran, output: Path, timeout: float) -> Result:
    """Return what a finished compilation says.

    A unit is verified when clang accepted it and, for device code, wrote a code object for the
    architecture that was asked for.  A header that is not there says nothing about the code: the
    unit is then neither verified nor, unless other errors came first, failed.
    """
    if unfinished := _unfinished(job, done, timeout):
        return unfinished
    if done.code == 0:
        wrong = code_object.wrong(output, job.arch) if job.stage == DEVICE else ""
        return not_compiled(job, wrong) if wrong else Result(job, Outcome.VERIFIED)
    found = tuple(errors(done.output))
    if not found:
        return not_compiled(job, f"clang gave no reason: {_first_line(done.output)}")
    missing = [error.missing_header for error in found if error.missing_header]
    if len(missing) == len(found):
        return Result(job, Outcome.NOT_VERIFIED, f"header {missing[0]}", found)
    return Result(job, Outcome.FAILED, "", found)


def _unfinished(job: Job, done: Ran, timeout: float) -> Result | None:
    """Return what kept a compiler from its end, None when nothing did."""
    if done.timed_out:
        return not_compiled(job, f"clang did not finish in {timeout:.0f} s")
    if done.code and says_full_disk(done.output):
        return not_possible(job, "no space was left for temporary files; set TMPDIR")
    if done.code < 0 or _CRASHED.search(done.output):
        return not_compiled(job, f"clang failed: {_first_line(done.output) or 'it was killed'}")
    return None


def headers_used(depends: Path, toolchain: Toolchain) -> tuple[str, ...]:
    """Return the headers of the ROCm tree, by its paths, that a dependency file lists."""
    try:
        text = depends.read_text(errors="replace")
    except OSError:
        return ()
    include = f"{toolchain.sysroot.include}/"
    listed = (name.replace("\\ ", " ") for name in re.split(r"(?<!\\)\s+", text))
    return tuple(sorted({n.removeprefix(include) for n in listed if n.startswith(include)}))


def foreign_headers(used: tuple[str, ...], headers: Mapping[str, Header], rocm: str) -> str:
    """Return a note on headers that are not AMD's own of this release, or ""."""
    borrowed = [n for n in used if n in headers and headers[n].foreign_to(rocm)]
    declared = [n for n in used if n in headers and headers[n].origin is Origin.GENERATED]
    parts = []
    for release in sorted({headers[name].rocm for name in borrowed}):
        names = [name for name in borrowed if headers[name].rocm == release]
        parts.append(f"headers of ROCm {release}: {', '.join(names)}")
    if declared:
        parts.append(f"declared from AMD's API stubs: {', '.join(declared)}")
    return "; ".join(parts)


def _first_line(text: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), "")
