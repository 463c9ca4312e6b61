"""The detection rule in CMake answers as the toolchain does."""

import importlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from porting.buildfiles.cmake.detection import detection
from porting.errors import ToolchainError
from porting.toolkits import detect
from porting.toolkits.platforms import CUDA, PLATFORMS, ROCM, Platform

# As in a project: without a minimum, CMake takes escapes that it refuses there.
ASK = """\
cmake_minimum_required(VERSION 3.18)
include(GpuDetection.cmake)
gpu_detect()
message(STATUS "${GPU_PLATFORM} ${GPU_HOME}")
"""


def _home(folder: Path, platform: Platform, version: str = "") -> str:
    for name in (platform.headers[0], platform.libraries[-1]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    if version:
        (folder / ".info").mkdir()
        (folder / ".info/version").write_text(f"{version}-66\n")
    return str(folder)


def _on_path(folder: Path, name: str) -> str:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / name).write_text("#!/bin/sh\n")
    (folder / "bin" / name).chmod(0o755)
    return str(folder / "bin")


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Return environments by what is installed in them."""
    root = tmp_path_factory.mktemp("homes")
    rocm = _home(root / "rocm", ROCM, "7.1.0")
    cuda = _home(root / "cuda", CUDA)
    old = _home(root / "old", ROCM, "6.1.2")
    header = _home(root / "header", ROCM)
    text = "#define HIP_VERSION_MAJOR 5\n// between\n#define HIP_VERSION_MINOR 7\n"
    (root / "header/include/hip/hip_version.h").write_text(text)
    (root / "bare").mkdir()
    half = root / "half"
    (half / ROCM.headers[0]).parent.mkdir(parents=True)
    (half / ROCM.headers[0]).touch()
    found = Path(_home(root / "found", ROCM, "7.2.0"))
    linked = root / "linked"
    linked.symlink_to(root / "rocm")
    return {
        "nothing": {},
        "rocm": {"ROCM_PATH": rocm},
        "second name": {"ROCM_PATH": str(root / "bare"), "ROCM_HOME": f"{rocm}/"},
        "on path": {"PATH": _on_path(found, "hipcc")},
        "cuda": {"CUDA_PATH": cuda},
        "cuda on path": {"PATH": _on_path(Path(cuda), "nvcc")},
        "both": {"ROCM_PATH": rocm, "CUDA_HOME": cuda},
        "old": {"ROCM_PATH": old},
        "old by its header": {"ROCM_PATH": header},
        "half": {"ROCM_PATH": str(half), "ROCM_HOME": str(root / "bare")},
        "gone": {"ROCM_PATH": str(root / "gone"), "CUDA_HOME": str(root / "gone")},
        "the same twice": {"ROCM_PATH": str(linked), "ROCM_HOME": rocm},
    }


def _expected(environment: dict[str, str]) -> str:
    try:
        choice = detect.choose(environment)
    except ToolchainError as error:
        return str(error)
    return f"{choice.platform} {choice.home.path if choice.home else ''}".strip()


def _answer(cmake: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [cmake, "-P", "ask.cmake"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout.removeprefix("-- ").strip().rstrip("/")
    _, _, said = done.stderr.partition("(message):")
    return " ".join(said.partition("Call Stack")[0].split())


@pytest.mark.skipif(os.path.isdir("/opt/rocm"), reason="a ROCm of the machine is always found")  # noqa: PTH112
@pytest.mark.parametrize("asked", ["", "rocm", "cuda", "none", "vulkan"])
def test_answers_are_the_toolchains(
    environments: dict[str, dict[str, str]],
    tmp_path: Path,
    asked: str,
    program: Callable[[str], str],
) -> None:
    _compare(environments, tmp_path, asked, program("cmake"))


@pytest.mark.skipif(os.path.isdir("/opt/rocm"), reason="a ROCm of the machine is always found")  # noqa: PTH112
@pytest.mark.parametrize("asked", ["", "rocm", "cuda", "none"])
def test_answers_are_the_toolchains_where_a_compiler_is_a_wrapper(
    wrapped_compilers: dict[str, dict[str, str]],
    tmp_path: Path,
    asked: str,
    program: Callable[[str], str],
) -> None:
    _compare(wrapped_compilers, tmp_path, asked, program("cmake"))


def test_answer_when_a_wrapper_hangs(
    tmp_path: Path, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = tuple(replace(platform, patience=1) for platform in PLATFORMS)
    module = importlib.import_module("porting.buildfiles.cmake.detection")
    monkeypatch.setattr(module, "PLATFORMS", hasty)
    (tmp_path / "GpuDetection.cmake").write_text(detection("# A test.\n"))
    (tmp_path / "ask.cmake").write_text(ASK)
    path = _on_path(tmp_path, "nvcc")
    (tmp_path / "bin/nvcc").write_text("#!/bin/sh\n/bin/sleep 600\n")
    environment = {"PATH": path, "GPU_PLATFORM": "cuda"}
    said = _answer(program("cmake"), tmp_path, environment)
    assert said.startswith(f"{path}/nvcc does not say where its CUDA is (")
    assert f"`{path}/nvcc --dryrun -x cu /dev/null` did not end in 1 s); set CUDA_HOME" in said


def _compare(environments: dict[str, dict[str, str]], folder: Path, asked: str, cmake: str) -> None:
    (folder / "GpuDetection.cmake").write_text(detection("# A test.\n"))
    (folder / "ask.cmake").write_text(ASK)
    for name, found in environments.items():
        environment = {"PATH": "/nowhere", **found, **({"GPU_PLATFORM": asked} if asked else {})}
        expected = " ".join(_expected(environment).rstrip("/").split())
        assert (name, _answer(cmake, folder, environment)) == (name, expected)
