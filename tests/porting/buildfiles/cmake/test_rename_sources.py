"""Sources with CUDA's suffix are HIP's, however a build names them."""

from collections.abc import Callable
from typing import Any

import pytest

Convert = Callable[..., Any]

HEAD = "project(p LANGUAGES CUDA)\n"
PROPERTY = "set_source_files_properties"


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("add_library(t a.cu b.cpp)", [f"{PROPERTY}(a.cu PROPERTIES LANGUAGE HIP)", 0]),
        ("target_sources(t PRIVATE a.cu)", [f"{PROPERTY}(a.cu PROPERTIES LANGUAGE HIP)", 0]),
        ("add_executable(t $<$<BOOL:1>:a.cu>)", [f"{PROPERTY}(a.cu PROPERTIES LANGUAGE HIP)", 0]),
        ("set(S b.cpp a.cu)", [0, f"{PROPERTY}(a.cu PROPERTIES LANGUAGE HIP)"]),
        ("list(APPEND S a.cu)", [0, f"{PROPERTY}(a.cu PROPERTIES LANGUAGE HIP)"]),
        ("file(GLOB S src/*.cu)", [0, f"{PROPERTY}(${{S}} PROPERTIES LANGUAGE HIP)"]),
        (
            "file(GLOB_RECURSE S CONFIGURE_DEPENDS *.cu *.cpp)",
            [
                0,
                "set(hip_sources ${S})",
                'list(FILTER hip_sources INCLUDE REGEX "\\\\.cu$")',
                f"{PROPERTY}(${{hip_sources}} PROPERTIES LANGUAGE HIP)",
            ],
        ),
        ("file(GLOB S *.cpp)", [0]),
        (
            "add_library(t ${UNKNOWN})",
            [
                0,
                "get_target_property(hip_sources t SOURCES)",
                'list(FILTER hip_sources INCLUDE REGEX "\\\\.cu$")',
                f"{PROPERTY}(${{hip_sources}} PROPERTIES LANGUAGE HIP)",
            ],
        ),
        ("add_library(t INTERFACE)", [0]),
        ("add_library(t ALIAS u)", [0]),
    ],
)
def test_language_is_set(convert: Convert, command: str, lines: list[str | int]) -> None:
    done = convert({"CMakeLists.txt": f"{HEAD}{command}\n", "a.cu": ""})
    assert done.lines[6:] == [command if line == 0 else line for line in lines]


def test_known_list_is_not_asked_for_again(convert: Convert) -> None:
    done = convert({"CMakeLists.txt": f"{HEAD}set(S a.cu)\nadd_library(t ${{S}})\n", "a.cu": ""})
    assert "get_target_property" not in done.text()


def test_source_of_two_targets_is_set_once(convert: Convert) -> None:
    done = convert({"CMakeLists.txt": f"{HEAD}add_library(t a.cu)\nadd_library(u a.cu)\n"})
    assert done.text().count("LANGUAGE HIP") == 1


def test_many_sources_stand_on_lines_of_their_own(convert: Convert) -> None:
    names = " ".join(f"kernels/number_{i}.cu" for i in range(5))
    done = convert(f"{HEAD}if(A)\n  add_library(t {names})\nendif()\n")
    assert done.lines[7:9] == [f"  {PROPERTY}(", "    kernels/number_0.cu"]
    assert done.lines[13] == "    PROPERTIES LANGUAGE HIP)"
