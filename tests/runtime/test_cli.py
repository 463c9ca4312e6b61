"""The device report as a user runs it, against real shared libraries."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    RunDevices = Callable[..., "subprocess.CompletedProcess[str]"]
    Report = Callable[..., dict[str, dict[str, Any]]]


def test_report_when_every_library_works(report: "Report", fakes: Path) -> None:
    rows = report()
    assert list(rows) == ["libcuda", "libamdhip64", "libnccl", "librccl", "libibverbs"]
    assert {row["status"] for row in rows.values()} == {"pass"}
    assert rows["libcuda"] == {
        "status": "pass",
        "name": "libcuda",
        "purpose": "NVIDIA driver API",
        "detail": "devices: 2",
        "path": str(fakes / "libcuda.so.1"),
        "origin": "loaded",
        "version": "13.2",
        "help": None,
    }


def test_report_when_read_by_a_person(devices: "RunDevices", fakes: Path) -> None:
    done = devices(fakes)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "PASS  libcuda 13.2 (NVIDIA driver API): devices: 2"
    assert lines[1] == f"      loaded from {fakes / 'libcuda.so.1'}"
    assert sum(line.startswith("PASS  ") for line in lines) == 5


def test_report_when_a_library_is_no_elf_file(devices: "RunDevices", tmp_path: Path) -> None:
    for soname in ("libcuda.so.1", "librccl.so.1"):
        (tmp_path / soname).write_text("not a library, whatever its name says\n" * 4)
    done = devices(tmp_path, "--format", "json")
    assert done.returncode == 0
    rows = {row["name"]: row for row in json.loads(done.stdout)["libraries"]}
    assert rows["libcuda"]["status"] == "fail"
    assert rows["libcuda"]["detail"] == f"{tmp_path}/libcuda.so.1: invalid ELF header"
    assert rows["libcuda"]["path"] is None
    assert rows["librccl"]["help"].startswith("install RCCL")


def test_report_when_a_driver_crashes(report: "Report", fakes: Path) -> None:
    rows = report(FAKE_CUDA_INIT="crash")
    assert rows["libcuda"]["status"] == "fail"
    assert rows["libcuda"]["detail"] == "the probe died from SIGSEGV: fake driver: last words"
    assert rows["libcuda"]["path"] == str(fakes / "libcuda.so.1")
    assert rows["libnccl"]["status"] == "pass"


def test_report_when_a_driver_crashes_while_it_is_opened(report: "Report") -> None:
    row = report(FAKE_CUDA_LOAD="crash")["libcuda"]
    assert (row["status"], row["path"]) == ("fail", None)
    assert row["detail"] == "the probe died from SIGABRT"
    assert row["help"] is not None


def test_report_when_a_driver_leaves_the_process(report: "Report") -> None:
    row = report(FAKE_CUDA_INIT="exit")["libcuda"]
    assert row["status"] == "fail"
    assert row["detail"] == "the probe exited with status 3: fake driver: last words"


def test_report_when_a_driver_hangs(report: "Report", fakes: Path) -> None:
    row = report("--timeout", "1.5", FAKE_CUDA_INIT="hang")["libcuda"]
    assert row["status"] == "fail"
    assert row["detail"] == "no answer within 1.5 s; the driver hangs"
    assert row["path"] in {str(fakes / "libcuda.so.1"), None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["--timeout", "0"], "0.0 is not in the range x>0"),
        (["extra"], r"unexpected extra argument \(extra\)"),
    ],
)
def test_devices_when_used_wrongly(
    devices: "RunDevices", tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = devices(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(message, done.stderr)


def test_devices_when_python_ignores_the_working_folder(fakes: Path) -> None:
    """The children find the package through the parent's search path, not by luck."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "runtime", "devices"],
        cwd="/",
        env=os.environ | {"LD_LIBRARY_PATH": str(fakes)},
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    assert (done.returncode, done.stdout.count("PASS")) == (0, 5)
