"""Fault classes from public threads of people who port CUDA code, through the public commands."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

HERE = Path(__file__).resolve().parent / "field_cases"
CASES = sorted(path.parent for path in HERE.glob("*/*/expect.txt"))
CLASSES: dict[str, dict[str, Any]] = tomllib.loads(
    (HERE / "classes.toml").read_text(encoding="utf-8")
)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=50,
    )


def target_of(case: Path) -> dict[str, str]:
    text = (case / "expect.txt").read_text(encoding="utf-8")
    found = re.search(r"^TARGET (.*)$", text, re.MULTILINE)
    assert found is not None
    return dict(word.split("=", 1) for word in found[1].split())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_case_when_ported_by_the_command_line(case: Path, tmp_path: Path) -> None:
    target = target_of(case)
    out = tmp_path / "out"
    options = ("--rocm", target["rocm"], "--arch", target["arch"], "--no-verify")
    ported = run("-m", "porting", "port", case, "-o", out, *options, "--format", "json")
    assert ported.returncode in (0, 1), ported.stderr
    diagnostics = tmp_path / "diag.json"
    diagnostics.write_text(json.dumps(json.loads(ported.stdout)["diagnostics"]), encoding="utf-8")
    checked = run(HERE / "check_case.py", case, out, "--diag", diagnostics)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_case_when_ported_twice(case: Path) -> None:
    wanted = target_of(case)
    target = Target(wanted["rocm"], (wanted["arch"],))
    names = Names.load(wanted["rocm"])
    for path in (p for p in case.iterdir() if p.name != "expect.txt"):
        once = hipify(SourceFile(path.name, path.read_bytes()), target, names)
        twice = hipify(SourceFile(path.name, once.data), target, names)
        assert twice.data == once.data
        assert twice.edits == ()


def long_line() -> str:
    numbers = ",".join(str(i % 251) for i in range(280_000))
    return (
        "#include <cuda_runtime.h>\n"
        f"static const unsigned char d[] = {{{numbers}}};\n"
        "int main(){ return d[0] + cudaDeviceSynchronize(); }\n"
    )


def source_of(name: str) -> tuple[str, bytes]:
    file = CLASSES[name]["file"]
    path = HERE / "classes" / file
    return (file, path.read_bytes()) if path.exists() else (f"{name}.cu", long_line().encode())


def errors_of(path: Path, sysroot: Sysroot, side: str, defines: str) -> list[str]:
    command = [
        *("clang++-19", "-x", "hip", "--offload-arch=gfx942", f"--rocm-path={sysroot.path}"),
        *("-nogpulib", "-D__HIP_PLATFORM_AMD__", "-DHIP_ENABLE_WARP_SYNC_BUILTINS"),
        *("-std=c++17", f"-isystem{sysroot.include}", "-Wno-everything", "-ferror-limit=5"),
        *defines.split(),
        *(f"--offload-{side}-only", "-fsyntax-only", str(path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return [line for line in done.stderr.splitlines() if "error:" in line]


def ported_class(name: str, tmp_path: Path) -> tuple[Path, bytes, str]:
    file, data = source_of(name)
    source, out = tmp_path / file, tmp_path / f"out.{file}"
    source.write_bytes(data)
    done = run("-m", "porting", "hipify", source, "-o", out)
    return out, data, (done.stdout + done.stderr).replace(name, "")


@pytest.mark.parametrize("name", CLASSES)
def test_class_when_its_text_is_checked(name: str, tmp_path: Path) -> None:
    out, data, told = ported_class(name, tmp_path)
    wanted = CLASSES[name]
    result = out.read_bytes()
    text = result.decode("utf-8", "replace")
    assert re.search(wanted.get("has", ""), text)
    assert "lacks" not in wanted or not re.search(wanted["lacks"], text)
    assert bytes.fromhex(wanted.get("has_bytes", "")) in result
    assert "same" not in wanted or result == data
    assert re.search(wanted.get("diagnosed", ""), told)
    said, written = wanted.get("diagnosed_or_has", ("", ""))
    assert re.search(said, told) or re.search(written, text)


@pytest.mark.parametrize(
    "name", [n for n, c in CLASSES.items() if {"compiles", "compiles_or_diagnosed"} & c.keys()]
)
def test_class_when_compiled(name: str, tmp_path: Path, sysroot: Sysroot) -> None:
    out, _, told = ported_class(name, tmp_path)
    wanted = CLASSES[name]
    if "compiles_or_diagnosed" in wanted and re.search(wanted["compiles_or_diagnosed"], told):
        return
    for side in ("host", "device"):
        assert errors_of(out, sysroot, side, wanted.get("defines", "")) == []
