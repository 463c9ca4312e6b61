"""Device functions of ordinary names in the header, and what they return."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from porting.headers.parts import parts_for

Make = Callable[..., Any]
CALL = "__device__ unsigned f(unsigned a) { return umin(a, 3u) + __dp4a(a, a, 1u); }\n"


def test_functions_that_rename_mode_rewrites_are_in_the_header(make: Make) -> None:
    made = make(CALL)
    assert made.said() == []
    assert "__device__ inline unsigned umin(unsigned a, unsigned b)" in made.text


def test_function_of_the_tree_is_not_in_the_header(make: Make) -> None:
    made = make({"a.cu": CALL, "b.cuh": "__device__ unsigned umin(unsigned a, unsigned b);\n"})
    assert "umin" not in made.text
    assert "__dp4a" in made.text


def test_products_of_bytes_are_those_of_the_definition(tmp_path: Path) -> None:
    (part,) = parts_for(["__dp4a"])
    source = tmp_path / "dp4a.cpp"
    source.write_text(
        "#define __device__\nstruct char4 { signed char x, y, z, w; };\n"
        "struct uchar4 { unsigned char x, y, z, w; };\n"
        f"{part.text}"
        "int main() {\n"
        "  if (__dp4a(int(0x80ff0102u), 0x7f010203, 5) != -128 * 127 - 1 + 2 + 6 + 5) return 1;\n"
        "  if (__dp4a(0x80ff0102u, 0x7f010203u, 5u) != 128 * 127 + 255 + 2 + 6 + 5) return 2;\n"
        "  return __dp4a(char4{-1, 2, 3, 4}, char4{5, 6, 7, 8}, 9) != -5 + 12 + 21 + 32 + 9;\n}\n"
    )
    program = tmp_path / "dp4a"
    for command in (["g++", "-std=c++17", "-o", str(program), str(source)], [str(program)]):
        subprocess.run(command, check=True, timeout=60)
