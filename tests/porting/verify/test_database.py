"""Compile commands, of the tree's own build and of the input's."""

import json
from pathlib import Path
from typing import Any

import pytest

from porting.errors import InputError
from porting.verify import database
from porting.verify.database import Command


def write(root: Path, entries: list[dict[str, Any]], place: str = database.NAME) -> None:
    """Write a database into a tree that has src/a.cu and include/."""
    (root / "src").mkdir(parents=True, exist_ok=True)
    (root / "src/a.cu").write_text("")
    (root / "include").mkdir(exist_ok=True)
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).write_text(json.dumps(entries))


def entry(command: str, file: str = "/in/proj/src/a.cu") -> dict[str, str]:
    """Return an entry of the input's build."""
    return {"directory": "/in/proj/build", "file": file, "command": command}


def test_flags_when_the_input_was_built_with_nvcc(tmp_path: Path) -> None:
    toolkit = tmp_path.with_name("cuda") / "include"
    toolkit.mkdir(parents=True, exist_ok=True)
    (toolkit / "cuda_runtime_api.h").touch()
    (toolkit.parent / "other").mkdir(exist_ok=True)
    write(
        tmp_path,
        [
            entry(
                "nvcc -forward-unknown-to-host-compiler -DUSE_X=1 -D NAME -I/in/proj/include "
                f"-isystem={toolkit} -isystem={toolkit.parent}/other -I/nowhere "
                "--expt-relaxed-constexpr "
                "-gencode arch=compute_80,code=sm_80 -std=c++20 -O3 -rdc=true -x cu "
                "-c /in/proj/src/a.cu -o a.o"
            )
        ],
    )
    assert database.load(tmp_path) == {
        "src/a.cu": Command(
            (
                *("-DUSE_X=1", "-DNAME", "-I", f"{tmp_path}/include"),
                *("-isystem", f"{toolkit.parent}/other", "-std=c++20", "-fgpu-rdc"),
            ),
            is_hip=True,
        )
    }


def test_flags_when_paths_are_relative(tmp_path: Path) -> None:
    write(tmp_path, [entry("g++ -I../include -c ../src/a.cu", "../src/a.cu")])
    assert database.load(tmp_path)["src/a.cu"].flags == ("-I", f"{tmp_path}/include")


def test_flags_when_given_as_a_list(tmp_path: Path) -> None:
    arguments = ["c++", "-include", "/in/proj/include/../src/a.cu", "-UX", "-fno-rtti"]
    write(tmp_path, [{"directory": "/in/proj", "file": "src/a.cu", "arguments": arguments}])
    flags = database.load(tmp_path)["src/a.cu"].flags
    assert flags == ("-include", f"{tmp_path}/src/a.cu", "-UX", "-fno-rtti")


def test_database_when_in_the_build_folder(tmp_path: Path) -> None:
    write(tmp_path, [entry("g++ -DX -c a")], place=f"build/{database.NAME}")
    assert database.load(tmp_path)["src/a.cu"] == Command(("-DX",))


def test_database_when_files_are_not_of_the_tree(tmp_path: Path) -> None:
    write(tmp_path, [entry("g++ -c x.cu", "/in/proj/generated/x.cu")])
    assert database.load(tmp_path) == {}


def test_database_when_there_is_none(tmp_path: Path) -> None:
    assert database.load(tmp_path) == {}


@pytest.mark.parametrize("text", ["{", '[{"file": "a"}]', "[1]"])
def test_database_when_it_is_damaged(tmp_path: Path, text: str) -> None:
    (tmp_path / database.NAME).write_text(text)
    with pytest.raises(InputError, match=r"compile_commands\.json is no compilation database: "):
        database.load(tmp_path)
