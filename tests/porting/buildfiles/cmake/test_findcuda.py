"""FindCUDA's commands and variables become CMake's own."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.diagnostics import Severity

Convert = Callable[..., Any]

ROOT = "${CMAKE_HIP_COMPILER_ROCM_ROOT}"
HIP = "$<COMPILE_LANGUAGE:HIP>"
OPTIONS = "target_compile_options(t PRIVATE"
WAVELETS = """\
cmake_minimum_required(VERSION 3.10)
project(wavelets CXX)
find_package(CUDA 10.0 REQUIRED)
set(CUDA_SEPARABLE_COMPILATION ON)
list(APPEND CUDA_NVCC_FLAGS -O3 "-gencode arch=compute_70,code=sm_70" -gencode;arch=sm_80
     --use_fast_math -Xcompiler -fvisibility=hidden -DTILE=4) # as fast as can be
include_directories(${CUDA_INCLUDE_DIRS} include)
cuda_add_library(wavelets SHARED src/lift.cu src/glue.cpp)
cuda_add_cublas_to_target(wavelets)
target_link_libraries(wavelets ${CUDA_LIBRARIES} ${CUDA_cusparse_LIBRARY} nvToolsExt)
"""
FOR_ROCM = """\
cmake_minimum_required(VERSION 3.21.3)
project(wavelets CXX)
if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
  set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942)
endif()
enable_language(HIP)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
list(APPEND CMAKE_BUILD_RPATH ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)
list(APPEND CMAKE_PREFIX_PATH ${CMAKE_HIP_COMPILER_ROCM_ROOT} $ENV{ROCM_PATH} /opt/rocm)
find_package(hip REQUIRED)
find_package(hipblas REQUIRED)
find_package(hipsparse REQUIRED)
add_compile_options($<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>)
add_link_options("$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>")
list(APPEND HIP_COMPILE_FLAGS -O3
     -ffast-math -fvisibility=hidden -DTILE=4) # as fast as can be
include_directories(${hip_INCLUDE_DIRS} include)
add_compile_definitions(__HIP_PLATFORM_AMD__=1)
set_source_files_properties(src/lift.cu PROPERTIES LANGUAGE HIP)
add_library(wavelets SHARED src/lift.cu src/glue.cpp)
target_compile_options(wavelets PRIVATE "$<$<COMPILE_LANGUAGE:HIP>:${HIP_COMPILE_FLAGS}>")
target_link_libraries(wavelets roc::hipblas)
target_link_libraries(wavelets hip::host roc::hipsparse)
"""


def test_project_of_findcudas_era(convert: Convert) -> None:
    done = convert(WAVELETS)
    assert done.text() == FOR_ROCM
    assert done.said(Severity.WARNING) == done.errors == []


def test_lines_may_end_with_carriage_returns(convert: Convert) -> None:
    text = convert(WAVELETS.replace("\n", "\r\n")).text()
    assert text == FOR_ROCM.replace("\n", "\r\n")


def test_optional_cuda_is_optional_hip(convert: Convert) -> None:
    done = convert("find_package(CUDA QUIET)\nif(CUDA_FOUND)\nendif()\n")
    assert done.lines[3:] == [
        "include(CheckLanguage)",
        "check_language(HIP)",
        "if(CMAKE_HIP_COMPILER)",
        "  enable_language(HIP)",
        "  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)",
        "  list(APPEND CMAKE_BUILD_RPATH ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)",
        f"  list(APPEND CMAKE_PREFIX_PATH {ROOT} $ENV{{ROCM_PATH}} /opt/rocm)",
        "  find_package(hip QUIET)",
        "endif()",
        "if(hip_FOUND)",
        "endif()",
    ]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        (
            'set(CUDA_NVCC_FLAGS "${CUDA_NVCC_FLAGS} -O3 -arch=sm_35 -std=c++11")',
            ['set(HIP_COMPILE_FLAGS "${HIP_COMPILE_FLAGS};-O3;-std=c++11")'],
        ),
        ("set(CUDA_NVCC_FLAGS_DEBUG -G;-g)", ["set(HIP_COMPILE_FLAGS_DEBUG -g;-g)"]),
        ("list(APPEND CUDA_NVCC_FLAGS -gencode arch=compute_${a},code=sm_${a})", []),
        ("cuda_include_directories(include)", ["include_directories(include)"]),
        ("cuda_build_clean_target()", []),
        ("cuda_select_nvcc_arch_flags(FLAGS Auto)", []),
        ("set(CUDA_PROPAGATE_HOST_FLAGS OFF)", []),
        ("set(CUDA_SEPARABLE_COMPILATION OFF)", []),
        ("CUDA_ADD_CUFFT_TO_TARGET(t)", ["target_link_libraries(t hip::hipfft)"]),
        (
            "cuda_add_executable(t a.cpp OPTIONS -DX --ptxas-options=-v DEBUG -G)",
            [
                "add_executable(t a.cpp)",
                f'{OPTIONS} "$<{HIP}:-DX;-Rpass-analysis=kernel-resource-usage>")',
                f'{OPTIONS} "$<$<AND:{HIP},$<CONFIG:Debug>>:-g>")',
                "target_link_libraries(t hip::host)",
            ],
        ),
        (
            "cuda_compile(OBJECTS a.cpp)",
            [
                "add_library(OBJECTS_objects OBJECT a.cpp)",
                "set(OBJECTS $<TARGET_OBJECTS:OBJECTS_objects>)",
            ],
        ),
        (
            "set_source_files_properties(a.cpp PROPERTIES CUDA_SOURCE_PROPERTY_FORMAT OBJ)",
            ["set_source_files_properties(a.cpp PROPERTIES LANGUAGE HIP)"],
        ),
        (
            "target_link_libraries(t ${CUDA_CUBLAS_LIBRARIES} x ${CUDA_curand_LIBRARY})",
            ["target_link_libraries(t roc::hipblas x hip::hiprand)"],
        ),
    ],
)
def test_command(convert: Convert, cuda: str, hip: list[str]) -> None:
    done = convert(f"find_package(CUDA REQUIRED)\nset(A b)\n{cuda}\n")
    assert done.errors == []
    assert done.lines[done.lines.index("set(A b)") + 1 :] == hip


@pytest.mark.parametrize(
    "command",
    [
        "cuda_compile_ptx(P a.cu)",
        "cuda_wrap_srcs(a)",
        "cuda_unheard_of(a)",
        "set(X ${CUDA_SDK_ROOT_DIR})",
    ],
)
def test_file_is_left_alone_with_what_has_no_counterpart(convert: Convert, command: str) -> None:
    text = f"find_package(CUDA REQUIRED)\n{command}\n"
    done = convert(text)
    assert done.text() == text
    assert (2, "BLD010") in done.errors


def test_own_command_with_cudas_prefix_stays(convert: Convert) -> None:
    text = "function(cuda_of_ours x)\nendfunction()\ncuda_of_ours(1)\n"
    assert convert(text).text() == text


def test_keyword_of_linking_is_kept(convert: Convert) -> None:
    done = convert("set(CUDA_LINK_LIBRARIES_KEYWORD PUBLIC)\ncuda_add_library(t a.cpp)\n")
    assert done.lines[-1] == "target_link_libraries(t PUBLIC hip::host)"
