"""Arguments of compilers, in each of the ways in which a flag and its value may be written."""

import pytest

from porting.verify.arguments import arguments_of, flags_of, is_relocatable


@pytest.mark.parametrize(
    ("words", "read"),
    [
        # CMake 3.25 writes the first for nvcc: CMAKE_INCLUDE_SYSTEM_FLAG_CUDA is "-isystem=".
        (["-isystem=/x"], ("-isystem", "/x")),
        (["-isystem", "/x"], ("-isystem", "/x")),
        (["--system-include=/x"], ("-isystem", "/x")),
        (["-I/x"], ("-I", "/x")),
        (["-I=/x"], ("-I", "/x")),
        (["-I", "/x"], ("-I", "/x")),
        (["--include-path", "/x"], ("-I", "/x")),
        (["-include=p.h"], ("-include", "p.h")),
        (["--pre-include=p.h"], ("-include", "p.h")),
        (["-DA=1"], ("-D", "A=1")),
        (["--define-macro=A=1"], ("-D", "A=1")),
        (["-U", "A"], ("-U", "A")),
        (["-std=c++20"], ("-std", "c++20")),
        (["-std", "c++20"], ("-std", "c++20")),
        (["--std=c++20"], ("-std", "c++20")),
        (["--std", "c++20"], ("-std", "c++20")),
        (["-stdlib=libc++"], ("", "-stdlib=libc++")),
        (["--include-pathological"], ("", "--include-pathological")),
        (["-O2"], ("", "-O2")),
    ],
)
def test_flag_however_it_is_written(words: list[str], read: tuple[str, str]) -> None:
    assert list(flags_of([*words, "-c"])) == [read, ("", "-c")]


def test_arguments_when_an_entry_has_a_command_or_a_list() -> None:
    assert arguments_of({"command": "nvcc '-DA=b c' -c a.cu"}) == ["-DA=b c", "-c", "a.cu"]
    assert arguments_of({"arguments": ["nvcc", "-dc", "a.cu"]}) == ["-dc", "a.cu"]


@pytest.mark.parametrize("flag", ["-dc", "-rdc=true", "-fgpu-rdc", "--device-c"])
def test_device_code_when_it_is_relocatable(flag: str) -> None:
    assert is_relocatable([flag])
    assert not is_relocatable(["-rdc=false"])
