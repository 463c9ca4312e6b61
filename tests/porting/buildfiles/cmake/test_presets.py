"""What gives CMake its variables: presets and scikit-build's tables, for ROCm or both vendors."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.sysroot import Sysroot
from tests.porting.buildfiles.cmake.conftest import Build, Convert

PRESETS = """\
{
  "version": 3,
  "configurePresets": [
    {
      "name": "release",
      "generator": "Ninja",
      "binaryDir": "${sourceDir}/build",
      "cacheVariables": {
        "CMAKE_CUDA_ARCHITECTURES": {"type": "STRING", "value": "80;90"},
        "CMAKE_CUDA_FLAGS": "-lineinfo --expt-relaxed-constexpr -DSET",
        "CMAKE_CUDA_STANDARD": "17",
        "CMAKE_CUDA_COMPILER": "/usr/local/cuda/bin/nvcc"
      },
      "environment": {"CUDACXX": "/usr/local/cuda/bin/nvcc"}
    }
  ]
}
"""
RENAMED = """\
      "cacheVariables": {
        "CMAKE_HIP_ARCHITECTURES": {"type": "STRING", "value": "gfx90a;gfx942"},
        "CMAKE_HIP_FLAGS": "-gline-tables-only -DSET",
        "CMAKE_HIP_STANDARD": "17"
      },
      "environment": {}
"""
BOTH = """\
        "CMAKE_HIP_ARCHITECTURES": {"type": "STRING", "value": "gfx90a;gfx942"},
        "CMAKE_CUDA_ARCHITECTURES": {"type": "STRING", "value": "80;90"},
        "CMAKE_HIP_FLAGS": "-gline-tables-only -DSET",
        "CMAKE_CUDA_FLAGS": "-lineinfo --expt-relaxed-constexpr -DSET",
        "CMAKE_HIP_STANDARD": "17",
        "CMAKE_CUDA_STANDARD": "17",
        "CMAKE_CUDA_COMPILER": "/usr/local/cuda/bin/nvcc"
"""
PROJECT = """\
[build-system]
requires = ["scikit-build-core"]
[tool.scikit-build]
cmake.args = ["-DCMAKE_CUDA_ARCHITECTURES=80", "-DX=1"]
define.CMAKE_CUDA_STANDARD = "17"
[tool.scikit-build.other.define]
CMAKE_CUDA_FLAGS = "-lineinfo"
"""
PROJECT_RENAMED = """\
cmake.args = ["-DCMAKE_HIP_ARCHITECTURES=gfx90a;gfx942", "-DX=1"]
define.CMAKE_HIP_STANDARD = "17"
[tool.scikit-build.other.define]
CMAKE_HIP_FLAGS = "-gline-tables-only"
"""
PROJECT_BOTH = """\
cmake.args = ["-DCMAKE_HIP_ARCHITECTURES=gfx90a;gfx942", "-DCMAKE_CUDA_ARCHITECTURES=80", "-DX=1"]
define.CMAKE_HIP_STANDARD = "17"
define.CMAKE_CUDA_STANDARD = "17"
[tool.scikit-build.other.define]
CMAKE_HIP_FLAGS = "-gline-tables-only"
CMAKE_CUDA_FLAGS = "-lineinfo"
"""
CASES = {
    "presets, rename": ("CMakePresets.json", PRESETS, Mode.RENAME, RENAMED),
    "presets, both": ("sub/CMakeUserPresets.json", PRESETS, Mode.COMPAT, BOTH),
    "scikit-build, rename": ("pyproject.toml", PROJECT, Mode.RENAME, PROJECT_RENAMED),
    "scikit-build, both": ("pyproject.toml", PROJECT, Mode.COMPAT, PROJECT_BOTH),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("case", CASES)
def test_variables_are_hips(convert: Convert, case: str, newline: str) -> None:
    path, text, mode, expected = CASES[case]
    done = convert({path: text.replace("\n", newline)}, mode)
    new = done.text(path)
    assert expected in new.replace("\r\n", "\n")
    assert new.count("\n") == new.count(newline)
    assert json.loads(new) if path.endswith("json") else tomllib.loads(new)
    again = convert({path: new}, mode).converted
    assert [file for file in again.files if file.changed] == []


def test_path_of_nvcc_is_told(convert: Convert) -> None:
    assert [
        said for said in convert({"CMakePresets.json": PRESETS}).said() if said[1] == "BLD019"
    ] == [
        (12, "BLD019"),
        (14, "BLD019"),
    ]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("CMakePresets.json", '{"a": {\n"CMAKE_CUDA_FLAGS": "-O3"}', 2),
        ("pyproject.toml", '[tool.scikit-build]\na = 1\nCMAKE_CUDA_FLAGS = "-O3\n', 3),
        ("CMakePresets.json", '{"a": {\n"CMAKE_CUDA_FLAGS": "-O3 -dlink"}}', 2),
    ],
)
def test_file_stays_with_an_error_when_it_cannot_be_converted(
    convert: Convert, path: str, text: str, line: int
) -> None:
    done = convert({path: text})
    assert done.errors == [(line, "BLD010")]
    assert done.text(path) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("CMakePresets.json", '{"CMAKE_BUILD_TYPE": "Release"}'),
        ("CMakePresets.json", '{"a": '),
        ("pyproject.toml", "[project]\nname = 'cuda'\nCMAKE_CUDA_FLAGS = \"-O3\"\n"),
    ],
)
def test_file_without_cudas_variables_is_not_looked_at(
    convert: Convert, path: str, text: str
) -> None:
    assert convert({path: text}).converted.files == ()


KERNEL = """\
#include <cuda_runtime.h>
#ifndef SET
#error "the options of the preset are not given"
#endif
__global__ void one(int* x) { *x = 1; }
"""
LISTS = """\
cmake_minimum_required(VERSION 3.21)
project(x LANGUAGES CXX CUDA)
add_library(x SHARED k.cu)
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", Mode)
def test_preset_builds_for_rocm(  # noqa: PLR0913, PLR0917
    make_tree: Callable[..., Path],
    tmp_path: Path,
    cmake: Build,
    for_rocm: list[str],
    sysroot: Sysroot,
    mode: Mode,
) -> None:
    tree = tmp_path / "out"
    source = make_tree({"CMakePresets.json": PRESETS, "CMakeLists.txt": LISTS, "k.cu": KERNEL})
    port(PortRequest(source, tree, Target("7.1", ("gfx942",)), mode=mode, verify=False))
    rocm = {"ROCM_PATH": str(sysroot.path), "GPU_PLATFORM": "rocm"}
    for words in (("--preset", "release", *for_rocm[1:]), ("--build", "build")):
        done = cmake(*words, cwd=tree, **rocm)
        assert done.returncode == 0, done.stdout + done.stderr
    assert b"gfx942" in (tree / "build/libx.so").read_bytes()
