"""Whole trees through real compilers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from porting.config import Target
from porting.diagnostics import Diagnostic, Severity
from porting.errors import InputError
from porting.reports import Outcome, State
from porting.toolkits.sysroot import Sysroot
from porting.verify import STAGES, Verification, VerifyRequest, verify
from tests.porting.verify.trees import GOOD, RUNTIME, outcomes, write

# Compilers work for seconds on the tree that most tests look at: once, not in each worker.
pytestmark = pytest.mark.xdist_group("verified tree")

REAL_CLANG = shutil.which("clang++-19")
ARCHS = ("gfx90a", "gfx1100")
TREE = {
    "src/good.cu": f'#include "demo/shared.h"\n{GOOD}void f(float *p) {{ k<<<1, 2>>>(p); }}\n',
    "src/host.cpp": "#include <hip/hip_runtime_api.h>\nint f() { return hipInit(0); }\n",
    "src/plain.c": "#include <string.h>\nint g(const char *s) { return (int)strlen(s); }\n",
    "src/half.cu": f"#include <hip/hip_fp16.h>\n{GOOD}",
    "src/blas.cpp": "#include <hipblas/hipblas.h>\nhipblasHandle_t h;\n",
    "include/demo/shared.h": "#pragma once\ninline int shared() { return 1; }\n",
    "bad/a.cu": f'#include "broken.h"\n{GOOD}',
    "bad/b.cu": f'#include "broken.h"\n{GOOD}',
    "bad/broken.h": f"{RUNTIME}inline int broken() {{ return hipNothing(); }}\n",
    "bad/template.cu": (
        f"{RUNTIME}template <class T> __device__ int get(T t) {{ return t.x; }}\n"
        "__global__ void k(int *p) { p[0] = get(p[1]); }\n"
    ),
    "bad/rdna.cu": (
        f"{RUNTIME}__global__ void k(int *p) {{\n"
        '  asm volatile("v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]");\n  p[0] = 1;\n}\n'
    ),
    "open/cub.cu": f"{RUNTIME}#include <hipcub/hipcub.hpp>\n{GOOD}",
    "open/lonely.cuh": f"{RUNTIME}__device__ inline int lonely() {{ return 1; }}\n",
    "open/plain.cpp": "int f() { return unknown; }\n",
    "open/needy.cuh": "__device__ inline Unknown needy();\n",
}


@pytest.fixture(scope="module")
def verified(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Verification:
    """Return what verify says of TREE, its findings mapped to an input named in/."""
    root = write(tmp_path_factory.mktemp("tree"), TREE)
    target = Target(archs=ARCHS)

    def origin(file: str, line: int) -> tuple[str, int]:
        return f"in/{file}", line + 100

    return verify(VerifyRequest(root, target, origin=origin))


def findings(verification: Verification, file: str) -> list[Diagnostic]:
    """Return the findings in a file of TREE."""
    return [d for d in verification.diagnostics if d.file == f"in/{file}"]


def everywhere(outcome: Outcome) -> set[tuple[str, str, Outcome]]:
    """Return one outcome for the host and every architecture."""
    return {("host syntax", "", outcome)} | {("device code", arch, outcome) for arch in ARCHS}


@pytest.mark.parametrize("path", ["src/good.cu", "src/half.cu"])
def test_unit_when_it_compiles(verified: Verification, path: str) -> None:
    assert outcomes(verified, path) == everywhere(Outcome.VERIFIED)
    assert findings(verified, path) == []


@pytest.mark.parametrize("path", ["src/host.cpp", "src/plain.c", "src/blas.cpp"])
def test_unit_when_it_has_no_device_code(verified: Verification, path: str) -> None:
    assert outcomes(verified, path) == {("host syntax", "", Outcome.VERIFIED)}


def test_unit_when_it_used_headers_of_another_release(verified: Verification) -> None:
    details = {verdict.detail for verdict in verified.verdicts["src/half.cu"]}
    assert details == {"headers of ROCm 6.2: hip/amd_detail/amd_hip_fp16.h, hip/hip_fp16.h"}
    (blas,) = verified.verdicts["src/blas.cpp"]
    assert "declared from AMD's API stubs: hipblas/hipblas.h" in blas.detail
    assert {verdict.detail for verdict in verified.verdicts["src/good.cu"]} == {""}


def test_error_when_in_a_header_of_two_units(verified: Verification) -> None:
    for path in ("bad/a.cu", "bad/b.cu"):
        assert outcomes(verified, path) == everywhere(Outcome.FAILED)
    (finding,) = findings(verified, "bad/broken.h")
    assert (finding.code, finding.severity) == ("VER001", Severity.ERROR)
    assert (finding.line, finding.column) == (102, 30)
    assert finding.message.startswith("use of undeclared identifier 'hipNothing'")
    assert finding.help == "in the output: bad/broken.h:2, compiling bad/a.cu and 1 more"


def test_error_when_in_an_instantiation(verified: Verification) -> None:
    (finding,) = findings(verified, "bad/template.cu")
    assert finding.line == 102
    assert "is not a structure or union" in finding.message


def test_error_when_only_one_architecture_has_it(verified: Verification) -> None:
    assert outcomes(verified, "bad/rdna.cu") == {
        ("host syntax", "", Outcome.VERIFIED),
        ("device code", "gfx90a", Outcome.VERIFIED),
        ("device code", "gfx1100", Outcome.FAILED),
    }
    messages = [finding.message for finding in findings(verified, "bad/rdna.cu")]
    assert messages
    assert all(message.endswith(" (gfx1100)") for message in messages)


def test_header_when_nobody_has_it(verified: Verification) -> None:
    assert outcomes(verified, "open/cub.cu") == everywhere(Outcome.NOT_VERIFIED)
    (finding,) = findings(verified, "open/cub.cu")
    assert (finding.code, finding.severity, finding.line) == ("VER002", Severity.WARNING, 102)
    assert finding.message == "not verified: header hipcub/hipcub.hpp"
    assert finding.symbol == "hipcub/hipcub.hpp"


def test_header_when_no_unit_includes_it(verified: Verification) -> None:
    assert outcomes(verified, "open/lonely.cuh") == {("host syntax", "", Outcome.VERIFIED)}
    assert outcomes(verified, "open/needy.cuh") == {("host syntax", "", Outcome.NOT_VERIFIED)}
    (finding,) = findings(verified, "open/needy.cuh")
    assert (finding.code, finding.severity) == ("VER003", Severity.WARNING)
    assert "no unit includes this header" in finding.message


def test_unit_when_it_fails_without_anything_of_a_gpu(verified: Verification) -> None:
    assert outcomes(verified, "open/plain.cpp") == {("host syntax", "", Outcome.NOT_VERIFIED)}
    (finding,) = findings(verified, "open/plain.cpp")
    assert (finding.code, finding.severity) == ("VER003", Severity.WARNING)
    assert finding.message == (
        "not verified: this unit has nothing of a GPU and fails here: "
        "use of undeclared identifier 'unknown'"
    )


def test_stages_when_counted(verified: Verification) -> None:
    host, device = verified.stages
    assert (host.name, device.name) == STAGES == ("host syntax", "device code")
    assert (host.verified, host.failed, host.not_verified) == (7, 3, 3)
    assert (device.verified, device.failed, device.not_verified) == (5, 7, 2)
    assert {host.state, device.state} == {State.RAN}


def test_file_when_given_alone(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"one.cu": GOOD, "other.cu": "nonsense\n"})
    result = verify(VerifyRequest(root / "one.cu", Target(archs=("gfx942",))))
    assert list(result.verdicts) == ["one.cu"]
    assert result.diagnostics == ()


def test_root_when_missing(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"/no does not exist; give a ported tree or a file of one$"
    ):
        verify(VerifyRequest(tmp_path / "no"))


def test_tree_when_it_has_no_unit(sysroot: Sysroot, tmp_path: Path) -> None:
    result = verify(VerifyRequest(tmp_path))
    assert [stage.state for stage in result.stages] == [State.RAN, State.RAN]
    assert (result.verdicts, result.diagnostics) == ({}, ())


def test_header_when_its_name_is_the_systems(sysroot: Sysroot, tmp_path: Path) -> None:
    """Folders guessed for other headers must not put the tree's string.h before the system's."""
    files = {
        "a.cpp": '#include <string>\n#include "mine.h"\nint n = MINE + (int)strlen("a");\n',
        "lib/mine.h": "#include <string.h>\n#define MINE 1\n",
        "lib/string.h": "#error the wrong string.h\n",
    }
    root = write(tmp_path, {**files, "b.cpp": '#include "lib/string.h"\n'})
    result = verify(VerifyRequest(root))
    assert outcomes(result, "a.cpp") == {("host syntax", "", Outcome.VERIFIED)}
    assert outcomes(result, "b.cpp") == {("host syntax", "", Outcome.NOT_VERIFIED)}


def test_progress_when_shown(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"a.cu": GOOD, "b.cpp": "int f();\n"})
    seen: list[tuple[int, int]] = []
    verify(
        VerifyRequest(root, Target(archs=("gfx942",))),
        lambda done, total, _path: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


INTERRUPTED = """
import os, sys
from pathlib import Path
from porting.verify import VerifyRequest, verify
try:
    verify(VerifyRequest(Path(sys.argv[1])))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.usefixtures("signals_that_end")
def test_verify_when_interrupted(sysroot: Sysroot, tmp_path: Path) -> None:
    """A compiler that reports its start and never ends stands in for a slow one."""
    os.mkfifo(tmp_path / "started")
    compiler = tmp_path / "clang++"
    compiler.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *slow.cpp*) echo $$ > {tmp_path}/started; exec sleep 60 ;; esac\n'
        f'exec {REAL_CLANG} "$@"\n'
    )
    compiler.chmod(0o755)
    root = write(tmp_path / "tree", {"slow.cpp": ""})
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(root)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ECLOSION_CLANG": str(compiler), "TMPDIR": str(scratch)},
    )
    child = int((tmp_path / "started").read_text())
    process.send_signal(2)
    output, _ = process.communicate(timeout=30)
    assert output == "interrupted\n"
    assert not Path(f"/proc/{child}").exists()
    assert list(scratch.iterdir()) == []
