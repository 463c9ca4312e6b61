"""Fault classes from public threads of people who port CUDA code, through the public commands."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
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


def errors_of(path: Path, sysroot: Sysroot, defines: str) -> list[str]:
    """Return clang's errors on a file, as host code and as code for gfx942."""
    command = [
        *("clang++-19", "-x", "hip", "--offload-arch=gfx942", f"--rocm-path={sysroot.path}"),
        *("-nogpulib", "-D__HIP_PLATFORM_AMD__", "-DHIP_ENABLE_WARP_SYNC_BUILTINS"),
        *("-std=c++17", f"-isystem{sysroot.include}", "-Wno-everything", "-ferror-limit=5"),
        *defines.split(),
        *("-fsyntax-only", str(path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return [line for line in done.stderr.splitlines() if "error:" in line]


@dataclass(frozen=True)
class PortedClass:
    """One class: its input, the file the command wrote, and what the command said."""

    data: bytes
    out: Path
    told: str


@pytest.fixture(scope="module")
def ported_class(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], PortedClass]:
    """Return a function that ports the input of a class, once."""
    folder = tmp_path_factory.mktemp("classes")

    @cache
    def port(name: str) -> PortedClass:
        file, data = source_of(name)
        source, out = folder / file, folder / f"out.{file}"
        source.write_bytes(data)
        done = run("-m", "porting", "hipify", source, "-o", out)
        return PortedClass(data, out, (done.stdout + done.stderr).replace(name, ""))

    return port


@pytest.mark.parametrize("name", CLASSES)
def test_class_when_its_text_is_checked(
    name: str, ported_class: Callable[[str], PortedClass]
) -> None:
    ported, wanted = ported_class(name), CLASSES[name]
    result = ported.out.read_bytes()
    text = result.decode("utf-8", "replace")
    assert re.search(wanted.get("has", ""), text)
    assert "lacks" not in wanted or not re.search(wanted["lacks"], text)
    assert bytes.fromhex(wanted.get("has_bytes", "")) in result
    assert "same" not in wanted or result == ported.data
    assert re.search(wanted.get("diagnosed", ""), ported.told)
    said, written = wanted.get("diagnosed_or_has", ("", ""))
    assert re.search(said, ported.told) or re.search(written, text)


@pytest.mark.parametrize(
    "name", [n for n, c in CLASSES.items() if {"compiles", "compiles_or_diagnosed"} & c.keys()]
)
def test_class_when_compiled(
    name: str, ported_class: Callable[[str], PortedClass], sysroot: Sysroot
) -> None:
    ported, wanted = ported_class(name), CLASSES[name]
    if "compiles_or_diagnosed" in wanted and re.search(
        wanted["compiles_or_diagnosed"], ported.told
    ):
        return
    assert errors_of(ported.out, sysroot, wanted.get("defines", "")) == []
