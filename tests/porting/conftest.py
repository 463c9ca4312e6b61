"""Fixtures of the toolchain's tests: the command as a real process, and trees to give it."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def arguments() -> list[str]:
    """Return how a process of the command starts."""
    return [sys.executable, "-m", "porting"]


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which the source tree's package is found from anywhere."""
    # Buffered as a user's Python is: what is still in the buffer is written when the process ends.
    inherited = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**inherited, "PYTHONPATH": str(REPOSITORY)}


@pytest.fixture
def command(arguments: list[str], environment: dict[str, str], tmp_path: Path) -> Command:
    """Return a function that runs `porting ...` in `tmp_path` to its end."""

    def run(
        *words: str | Path, prefix: Sequence[str] = (), cwd: Path = tmp_path
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, *arguments, *map(str, words)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )

    return run


@pytest.fixture
def make_tree(tmp_path: Path) -> MakeTree:
    """Return a function that writes path -> content below `tmp_path/src` and returns the folder."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / "src"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return root

    return make


# How the paths of those begin that build dozens of little trees, or compile a program of their own;
# `make test` has the example, the field cases and the parity suite, and these are for `make soak`.
_LONG = (
    "buildfiles/cmake/test_building.py",
    "buildfiles/test_cargo_builds.py",
    "buildfiles/test_example_builds.py",
    "buildfiles/test_makefile_shapes.py",
    "buildfiles/test_meson_files.py",
    "buildfiles/test_python_builds.py",
    "emulate/test_alignment",
    "emulate/test_cooperative_",
    "emulate/test_cuda_graphs",
    "emulate/test_cuda_launches",
    "emulate/test_cuda_memory",
    "emulate/test_cuda_streams",
    "emulate/test_cuda_thread_streams",
    "emulate/test_device_",
    "emulate/test_hip_copies",
    "emulate/test_hip_devices",
    "emulate/test_hip_graphs",
    "emulate/test_hip_lane_paths",
    "emulate/test_hip_launches",
    "emulate/test_hip_memory",
    "emulate/test_hip_narrow_types",
    "emulate/test_hip_sharing",
    "emulate/test_hip_streams",
    "emulate/test_leaks",
    "emulate/test_order_and_edges",
    "emulate/test_stack_overflow",
    "emulate/test_stream_races",
    "emulate/test_twins",
    "headers/test_headers_command.py",
    "headers/test_warp.py",
    "rules/test_warp_lanes.py",
    "test_cli_verify.py",
    "verify/test_flags.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long ones before pytest chooses by marks."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and str(item.path.relative_to(here)).startswith(_LONG):
            item.add_marker(pytest.mark.soak)
