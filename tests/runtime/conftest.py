"""Fake vendor libraries with the report made against them, and what ends after its test."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FAKES = Path(__file__).parents[1] / "fakes"
SONAMES = {
    "libcuda.so.1": "libcuda.c",
    "libamdhip64.so.7": "libamdhip64.c",
    "libnccl.so.2": "libnccl.c",
    "librccl.so.1": "libnccl.c",
    "libibverbs.so.1": "libibverbs.c",
}

RunDevices = Callable[..., "subprocess.CompletedProcess[str]"]
Report = Callable[..., dict[str, dict[str, Any]]]


def compile_library(source: Path, output: Path) -> None:
    """Compile one C file to a shared library whose soname is its file name."""
    command = ["cc", "-shared", "-fPIC", "-Wall", "-Werror", f"-Wl,-soname,{output.name}"]
    subprocess.run([*command, str(source), "-o", str(output)], check=True)


@pytest.fixture(scope="session", autouse=True)
def hook() -> Iterator[None]:
    """Have no failure of a mesh end the suite, as one does that comes when its test is over.

    Tests that are to end without one use `quiet`.
    """
    from runtime import actor as ra

    before = ra.unhandled_fault_hook
    ra.unhandled_fault_hook = lambda _: None
    yield
    ra.unhandled_fault_hook = before


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder that holds a fake of every vendor library."""
    folder = tmp_path_factory.mktemp("fakes")
    for soname, source in SONAMES.items():
        compile_library(FAKES / source, folder / soname)
    return folder


@pytest.fixture
def devices() -> RunDevices:
    """Return a function that runs the report from / with a library folder in front."""

    def run(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = os.environ | {"LD_LIBRARY_PATH": str(folder)} | variables
        return subprocess.run(
            [sys.executable, "-m", "runtime", "devices", *arguments],
            cwd="/",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )

    return run


@pytest.fixture
def report(devices: RunDevices, fakes: Path) -> Report:
    """Return a function that gives the JSON report's rows by name, run against the fakes."""

    def rows(*arguments: str, **variables: str) -> dict[str, dict[str, Any]]:
        done = devices(fakes, "--format", "json", *arguments, **variables)
        assert (done.returncode, done.stderr) == (0, "")
        return {row["name"]: row for row in json.loads(done.stdout)["libraries"]}

    return rows
