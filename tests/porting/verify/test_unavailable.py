"""What this machine lacks is told, and nothing is verified for it: headers, programs, time."""

import shutil
import tempfile
from pathlib import Path

import pytest

from porting.config import Target
from porting.reports import Outcome, State
from porting.toolkits.sysroot import Sysroot
from porting.verify import VerifyRequest, verify
from tests.porting.verify.trees import GOOD, outcomes, write

REAL_CLANG = shutil.which("clang++-19")


def test_release_when_no_headers_exist(tmp_path: Path) -> None:
    root = write(tmp_path, {"a.cu": GOOD, "b.cu": GOOD})
    result = verify(VerifyRequest(root, Target(rocm="6.4", archs=("gfx942",))))
    assert [(s.state, s.verified, s.not_verified) for s in result.stages] == [
        (State.RAN, 0, 2),
        (State.RAN, 0, 2),
    ]
    (finding,) = result.diagnostics
    assert (finding.file, finding.code) == ("a.cu", "VER003")
    assert finding.message.startswith(
        "not verified: no headers of ROCm 6.4 exist on the package index; nearest: 6.2;"
    )


def test_stages_when_there_is_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECLOSION_CLANG", str(tmp_path / "no-clang"))
    root = write(tmp_path / "tree", {"a.cu": GOOD})
    result = verify(VerifyRequest(root))
    assert {stage.state for stage in result.stages} == {State.UNAVAILABLE}
    assert result.stages[0].reason.startswith("no clang that compiles HIP (")
    assert result.verdicts == {}


def test_stages_when_there_is_no_place_for_temporary_files(
    sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    root = write(tmp_path / "tree", {"a.cu": GOOD})
    result = verify(VerifyRequest(root))
    assert {stage.state for stage in result.stages} == {State.UNAVAILABLE}
    assert result.stages[0].reason.endswith("/gone: set TMPDIR")


def test_device_stage_when_the_linker_is_missing(
    sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler is on PATH, alone in its folder: it finds no lld beside itself nor on PATH."""
    script = tmp_path / "bin/clang++-19"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {REAL_CLANG} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent))
    root = write(tmp_path / "tree", {"a.cu": GOOD})
    host, device = verify(VerifyRequest(root)).stages
    assert (host.state, host.verified) == (State.RAN, 1)
    assert device.state is State.UNAVAILABLE
    assert device.reason == "ld.lld of clang 19 is missing; install lld-19"


def test_architecture_when_the_compiler_does_not_know_it(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"a.cu": GOOD, "b.cu": GOOD})
    result = verify(VerifyRequest(root, Target(archs=("gfx950", "gfx942"))))
    assert outcomes(result, "a.cu") == {
        ("host syntax", "", Outcome.VERIFIED),
        ("device code", "gfx950", Outcome.NOT_VERIFIED),
        ("device code", "gfx942", Outcome.VERIFIED),
    }
    (finding,) = result.diagnostics
    assert finding.message == "not verified: clang 19 cannot target gfx950 (gfx950)"


def test_unit_when_time_runs_out(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"a.cpp": "int f();\n"})
    result = verify(VerifyRequest(root, timeout=0.001))
    assert outcomes(result, "a.cpp") == {("host syntax", "", Outcome.NOT_VERIFIED)}
    (finding,) = result.diagnostics
    assert finding.message.startswith("not verified: clang did not finish in")
