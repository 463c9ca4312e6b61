"""CMake's CUDA language becomes HIP."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.diagnostics import Severity

Convert = Callable[..., Any]

HEAD = "cmake_minimum_required(VERSION 3.24)\nproject(p LANGUAGES CXX CUDA)\n"
CLANG = (
    "${CMAKE_HIP_COMPILER} --rocm-path=${CMAKE_HIP_COMPILER_ROCM_ROOT}"
    " --offload-arch=gfx90a --offload-arch=gfx942 -x hip"
)
HIP_HEAD = """\
cmake_minimum_required(VERSION 3.24)
if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)
  set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942)
endif()
project(p LANGUAGES CXX HIP)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
list(APPEND CMAKE_BUILD_RPATH ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)
"""


def test_language_is_hip_with_the_targets_architectures(convert: Convert) -> None:
    done = convert(HEAD)
    assert done.text() == HIP_HEAD
    assert done.said() == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("3.10", "3.21.3"),
        ("3.21.1", "3.21.3"),
        ("3.18...3.27", "3.21.3...3.27"),
        ("3.5...3.20", "3.21.3"),
        ("3.22", "3.22"),
        ("4.0", "4.0"),
    ],
)
def test_minimum_version_knows_hip(convert: Convert, before: str, after: str) -> None:
    done = convert(f"cmake_minimum_required(VERSION {before} FATAL_ERROR)\nproject(p CUDA)\n")
    assert done.lines[0] == f"cmake_minimum_required(VERSION {after} FATAL_ERROR)"


def test_architectures_that_the_tree_sets_first_are_the_targets(convert: Convert) -> None:
    done = convert('set(CMAKE_CUDA_ARCHITECTURES "70;80" CACHE STRING "doc")\nproject(p CUDA)\n')
    assert done.lines[:2] == [
        'set(CMAKE_HIP_ARCHITECTURES "gfx90a;gfx942" CACHE STRING "doc")',
        "project(p HIP)",
    ]


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("set(CMAKE_CUDA_STANDARD 17)", "set(CMAKE_HIP_STANDARD 17)"),
        ("set(CMAKE_CUDA_ARCHITECTURES 70 80)", "set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942)"),
        (
            'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -lineinfo -Xcompiler -Wall")',
            'set(CMAKE_HIP_FLAGS "${CMAKE_HIP_FLAGS} -gline-tables-only -Wall")',
        ),
        (
            'string(APPEND CMAKE_CUDA_FLAGS_RELEASE " --use_fast_math")',
            'string(APPEND CMAKE_HIP_FLAGS_RELEASE " -ffast-math")',
        ),
        ("set(CMAKE_CUDA_COMPILER_LAUNCHER ccache)", "set(CMAKE_HIP_COMPILER_LAUNCHER ccache)"),
        (
            "target_compile_features(t PUBLIC cuda_std_17)",
            "target_compile_features(t PUBLIC hip_std_17)",
        ),
        (
            "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -dlto>)",
            "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-gline-tables-only>)",
        ),
        (
            'add_compile_options("$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-a,-b>")',
            'add_compile_options("$<$<COMPILE_LANG_AND_ID:HIP,Clang>:-a;-b>")',
        ),
        (
            "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda> -O2)",
            "target_compile_options(t PRIVATE -O2)",
        ),
        (
            'add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -fPIC>")',
            'add_compile_options("$<$<COMPILE_LANGUAGE:HIP>:SHELL:-fPIC>")',
        ),
        (
            "target_compile_options(t PRIVATE --use_fast_math -Xcompiler=-Wall)",
            "target_compile_options(t PRIVATE -ffast-math -Wall)",
        ),
        (
            "target_compile_definitions(t PRIVATE A __CUDA_NO_HALF_OPERATORS__ B)",
            "target_compile_definitions(t PRIVATE A __HIP_NO_HALF_OPERATORS__=1 B)",
        ),
        (
            "add_definitions(-DCUDA_API_PER_THREAD_DEFAULT_STREAM)",
            "add_definitions(-DHIP_API_PER_THREAD_DEFAULT_STREAM=1)",
        ),
        (
            'set(CMAKE_CUDA_FLAGS "-Xcompiler=\\"-Wall -Wextra\\" -DA=\\"b c\\" -w")',
            'set(CMAKE_HIP_FLAGS "-Wall -Wextra -DA=\\"b c\\" -w")',
        ),
        (
            "add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:\n  -lineinfo # all\n  -dlto\n>)",
            "add_compile_options($<$<COMPILE_LANGUAGE:HIP>:\n  -gline-tables-only # all\n>)",
        ),
        (
            "set(MY_OPTIONS -O3;--expt-relaxed-constexpr;-lineinfo)",
            "set(MY_OPTIONS -O3;-gline-tables-only)",
        ),
        (
            'set_target_properties(t PROPERTIES CUDA_ARCHITECTURES "70;80")',
            'set_target_properties(t PROPERTIES HIP_ARCHITECTURES "${CMAKE_HIP_ARCHITECTURES}")',
        ),
        (
            "set_property(TARGET t PROPERTY CUDA_ARCHITECTURES 70 80)",
            'set_property(TARGET t PROPERTY HIP_ARCHITECTURES "${CMAKE_HIP_ARCHITECTURES}")',
        ),
        (
            "set_source_files_properties(a.cpp PROPERTIES LANGUAGE CUDA)",
            "set_source_files_properties(a.cpp PROPERTIES LANGUAGE HIP)",
        ),
        (
            "set_target_properties(t PROPERTIES LINKER_LANGUAGE CUDA)",
            "set_target_properties(t PROPERTIES LINKER_LANGUAGE HIP)",
        ),
        ('if("CUDA" IN_LIST languages)', 'if("HIP" IN_LIST languages)'),
        (
            'if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")',
            'if(CMAKE_HIP_COMPILER_ID STREQUAL "Clang")',
        ),
        (
            "target_compile_definitions(t PUBLIC $<$<CUDA_COMPILER_ID:NVIDIA>:X>)",
            "target_compile_definitions(t PUBLIC $<$<HIP_COMPILER_ID:Clang>:X>)",
        ),
        (
            "link_directories(/usr/local/cuda-12.4/lib64/stubs)",
            "link_directories(${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)",
        ),
        ("set(HOME_OF_IT $ENV{CUDA_HOME})", "set(HOME_OF_IT $ENV{ROCM_PATH})"),
        (
            "set(OURS ${CUDA_SOURCES_OF_OURS} -DUSE_CUDA)",
            "set(OURS ${CUDA_SOURCES_OF_OURS} -DUSE_CUDA)",
        ),
    ],
)
def test_command_is_for_hip(convert: Convert, cuda: str, hip: str) -> None:
    end = "\nendif()" if cuda.startswith("if(") else ""
    done = convert(f"{HEAD}{cuda}{end}\n")
    assert done.errors == []
    assert done.text() == f"{HIP_HEAD}{hip}{end}\n"


@pytest.mark.parametrize(
    "command",
    [
        "set(CMAKE_CUDA_HOST_COMPILER g++-11)",
        "set(CMAKE_CUDA_RUNTIME_LIBRARY Static)",
        "set(CUDA_TOOLKIT_ROOT_DIR /opt/cuda)",
        "set_target_properties(t PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON)",
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)",
        "list(APPEND CMAKE_CUDA_ARCHITECTURES 90)",
        "include(FindCUDA/select_compute_arch)",
        "target_link_options(t PRIVATE $<DEVICE_LINK:-dlto>)",
    ],
)
def test_command_is_taken_out_with_its_line_and_a_note(convert: Convert, command: str) -> None:
    done = convert(f"{HEAD}{command}\nset(A b)\n  {command} # why\n")
    assert done.text() == f"{HIP_HEAD}set(A b)\n   # why\n"
    assert [line for line, _ in done.said()] == [3, 5]
    assert {code for _, code in done.said()} <= {"BLD012", "BLD019"}


def test_default_of_the_architectures_is_not_set_twice(convert: Convert) -> None:
    again = (
        "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n  set(CMAKE_CUDA_ARCHITECTURES 80)\nendif()\n"
    )
    assert convert(f"{HEAD}{again}set(A b)\n").text() == f"{HIP_HEAD}set(A b)\n"


def test_library_with_an_interface_of_its_own_is_a_warning(convert: Convert) -> None:
    done = convert(f"{HEAD}target_link_libraries(t PRIVATE cudnn)\n")
    assert done.lines[-1] == "target_link_libraries(t PRIVATE MIOpen)"
    assert done.said(Severity.WARNING) == [(3, "BLD020")]


def test_separable_compilation_is_linked_by_clang(convert: Convert) -> None:
    done = convert(
        f"{HEAD}add_library(s STATIC a.cpp)\n"
        "set_target_properties(s PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"
        "set_target_properties(t PROPERTIES A b CUDA_SEPARABLE_COMPILATION ${SEP} C d)\n"
    )
    assert done.text() == (
        f"{HIP_HEAD}add_library(s STATIC a.cpp)\n"
        "target_compile_options(s PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>)\n"
        'target_link_options(s PUBLIC "$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>")\n'
        "set_target_properties(t PROPERTIES A b C d)\n"
        "target_compile_options(t PRIVATE"
        " $<$<AND:$<BOOL:${SEP}>,$<COMPILE_LANGUAGE:HIP>>:-fgpu-rdc>)\n"
        "target_link_options(t PRIVATE"
        ' "$<$<AND:$<BOOL:${SEP}>,$<LINK_LANGUAGE:HIP>>:-fgpu-rdc;--hip-link>")\n'
    )


def test_relocatable_code_by_an_option_is_linked_by_clang(convert: Convert) -> None:
    done = convert(
        f"{HEAD}target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-rdc=true>)\n"
    )
    assert done.lines[-2:] == [
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>)",
        'target_link_options(t PRIVATE "$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>")',
    ]


def test_version_of_cuda_is_decided_as_the_one_that_hip_follows(convert: Convert) -> None:
    done = convert(
        f"{HEAD}if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 11.2)\nendif()\n"
        'message(STATUS "${CUDAToolkit_VERSION}")\n'
    )
    assert done.lines[-3:] == [
        "if(12.8 VERSION_GREATER_EQUAL 11.2)",
        "endif()",
        'message(STATUS "${hip_VERSION}")',
    ]
    assert done.said(Severity.WARNING) == [(3, "BLD017")]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("set_target_properties(t PROPERTIES CUDA_PTX_COMPILATION ON)", "BLD010"),
        ("math(EXPR x ${CMAKE_CUDA_COMPILER_VERSION})", "BLD010"),
        ("target_compile_options(t PRIVATE $<$<CUDA_COMPILER_VERSION:12>:-v>)", "BLD010"),
        ("execute_process(COMMAND nvcc --version OUTPUT_VARIABLE v)", "BLD010"),
        ("foreach(a ${CMAKE_CUDA_ARCHITECTURES_ALL})\nendforeach()", "BLD010"),
        ("target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-dlink>)", "BLD014"),
        ("target_link_libraries(t CUDA::nppc)", "BLD016"),
        ("find_package(CUDNN REQUIRED)", "BLD016"),
        (
            "FetchContent_Declare(cutlass GIT_REPOSITORY https://github.com/NVIDIA/cutlass.git)",
            "BLD016",
        ),
        ('CPMAddPackage("gh:NVIDIA/cccl@2.3")', "BLD016"),
    ],
)
def test_file_is_left_alone_with_an_error_where_it_cannot_be_converted(
    convert: Convert, command: str, code: str
) -> None:
    text = f"{HEAD}set(CMAKE_CUDA_STANDARD 17)\n{command}\n"
    done = convert(text)
    assert done.text() == text
    assert done.errors[0] == (4, code)


def test_calls_of_nvcc_become_calls_of_clang(convert: Convert) -> None:
    done = convert(
        f"{HEAD}add_custom_command(OUTPUT k COMMAND ${{CMAKE_CUDA_COMPILER}} -fatbin -arch=sm_80"
        " k.cu -o k)\nfind_program(NVCC nvcc)\n"
    )
    assert done.lines[-2:] == [
        f"add_custom_command(OUTPUT k COMMAND {CLANG} --offload-device-only k.cu -o k)",
        "set(NVCC ${CMAKE_HIP_COMPILER})",
    ]
    assert done.said(Severity.WARNING) == [(3, "BLD018"), (4, "BLD018")]


def test_hip_is_enabled_when_only_a_command_runs_nvcc(convert: Convert) -> None:
    tree = convert(
        "cmake_minimum_required(VERSION 3.10)\nproject(x CXX)\nfind_package(CUDAToolkit REQUIRED)\n"
        "add_custom_command(OUTPUT k.o COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -c k.cu -o k.o)\n"
    )
    lines = tree.lines
    assert lines[0] == "cmake_minimum_required(VERSION 3.21.3)"
    assert "  set(CMAKE_HIP_ARCHITECTURES gfx90a gfx942)" in lines
    at = lines.index("project(x CXX)")
    assert lines.index("enable_language(HIP)") > at
    assert "list(APPEND CMAKE_BUILD_RPATH ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib)" in lines
