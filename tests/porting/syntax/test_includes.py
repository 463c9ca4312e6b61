"""Header names in all the places where they stand."""

import pytest

from porting.syntax import header_names, tokenize


def found(source: str) -> list[tuple[str, bool, bool]]:
    return [(h.path, h.quoted, h.is_include) for h in header_names(source, tokenize(source))]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#include <cuda.h>", [("cuda.h", False, True)]),
        ('#include"cuda.h"', [("cuda.h", True, True)]),
        ("  #  include<cub/cub.cuh> // c", [("cub/cub.cuh", False, True)]),
        ("%:include <a.h>", [("a.h", False, True)]),
        ("#include /* c */ <a.h>", [("a.h", False, True)]),
        ("#include \\\n <a.h>", [("a.h", False, True)]),
        ("#include_next <a.h>", [("a.h", False, True)]),
        ('#import "a.h"', [("a.h", True, True)]),
        ("#include MACRO", []),
        ("#define MACRO <cuda.h>", [("cuda.h", False, False)]),
        ('#define MACRO "cuda.h"', [("cuda.h", True, False)]),
        ('#define MESSAGE "see cuda.h"', []),
        ("#if __has_include(<cuda.h>)", [("cuda.h", False, False)]),
        ('#elif defined(X) && __has_include("a.h") || __has_include(<b.h>)',
         [("a.h", True, False), ("b.h", False, False)]),
        ("#include <cuda.h", []),
        ("#include", []),
    ],
)  # fmt: skip
def test_header_names_are_found_in(source: str, expected: list[tuple[str, bool, bool]]) -> None:
    assert found(source) == expected


def test_offsets_enclose_the_path_alone() -> None:
    source = "x;\n#include  <cuda_runtime.h>\n"
    (header,) = header_names(source, tokenize(source))
    assert source[header.start : header.end] == "cuda_runtime.h"
