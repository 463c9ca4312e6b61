"""What was ported before stays, and what was converted is not converted again."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porting.config import Mode

Convert = Callable[..., Any]

HEAD = "cmake_minimum_required(VERSION 3.24)\nproject(p LANGUAGES CXX CUDA)\n"
PORTED = [
    "if(USE_ROCM)\n  enable_language(HIP)\nelse()\n  enable_language(CUDA)\nendif()\n",
    f"{HEAD}option(WITH_HIP off)\n",
    f"{HEAD}find_package(hip)\n",
    f"{HEAD}set(CMAKE_HIP_ARCHITECTURES gfx90a)\n",
    f"{HEAD}target_link_libraries(t $<$<BOOL:${{X}}>:hip::host>)\n",
]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("text", PORTED)
def test_file_that_knows_hip_stays(convert: Convert, text: str, mode: Mode) -> None:
    done = convert({"CMakeLists.txt": text, "a/CMakeLists.txt": "add_library(t a.cu)\n"}, mode)
    assert done.text() == text
    assert done.text("a/CMakeLists.txt") == "add_library(t a.cu)\n"
    assert done.said() == [(1, "BLD011"), (1, "BLD011")]
    assert done.converted.generated == {}


def test_comment_about_hip_is_no_port(convert: Convert) -> None:
    assert "LANGUAGES CXX HIP" in convert(f"{HEAD}# HIP some day\n").text()


@pytest.mark.parametrize(
    "text", ["project(p LANGUAGES CXX)\nadd_library(t a.cpp)\n", "", "set(A barracuda)\n"]
)
@pytest.mark.parametrize("mode", list(Mode))
def test_file_without_cuda_is_nobodys_business(convert: Convert, text: str, mode: Mode) -> None:
    done = convert(text, mode)
    assert done.text() == text
    assert done.said() == []
    assert done.converted.generated == {}


def test_text_that_is_no_cmake_is_an_error(convert: Convert) -> None:
    done = convert("find_package(CUDA)\nset(A\n")
    assert done.errors == [(2, "BLD010")]


_COMMANDS = st.sampled_from(
    [
        "find_package(CUDAToolkit REQUIRED)",
        "find_package(CUDA)",
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -lineinfo")',
        "list(APPEND CUDA_NVCC_FLAGS -O3 -arch=sm_80)",
        "cuda_add_library(t SHARED a.cu)",
        "add_library(t a.cu ${MORE})",
        "target_link_libraries(t CUDA::cublas cudart)",
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;--use_fast_math>)",
        "set_target_properties(t PROPERTIES CUDA_SEPARABLE_COMPILATION ON)",
        "set_target_properties(t PROPERTIES CUDA_PTX_COMPILATION ON)",
        "if(A)\n  include_directories(${CUDA_INCLUDE_DIRS}) # here\nendif()",
        "message(CUDA)",
    ]
)


@pytest.mark.parametrize("mode", list(Mode))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(commands=st.lists(_COMMANDS, max_size=6))
def test_second_port_changes_nothing(convert: Convert, mode: Mode, commands: list[str]) -> None:
    text = HEAD + "\n".join(commands) + "\n"
    once = convert(text, mode)
    again = convert(once.text(), mode)
    assert again.text() == once.text()
    changed = once.text() != text
    assert changed != bool(once.errors)
