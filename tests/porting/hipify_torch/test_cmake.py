"""Hipify.cmake, run by CMake."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from porting.hipify_torch.command import CMAKE_DIR

from .conftest import SOURCES, Project

Find = Callable[[str], str]

_HEAD = f"""\
cmake_minimum_required(VERSION 3.18)
project(hipified NONE)
list(APPEND CMAKE_MODULE_PATH "{CMAKE_DIR}")
include(Hipify)
"""


def _configure(cmake: str, root: Path, text: str) -> subprocess.CompletedProcess[str]:
    (root / "CMakeLists.txt").write_text(_HEAD + text, encoding="utf-8")
    command = [cmake, "-S", str(root), "-B", str(root / "build"), "--no-warn-unused-cli"]
    command.append(f"-DPython_EXECUTABLE={sys.executable}")
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_sources_are_hipified_and_lists_follow(project: Project, program: Find) -> None:
    root = project()
    done = _configure(
        program("cmake"),
        root,
        """
hipify(CUDA_SOURCE_DIR ${PROJECT_SOURCE_DIR} HEADER_INCLUDE_DIR include csrc IGNORES */no/* */none)
get_hipified_list("csrc/bind.cpp;${PROJECT_SOURCE_DIR}/csrc/cuda/kernel.cu;include/plain.h" SRCS)
message("sources: ${SRCS}")
""",
    )
    assert done.returncode == 0, done.stderr
    new = ("csrc/bind_hip.cpp", "csrc/hip/kernel.hip", "include/plain.h")
    assert f"sources: {';'.join(f'{root}/{path}' for path in new)}" in done.stderr
    assert (root / "build/hipify_output_dict_dump.txt").is_file()


def test_an_output_directory_and_a_second_call_are_both_known(
    project: Project, program: Find
) -> None:
    root = project()
    (root / "other").mkdir()
    (root / "other/x.cu").write_text("cudaStream_t s;\n", encoding="utf-8")
    (root / "map.json").write_text('{"custom_map": {"answer": "reply"}}', encoding="utf-8")
    done = _configure(
        program("cmake"),
        root,
        """
hipify(CUDA_SOURCE_DIR csrc HIP_SOURCE_DIR ${PROJECT_BINARY_DIR}/hip CUSTOM_MAP_FILE map.json)
hipify(CUDA_SOURCE_DIR other)
get_hipified_list("csrc/cuda/kernel.cu;other/x.cu" SRCS)
message("sources: ${SRCS}")
""",
    )
    assert done.returncode == 0, done.stderr
    assert f"sources: {root}/build/hip/hip/kernel.hip;{root}/other/x.hip" in done.stderr
    assert "reply()" in (root / "build/hip/bind_hip.cpp").read_text(encoding="utf-8")


def test_an_edited_source_is_hipified_by_the_next_build(project: Project, program: Find) -> None:
    root = project({"a.cu": "cudaStream_t s;\n"})
    text = (
        "hipify(CUDA_SOURCE_DIR ${PROJECT_SOURCE_DIR} HIP_SOURCE_DIR ${PROJECT_BINARY_DIR}/hip)\n"
    )
    assert _configure(program("cmake"), root, text).returncode == 0
    source = root / "a.cu"
    source.write_text("cudaEvent_t e;\n", encoding="utf-8")
    later = source.stat().st_mtime + 5
    os.utime(source, (later, later))
    build = [program("cmake"), "--build", str(root / "build")]
    assert subprocess.run(build, capture_output=True, check=False).returncode == 0
    assert "hipEvent_t e;" in (root / "build/hip/a.hip").read_text(encoding="utf-8")


def test_a_config_file_is_taken(project: Project, program: Find) -> None:
    root = project({**SOURCES, "hipify.json": '{"project_directory": ".", "includes": ["csrc/*"]}'})
    done = _configure(program("cmake"), root, "hipify(CONFIG_FILE hipify.json)\n")
    assert done.returncode == 0, done.stderr
    assert (root / "csrc/hip/kernel.hip").is_file()
    assert not (root / "include/api_hip.h").exists()


def test_a_failure_stops_the_configuration_with_its_reason(project: Project, program: Find) -> None:
    root = project({"x.cu": "int x;\n", "bad.json": "{"})
    for call, reason in (
        ("hipify(CONFIG_FILE bad.json)", "bad.json is no valid JSON"),
        ("hipify()", "needs CUDA_SOURCE_DIR or CONFIG_FILE"),
        ("hipify(CUDA_SOURCE_DIR . TYPO x)", "does not know 'TYPO;x'"),
    ):
        done = _configure(program("cmake"), root, f"{call}\n")
        assert done.returncode != 0
        assert reason in done.stderr


def test_sources_inside_generator_expressions_follow(project: Project, program: Find) -> None:
    root = project({"a.cu": "cudaStream_t s;\n", "b c.cu": "cudaStream_t s;\n", "d.cpp": ""})
    (root / "sub").mkdir()
    (root / "sub/CMakeLists.txt").write_text(
        "hipify(CUDA_SOURCE_DIR ${PROJECT_SOURCE_DIR})\n", encoding="utf-8"
    )
    done = _configure(
        program("cmake"),
        root,
        """
add_subdirectory(sub)
get_hipified_list("$<$<BOOL:1>:a.cu;b c.cu;d.cpp>;$<TARGET_OBJECTS:other>;b c.cu" SRCS)
message("sources: ${SRCS}")
""",
    )
    assert done.returncode == 0, done.stderr
    inside = f"$<$<BOOL:1>:{root}/a.hip;{root}/b c.hip;{root}/d.cpp>"
    assert f"sources: {inside};$<TARGET_OBJECTS:other>;{root}/b c.hip\n" in done.stderr


def test_a_build_folder_inside_the_project_is_no_part_of_it(
    project: Project, program: Find
) -> None:
    root = project({"a.cu": "cudaStream_t s;\n", "out [1]/_deps/theirs.cu": "cudaStream_t s;\n"})
    (root / "CMakeLists.txt").write_text(
        f"{_HEAD}hipify(CUDA_SOURCE_DIR ${{PROJECT_SOURCE_DIR}})\n", encoding="utf-8"
    )
    command = [program("cmake"), "-S", str(root), "-B", str(root / "out [1]")]
    command.append(f"-DPython_EXECUTABLE={sys.executable}")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in root.rglob("*.hip")} == {"a.hip"}
