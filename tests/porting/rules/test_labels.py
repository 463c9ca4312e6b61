"""Case labels that are one value in HIP."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import labels

# Two texture limits of CUDA are one attribute in HIP.
WIDTH = "cudaDevAttrMaxTexture2DGatherWidth"
HEIGHT = "cudaDevAttrMaxTexture2DGatherHeight"


def switch(body: str) -> str:
    return f"int f(int a) {{\n  switch (a) {{\n{body}  }}\n  return 0;\n}}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"  case {WIDTH}: return 1;\n  case {HEIGHT}: return 2;\n  default: return 3;\n",
            f"  case {WIDTH}: return 1;\n  default: return 3;\n",
        ),
        (
            f"  case {WIDTH}:\n  case {HEIGHT}:\n    return 2;\n",
            f"  case {WIDTH}:\n    return 2;\n",
        ),
        (
            f"  case {WIDTH}: case {HEIGHT}: return 2;\n",
            f"  case {WIDTH}: return 2;\n",
        ),
        (
            f"  case {WIDTH}: g(); break;\n  case {HEIGHT}: {{ h(); break; }}\n",
            f"  case {WIDTH}: g(); break;\n",
        ),
        (
            f"  case {WIDTH}: return 1;\n  case {HEIGHT}: case 7: return 2;\n",
            f"  case {WIDTH}: return 1;\n  case 7: return 2;\n",
        ),
    ],
)
def test_later_label_goes(ported: Callable[..., Any], body: str, expected: str) -> None:
    done = ported(labels.check, switch(body))
    assert done.text == switch(expected)
    (found,) = done.findings
    assert (found.code, found.symbol) == ("LBL001", HEIGHT)
    assert WIDTH in found.message


def test_label_that_runs_into_the_next_is_an_error(ported: Callable[..., Any]) -> None:
    text = switch(f"  case {WIDTH}: return 1;\n  case {HEIGHT}: g();\n  default: return 3;\n")
    done = ported(labels.check, text)
    assert done.text == text
    assert done.said() == [(4, "LBL002")]


def test_label_made_by_a_macro_goes(ported: Callable[..., Any]) -> None:
    macro = "#define CASE(x) case x: return #x;\n"
    done = ported(labels.check, macro + switch(f"  CASE({WIDTH})\n  CASE({HEIGHT})\n"))
    assert done.text == macro + switch(f"  CASE({WIDTH})\n")


def test_aliases_of_hip_are_one_value(ported: Callable[..., Any]) -> None:
    text = switch(
        "  case hipErrorMemoryAllocation: return 1;\n  case cudaErrorMemoryAllocation: return 2;\n"
    )
    assert "cudaErrorMemoryAllocation" not in ported(labels.check, text).text


@pytest.mark.parametrize(
    "body",
    [
        "  case cudaSuccess: return 1;\n  case cudaErrorUnknown: return 2;\n",
        f"  case {WIDTH}: switch (b) {{ case {HEIGHT}: return 1; }} return 2;\n",
        f"  case {WIDTH}: return 1;\n  case N::x: return 2;\n",
    ],
)
def test_different_values_stay(ported: Callable[..., Any], body: str) -> None:
    done = ported(labels.check, switch(body))
    assert done.text == switch(body)
    assert done.findings == ()
