"""Packages and libraries of CUDA become ROCm's."""

from collections.abc import Callable
from typing import Any

import pytest

Convert = Callable[..., Any]

HEAD = "project(p LANGUAGES CXX CUDA)\n"
ROOT = "${CMAKE_HIP_COMPILER_ROCM_ROOT}"
PREFIX = f"list(APPEND CMAKE_PREFIX_PATH {ROOT} $ENV{{ROCM_PATH}} /opt/rocm)"


def test_toolkit_is_hip_and_the_packages_of_what_is_linked_anywhere(convert: Convert) -> None:
    done = convert(
        {
            "CMakeLists.txt": f"{HEAD}find_package(CUDAToolkit 12.4 REQUIRED)\nset(A b)\n",
            "a/CMakeLists.txt": "target_link_libraries(t PRIVATE CUDA::cublas CUDA::cufft)\n",
        }
    )
    assert done.lines[6:] == [
        PREFIX,
        "find_package(hip REQUIRED)",
        "find_package(hipblas REQUIRED)",
        "find_package(hipfft REQUIRED)",
        "set(A b)",
    ]
    assert done.text("a/CMakeLists.txt") == (
        "target_link_libraries(t PRIVATE roc::hipblas hip::hipfft)\n"
    )


def test_packages_are_found_with_the_language_where_no_toolkit_was(convert: Convert) -> None:
    done = convert(f"{HEAD}target_link_libraries(t cusparse)\n")
    assert done.lines[6:] == [
        PREFIX,
        "find_package(hip REQUIRED)",
        "find_package(hipsparse REQUIRED)",
        "target_link_libraries(t roc::hipsparse)",
    ]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("CUDA::cudart_static CUDA::cuda_driver", "hip::host"),
        ("cudart cuda m", "hip::host m"),
        ("-lcublas -lrt", "roc::hipblas -lrt"),
        ("CUDA::nvrtc CUDA::cusolver", "hiprtc::hiprtc roc::hipsolver"),
        ("CUDA::curand cudadevrt", "hip::hiprand"),
        ("nccl", "roc::rccl"),
        ("PRIVATE CUDA::nvToolsExt x", "PRIVATE x"),
        ("PUBLIC $<BUILD_INTERFACE:CUDA::cublasLt>", "PUBLIC $<BUILD_INTERFACE:roc::hipblaslt>"),
    ],
)
def test_libraries_become_targets(convert: Convert, cuda: str, hip: str) -> None:
    done = convert(f"{HEAD}target_link_libraries(t {cuda})\n")
    assert done.errors == []
    assert done.lines[-1] == f"target_link_libraries(t {hip})"


def test_markers_are_linked_where_a_source_makes_them(convert: Convert) -> None:
    files = {"CMakeLists.txt": f"{HEAD}target_link_libraries(t CUDA::nvtx3)\n"}
    done = convert({**files, "a.cpp": 'nvtxRangePushA("x");'})
    assert done.lines[-2:] == [
        "find_library(ROCTX64_LIBRARY roctx64 REQUIRED)",
        "target_link_libraries(t ${ROCTX64_LIBRARY})",
    ]


def test_own_target_with_a_librarys_name_stays(convert: Convert) -> None:
    text = "add_library(cublas b.cpp)\ntarget_link_libraries(t cublas)\n"
    assert convert(HEAD + text).text().endswith(text)


def test_headers_for_other_compilers_come_with_the_platform(convert: Convert) -> None:
    done = convert(
        f"{HEAD}target_include_directories(t PRIVATE ${{CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}})\n"
    )
    assert done.lines[6:] == [
        PREFIX,
        "find_package(hip REQUIRED)",
        "target_include_directories(t PRIVATE ${hip_INCLUDE_DIRS})",
        "target_compile_definitions(t PRIVATE __HIP_PLATFORM_AMD__=1)",
    ]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        (
            "find_path(D nccl.h)",
            f"find_path(D rccl/rccl.h HINTS {ROOT}/include)",
        ),
        (
            "find_library(L NAMES nccl HINTS $ENV{NCCL_HOME})",
            f"find_library(L NAMES rccl HINTS {ROOT}/lib $ENV{{NCCL_HOME}})",
        ),
        (
            "find_library(L cuda PATHS ${CUDA_TOOLKIT_ROOT_DIR}/lib64/stubs)",
            f"find_library(L amdhip64 HINTS {ROOT}/lib PATHS {ROOT}/lib)",
        ),
        ("find_package(NCCL REQUIRED)", "find_package(rccl REQUIRED)"),
        ("find_package(CUB 1.17)", "find_package(hipcub)"),
        ("find_package(Torch REQUIRED)", "find_package(Torch REQUIRED)"),
    ],
)
def test_what_is_looked_for_is_rocms(convert: Convert, cuda: str, hip: str) -> None:
    assert convert(f"{HEAD}{cuda}\n").lines[-1] == hip


def test_package_with_a_module_of_the_tree_stays(convert: Convert) -> None:
    done = convert(
        {
            "CMakeLists.txt": f"{HEAD}find_package(NCCL REQUIRED)\n",
            "cmake/FindNCCL.cmake": "find_library(NCCL_LIBRARY nccl)\n",
        }
    )
    assert done.lines[-1] == "find_package(NCCL REQUIRED)"
    assert "rccl" in done.text("cmake/FindNCCL.cmake")


def test_checked_language_is_enabled_where_it_was(convert: Convert) -> None:
    done = convert(
        "include(CheckLanguage)\ncheck_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\n"
        "  enable_language(CUDA)\nendif()\n"
    )
    assert done.lines == [
        "include(CheckLanguage)",
        "if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)",
        "  set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942)",
        "endif()",
        "check_language(HIP)",
        "if(CMAKE_HIP_COMPILER)",
        "  enable_language(HIP)",
        "  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)",
        "  list(APPEND CMAKE_BUILD_RPATH ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)",
        "endif()",
    ]
