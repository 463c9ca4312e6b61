"""One tree for both vendors: small edits, and what differs in generated files."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Mode

Convert = Callable[..., Any]
HEAD = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\n"
BOTH_HEAD = """\
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX)
include(eclosion/gpu.cmake)
enable_language(${GPU_LANGUAGE})
"""
GPU = "eclosion/gpu.cmake"


def _variables(tree: Any, platform: str) -> str:  # noqa: ANN401 - a fixture's value
    """Return the part of the generated file for one platform."""
    text: str = tree.converted.generated[GPU]
    start = text.index('if(GPU_PLATFORM STREQUAL "cuda")')
    middle = text.index("set(GPU_LANGUAGE HIP)")
    return text[start:middle] if platform == "cuda" else text[middle:]


@pytest.mark.parametrize(
    ("project", "converted"),
    [
        ("project(p LANGUAGES CXX CUDA)", "project(p LANGUAGES CXX)"),
        ("project(p CUDA C)", "project(p C)"),
        ("project(p LANGUAGES CUDA)", "project(p LANGUAGES NONE)"),
    ],
)
def test_language_is_left_to_the_generated_file(
    convert: Convert, project: str, converted: str
) -> None:
    done = convert(f"{project}\n", Mode.COMPAT)
    assert done.lines == [
        converted,
        "include(eclosion/gpu.cmake)",
        "enable_language(${GPU_LANGUAGE})",
    ]


def test_file_below_the_root_includes_what_lies_at_the_root(convert: Convert) -> None:
    done = convert({"a/b/CMakeLists.txt": HEAD}, Mode.COMPAT)
    assert "include(../../eclosion/gpu.cmake)" in done.text("a/b/CMakeLists.txt")


@pytest.mark.parametrize(
    ("command", "converted", "cuda", "rocm"),
    [
        (
            "add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-O3 -lineinfo -Xcompiler=-a>)",
            "add_compile_options($<$<COMPILE_LANGUAGE:${GPU_LANGUAGE}>:-O3 ${TREE_GPU_FLAGS}>)",
            "set(TREE_GPU_FLAGS -lineinfo -Xcompiler=-a)",
            "set(TREE_GPU_FLAGS -gline-tables-only -a)",
        ),
        (
            'string(APPEND CMAKE_CUDA_FLAGS " -O2 --use_fast_math -Xptxas -w")',
            'string(APPEND CMAKE_${GPU_LANGUAGE}_FLAGS " -O2 ${CMAKE_GPU_FLAGS}")',
            'set(CMAKE_GPU_FLAGS "--use_fast_math -Xptxas -w")',
            'set(CMAKE_GPU_FLAGS "-ffast-math")',
        ),
        (
            'list(APPEND CUDA_NVCC_FLAGS "-gencode arch=compute_70,code=sm_70" -lineinfo)',
            "list(APPEND CUDA_NVCC_FLAGS ${CUDA_NVCC_GPU_FLAGS})",
            'set(CUDA_NVCC_GPU_FLAGS "-gencode arch=compute_70,code=sm_70" -lineinfo)',
            "set(CUDA_NVCC_GPU_FLAGS -gline-tables-only)",
        ),
        (
            "target_link_libraries(t PRIVATE cublas m)",
            "target_link_libraries(t PRIVATE ${GPU_CUBLAS} m)",
            "set(GPU_CUBLAS cublas)",
            "set(GPU_CUBLAS roc::hipblas)",
        ),
        (
            "find_library(NCCL NAMES nccl)",
            "find_library(NCCL NAMES ${GPU_NCCL})",
            "set(GPU_NCCL nccl)",
            "set(GPU_NCCL rccl)",
        ),
        (
            "link_directories(/usr/local/cuda/lib64)",
            "link_directories(${GPU_LIBRARY_FOLDER})",
            "set(GPU_LIBRARY_FOLDER /usr/local/cuda/lib64)",
            'set(GPU_LIBRARY_FOLDER "${GPU_HOME}/lib")',
        ),
        (
            "target_compile_features(t PUBLIC cuda_std_17)",
            "target_compile_features(t PUBLIC ${GPU_DIALECT}_std_17)",
            "set(GPU_DIALECT cuda)",
            "set(GPU_DIALECT hip)",
        ),
        (
            "set_source_files_properties(a.cpp PROPERTIES LANGUAGE CUDA)",
            "set_source_files_properties(a.cpp PROPERTIES LANGUAGE ${GPU_LANGUAGE})",
            "set(GPU_LANGUAGE CUDA)",
            "set(GPU_LANGUAGE HIP)",
        ),
    ],
)
def test_what_differs_is_a_variable(
    convert: Convert, command: str, converted: str, cuda: str, rocm: str
) -> None:
    done = convert(f"{HEAD}{command}\n", Mode.COMPAT)
    assert done.text() == f"{BOTH_HEAD}{converted}\n"
    assert f"  {cuda}\n" in _variables(done, "cuda")
    assert f"{rocm}\n" in _variables(done, "rocm")


@pytest.mark.parametrize(
    "command",
    [
        "find_package(CUDAToolkit 12.4 REQUIRED)",
        "target_link_libraries(t PRIVATE CUDA::cudart CUDA::cublas)",
        "set(CMAKE_CUDA_STANDARD 17)",
        "set(CMAKE_CUDA_ARCHITECTURES 70 80)",
        "set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)",
        "set(CMAKE_CUDA_HOST_COMPILER g++-11)",
        "set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 70 CUDA_RUNTIME_LIBRARY Static)",
        "add_library(t a.cu ${MORE})",
        "file(GLOB S *.cu)",
        "target_include_directories(t PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})",
        "target_compile_options(t PRIVATE -O3 -Wall)",
    ],
)
def test_command_that_serves_both_stays(convert: Convert, command: str) -> None:
    assert convert(f"{HEAD}{command}\n", Mode.COMPAT).text() == f"{BOTH_HEAD}{command}\n"


def test_options_that_depend_on_a_variable_are_written_for_each(convert: Convert) -> None:
    command = "list(APPEND F -O3 -gencode arch=compute_${a},code=sm_${a} --use_fast_math)"
    done = convert(f"{HEAD}{command}\n", Mode.COMPAT)
    assert done.lines[4:] == [
        'if(GPU_PLATFORM STREQUAL "rocm")',
        "  list(APPEND F -O3 -ffast-math)",
        "else()",
        f"  {command}",
        "endif()",
    ]


def test_command_that_is_cudas_alone_is_kept_for_cuda(convert: Convert) -> None:
    command = "list(APPEND F -gencode arch=compute_${a},code=sm_${a})"
    done = convert(f"{HEAD}foreach(a 70)\n  {command}\nendforeach()\n", Mode.COMPAT)
    assert done.lines[4:] == [
        "foreach(a 70)",
        '  if(NOT GPU_PLATFORM STREQUAL "rocm")',
        f"    {command}",
        "  endif()",
        "endforeach()",
    ]


def test_toolkit_that_is_asked_for_first_is_the_platforms(convert: Convert) -> None:
    text = "find_package(CUDAToolkit)\nif(CUDAToolkit_FOUND)\n  enable_language(CUDA)\nendif()\n"
    assert convert(text, Mode.COMPAT).lines == [
        "include(eclosion/gpu.cmake)",
        "find_package(CUDAToolkit)",
        "if(CUDAToolkit_FOUND)",
        "  enable_language(${GPU_LANGUAGE})",
        "endif()",
    ]


def test_generated_file_is_included_once_in_each_branch(convert: Convert) -> None:
    text = """\
project(p CXX)
if(WITH_GPU)
  find_package(CUDAToolkit)
  check_language(CUDA)
  if(CUDAToolkit_FOUND)
    enable_language(CUDA)
  endif()
elseif(MAYBE_GPU)
  if(HERE)
    check_language(CUDA)
  endif()
  enable_language(CUDA)
else()
  check_language(CUDA)
  enable_language(CUDA)
endif()
enable_language(CUDA)
"""
    converted = convert(text, Mode.COMPAT).text().replace("${GPU_LANGUAGE}", "CUDA")
    assert (
        converted
        == """\
project(p CXX)
if(WITH_GPU)
  include(eclosion/gpu.cmake)
  find_package(CUDAToolkit)
  check_language(CUDA)
  if(CUDAToolkit_FOUND)
    enable_language(CUDA)
  endif()
elseif(MAYBE_GPU)
  if(HERE)
    include(eclosion/gpu.cmake)
    check_language(CUDA)
  endif()
  include(eclosion/gpu.cmake)
  enable_language(CUDA)
else()
  include(eclosion/gpu.cmake)
  check_language(CUDA)
  enable_language(CUDA)
endif()
include(eclosion/gpu.cmake)
enable_language(CUDA)
"""
    )


def test_project_in_a_branch_leaves_the_other_one_its_own_file(convert: Convert) -> None:
    text = (
        "if(A)\n  project(p CXX CUDA)\n  enable_language(CUDA)\n"
        "else()\n  project(p CXX)\n  enable_language(CUDA)\nendif()\n"
    )
    assert convert(text, Mode.COMPAT).lines == [
        "if(A)",
        "  project(p CXX)",
        "  include(eclosion/gpu.cmake)",
        "  enable_language(${GPU_LANGUAGE})",
        "  enable_language(${GPU_LANGUAGE})",
        "else()",
        "  project(p CXX)",
        "  include(eclosion/gpu.cmake)",
        "  enable_language(${GPU_LANGUAGE})",
        "endif()",
    ]


def test_included_file_finds_the_generated_one_from_its_own_place(convert: Convert) -> None:
    files = {"CMakeLists.txt": "set(A b)\n", "cmake/gpu.cmake": "enable_language(CUDA)\n"}
    done = convert(files, Mode.COMPAT)
    assert done.text("cmake/gpu.cmake") == (
        'include("${CMAKE_CURRENT_LIST_DIR}/../eclosion/gpu.cmake")\n'
        "enable_language(${GPU_LANGUAGE})\n"
    )


def test_findcudas_project_keeps_its_commands(convert: Convert) -> None:
    text = (
        "project(p CXX)\nfind_package(CUDA REQUIRED)\ncuda_add_library(t a.cu OPTIONS -DX)\n"
        "cuda_add_cublas_to_target(t)\ntarget_link_libraries(t ${CUDA_cusparse_LIBRARY})\n"
    )
    done = convert(text, Mode.COMPAT)
    assert done.text() == text.replace("find_package", "include(eclosion/gpu.cmake)\nfind_package")
    module = done.converted.generated["eclosion/cmake/FindCUDA.cmake"]
    assert "macro(cuda_add_cublas_to_target target)" in module
    assert "set(CUDA_cusparse_LIBRARY roc::hipsparse)\n" in module
    assert "enable_language(HIP)\n" in _variables(done, "rocm")


def test_targets_of_cuda_are_defined_over_rocms(convert: Convert) -> None:
    done = convert(f"{HEAD}target_link_libraries(t CUDA::cufft CUDA::cudadevrt)\n", Mode.COMPAT)
    module = done.converted.generated["eclosion/cmake/FindCUDAToolkit.cmake"]
    assert "target_link_libraries(CUDA::cufft INTERFACE hip::hipfft)" in module
    assert "add_library(CUDA::cudadevrt INTERFACE IMPORTED)" in module
    assert "INTERFACE hip::host" in module
    assert "CUDA::cublas" not in module


def test_generated_files_name_their_generator_and_inputs(convert: Convert) -> None:
    done = convert({"CMakeLists.txt": HEAD, "a/CMakeLists.txt": "set(A b)\n"}, Mode.COMPAT)
    assert set(done.converted.generated) == {
        GPU,
        "eclosion/cmake/GpuDetection.cmake",
        "eclosion/cmake/FindCUDAToolkit.cmake",
    }
    for text in done.converted.generated.values():
        first, second = text.splitlines()[:2]
        assert first.startswith("# Generated by porting ")
        assert "compat mode, ROCm 7.1, gfx90a, gfx942" in first
        assert second == "# Made from: CMakeLists.txt."
        assert all(line == line.rstrip() for line in text.splitlines())
        assert max(map(len, text.splitlines())) <= 110


def test_file_that_cannot_be_converted_stays_with_the_same_error(convert: Convert) -> None:
    text = f"{HEAD}set_target_properties(t PROPERTIES CUDA_PTX_COMPILATION ON)\n"
    done = convert(text, Mode.COMPAT)
    assert done.text() == text
    assert done.errors == [(3, "BLD010")]
    assert done.converted.generated == {}
