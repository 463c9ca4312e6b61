"""The example codebase, ported as a user would port it, and a copy with undecidable constructs.

What in the example exercises which family of rules:

    includes       every file; <nccl.h>, <cublas_v2.h>, <nvtx3/...>, <math_constants.h>
    kernel launch  launch.cuh (variadic macro, parenthesised template), moments.cu
    symbols        histogram.cu: copies to __constant__ and from __device__ in a check macro
    signatures     cudaFuncSetAttribute on a template, 3-argument cudaGraphInstantiate
    token pasting  driver.h, driver.cpp: X-macros of driver functions, members name##_, _v2 names
    strings        driver.cpp, nccl_bridge.cpp: libraries by dlopen, the messages beside them
    handles        vmm_arena.cpp: CUdeviceptr sums, differences, casts from and to other types
    warp masks     lanes.cuh: full mask, ballot, match, popc/ffs, 1u << lane, a mask returned
    warp size      lanes.cuh, scan.cu: warpSize at run time, room per warp, tiles of 16
    inline PTX     lanes.cuh: laneid, lanemask_lt, bfe, prmt
    coop groups    scan.cu: tiled_partition, grid sync, cooperative launch
    half, bf16     convert.cuh, pack.cu: pair types, raw pairs, a CAS loop on half2
    libraries      gram.cpp (cuBLAS with data types), nccl_bridge.cpp, transfer.cpp (NVTX)
    error codes    errors.cpp: table by code, switch over driver codes (one type in HIP)
    differences    devices.cpp: a device count read after an error
    build files    CMakeLists.txt, Makefile, setup.py, build.rs: converted
    left alone     lib.rs and __init__.py: copied, with notes
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from porting.toolkits.sysroot import Sysroot

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROJECT = EXAMPLES / "cuda_project"
ARCHS = ("gfx90a", "gfx942", "gfx1100")


def run_port(source: Path, output: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit status and its JSON report."""
    command = [sys.executable, "-m", "porting", "port", str(source), "-o", str(output)]
    done = subprocess.run(
        [*command, "--format", "json", *options],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, report


def findings(report: dict[str, Any]) -> list[str]:
    """Return what a person must look at, as `file:line CODE message`."""
    return [
        f"{d['file']}:{d['line']} {d['code']} {d['message']}"
        for d in report["diagnostics"]
        if d["severity"] != "note"
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file of a tree, without what the port keeps for itself."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".porting")
    }


@pytest.fixture(scope="module")
def ported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, dict[str, Any]]:
    """Return the ported example, the exit status and the report, without verification."""
    output = tmp_path_factory.mktemp("example") / "rocm"
    status, report = run_port(PROJECT, output, "--no-verify")
    return output, status, report


def test_example_is_ported_without_anything_to_decide(
    ported: tuple[Path, int, dict[str, Any]],
) -> None:
    _, status, report = ported
    assert findings(report) == []
    assert status == 0


def test_every_file_is_in_the_output_under_its_name(
    ported: tuple[Path, int, dict[str, Any]],
) -> None:
    written = {name for name in contents(ported[0]) if not name.startswith("eclosion/")}
    assert written == {*contents(PROJECT), "MANIFEST.in"}


def test_build_files_are_converted(ported: tuple[Path, int, dict[str, Any]]) -> None:
    output, _, report = ported
    statuses = {file["path"]: file["status"] for file in report["files"]}
    for name in ("CMakeLists.txt", "Makefile", "setup.py", "rust/tidepool-sys/build.rs"):
        assert (output / name).read_bytes() != (PROJECT / name).read_bytes()
        assert statuses[name] == "changed"
    assert (
        "project(tidepool VERSION 0.3 LANGUAGES CXX HIP)" in (output / "CMakeLists.txt").read_text()
    )


def test_library_and_symbol_names_in_strings_change_together(
    ported: tuple[Path, int, dict[str, Any]],
) -> None:
    driver = (ported[0] / "src/driver.cpp").read_text()
    assert "libcuda" not in driver
    assert 'dlopen("libamdhip64.so' in driver
    bridge = (ported[0] / "src/nccl_bridge.cpp").read_text()
    assert "libnccl" not in bridge
    assert 'dlopen("librccl.so.1", RTLD_NOW | RTLD_NOLOAD)' in bridge


def test_pasted_members_follow_the_names_they_are_pasted_from(
    ported: tuple[Path, int, dict[str, Any]],
) -> None:
    arena = (ported[0] / "src/vmm_arena.cpp").read_text()
    assert "api->hipMemCreate_" in arena or "hipMemCreate_(&handle" in arena
    assert "cuMem" not in arena
    assert "_v2_" not in arena


def test_masks_are_64_bits_wide_wherever_they_go(
    ported: tuple[Path, int, dict[str, Any]],
) -> None:
    lanes = (ported[0] / "include/tidepool/lanes.cuh").read_text()
    assert "unsigned long long lanes_below()" in lanes
    assert "1u << lane_id()" not in lanes
    assert "__popc(" not in lanes
    assert "__ffs(" not in lanes


def test_second_run_changes_nothing(
    ported: tuple[Path, int, dict[str, Any]], tmp_path: Path
) -> None:
    status, report = run_port(ported[0], tmp_path / "again", "--no-verify")
    assert findings(report) == []
    assert status == 0
    assert contents(tmp_path / "again") == contents(ported[0])


@pytest.mark.toolchain
def test_every_unit_is_verified_for_both_widths(sysroot: Sysroot, tmp_path: Path) -> None:
    status, report = run_port(PROJECT, tmp_path / "rocm", "--arch", ",".join(ARCHS))
    assert findings(report) == []
    assert status == 0
    for stage in report["summary"]["stages"].values():
        assert stage["failed"] == stage["not_verified"] == stage["suppressed"] == 0


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize("options", [("--no-verify",), ("--arch", "gfx942")])
def test_undecidable_constructs_are_reported_at_their_lines_and_nowhere_else(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    planted = tmp_path / "planted"
    script = EXAMPLES / "undecidable" / "plant.py"
    done = subprocess.run(
        [sys.executable, str(script), str(planted)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    places = done.stdout.split()
    assert len(places) == 4
    status, report = run_port(planted, tmp_path / "rocm", *options)
    reported = {
        f"{d['file']}:{d['line']}" for d in report["diagnostics"] if d["severity"] != "note"
    }
    assert sorted(reported) == places
    assert status == 1
