"""From a finished compiler to an outcome."""

from pathlib import Path

import pytest

from porting.processes import Ran
from porting.reports import Outcome
from porting.toolkits.sysroot import Header, Origin
from porting.verify.results import DEVICE, HOST, Job, foreign_headers, judge
from porting.verify.sources import Language, Unit

UNIT = Unit("a.cu", Language.HIP)
ERROR = "/t/a.cu:1:1: error: no\n"
MISSING = "/t/a.cu:2:1: fatal error: 'x.h' file not found\n"
FULL = "/t/a.cu:1:1: error: unable to make temporary file: No space left on device\n"
CRASH = "PLEASE submit a bug report to x\nStack dump:\n"


@pytest.mark.parametrize(
    ("done", "outcome", "reason"),
    [
        (Ran(0, ""), Outcome.VERIFIED, ""),
        (Ran(1, ERROR), Outcome.FAILED, ""),
        (Ran(1, MISSING), Outcome.NOT_VERIFIED, "header x.h"),
        (Ran(1, ERROR + MISSING), Outcome.FAILED, ""),
        (Ran(-9, "", timed_out=True), Outcome.NOT_VERIFIED, "clang did not finish in 5 s"),
        (Ran(-9, ""), Outcome.NOT_VERIFIED, "clang failed: it was killed"),
        (
            Ran(139, "PLEASE submit a bug report to x\nStack dump:\n"),
            Outcome.NOT_VERIFIED,
            "clang failed: PLEASE submit a bug report to x",
        ),
        (Ran(1, FULL), Outcome.NOT_VERIFIED, "no space was left for temporary files; set TMPDIR"),
        (
            Ran(70, CRASH + FULL),
            Outcome.NOT_VERIFIED,
            "no space was left for temporary files; set TMPDIR",
        ),
        (Ran(1, "odd\n"), Outcome.NOT_VERIFIED, "clang gave no reason: odd"),
    ],
)
def test_host_when_judged(done: Ran, outcome: Outcome, reason: str) -> None:
    result = judge(Job(UNIT, HOST), done, Path("/nothing"), 5)
    assert (result.outcome, result.reason) == (outcome, reason)


def test_device_when_the_compiler_says_yes_and_wrote_nothing(tmp_path: Path) -> None:
    """An exit code of 0 is no proof."""
    result = judge(Job(UNIT, DEVICE, "gfx942"), Ran(0, ""), tmp_path / "no.co", 5)
    assert result.outcome is Outcome.NOT_VERIFIED
    assert result.reason.startswith("clang wrote no code object")


def test_headers_when_of_another_release() -> None:
    headers = {
        "hip/a.h": Header(Origin.CORE, "7.1", ""),
        "hip/b.h": Header(Origin.OVERLAY, "6.2", ""),
        "c/c.h": Header(Origin.GENERATED, "7.1", ""),
        "d/d.h": Header(Origin.GENERATED, "10.0", ""),
    }
    assert foreign_headers(("hip/a.h",), headers, "7.1") == ""
    assert foreign_headers(tuple(headers), headers, "7.1") == (
        "headers of ROCm 10.0: d/d.h; headers of ROCm 6.2: hip/b.h; "
        "declared from AMD's API stubs: c/c.h, d/d.h"
    )
