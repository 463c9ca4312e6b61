"""Units with kernels, as build systems write them down."""

import json
from pathlib import Path

import pytest

from porting.emulate.units import Unit, units_of
from porting.errors import InputError


def written(folder: Path, *commands: str) -> Path:
    entries = [
        {"directory": str(folder), "file": command.split()[-1], "command": command}
        for command in commands
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def test_unit_when_cmake_wrote_its_command(tmp_path: Path) -> None:
    command = "/cuda/bin/nvcc -DNDEBUG -isystem=/sys -Iown --std c++20 -include=p.h -O2 -c a.cu"
    flags = ("-DNDEBUG", "-isystem", "/sys", "-I", f"{tmp_path}/own", "-std=c++20")
    assert units_of(written(tmp_path, command)) == [
        Unit(tmp_path / "a.cu", tmp_path, "cuda", (*flags, "-include", "p.h"))
    ]


def test_unit_when_options_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "options.rsp").write_text("-rdc=true -I'/with space'")
    [unit] = units_of(written(tmp_path, "nvcc --options-file options.rsp -c a.cu"))
    assert unit.flags == ("-I", "/with space")
    assert unit.is_relocatable


def test_units_when_one_source_is_read_in_two_ways(tmp_path: Path) -> None:
    hip = "clang++ -x hip --offload-arch=gfx90a -std=hip17"
    found = units_of(written(tmp_path, f"{hip} -DA -c a.cu", f"{hip} -c a.cu", "g++ -c b.cpp"))
    assert [(unit.language, unit.flags) for unit in found] == [
        ("hip", ("-std=c++17", "-DA")),
        ("hip", ("-std=c++17",)),
    ]


@pytest.mark.parametrize("text", ["{", '[{"file": "a.cu"}]', "[3]"])
def test_database_when_it_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "compile_commands.json").write_text(text)
    with pytest.raises(InputError, match=r"compile_commands\.json is no compilation database"):
        units_of(tmp_path)
