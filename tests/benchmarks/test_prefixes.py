"""The headers that a preprocessed unit begins with."""

import pytest

from benchmarks.real_trees.prefixes import Prefix, prefix_of

HEAVY = "\n".join(["int heavy;"] * 120_000)


def preprocessed(*parts: str, root: str = "") -> bytes:
    """Return a unit as clang writes it: what it includes itself, then the parts."""
    own = f"{root}op.cu"
    head = f'# 1 "{own}"\n# 1 "<built-in>" 1\n# 1 "/llvm/wrapper.h" 1 3\nint device;\n'
    back = f'# 2 "<built-in>" 2\n# 1 "{own}" 2\n'
    return f"{head}{back}{''.join(parts)}".encode()


def header(path: str, text: str, includer: str = "op.cu") -> str:
    """Return a header's text between the lines that enter and leave it."""
    return f'# 1 "{path}" 1 3\n{text}\n# 2 "{includer}" 2\n'


def test_headers_of_others_are_the_prefix_up_to_the_first_heavy_one() -> None:
    data = preprocessed(
        "\n",
        header("/c++/vector", "class vector;"),
        header("/torch/torch.h", header("/torch/ATen.h", HEAVY, "/torch/torch.h") + "int t;"),
        header("/c++/map", "class map;"),
        "int own;\n",
    )
    assert prefix_of(data, "/tree").headers == ("/c++/vector", "/torch/torch.h")


def test_header_of_the_tree_is_looked_into_when_it_comes_first() -> None:
    inner = header("/torch/torch.h", HEAVY, "/tree/csrc/all.h")
    data = preprocessed(header("/tree/csrc/all.h", f"#pragma once\n{inner}int own;"))
    assert prefix_of(data, "/tree").headers == ("/torch/torch.h",)


@pytest.mark.parametrize(
    "parts",
    [
        ["int own;\n", header("/torch/torch.h", HEAVY)],
        [header("/tree/a.h", "int own;"), header("/torch/torch.h", HEAVY)],
        [header("/c++/vector", "class vector;"), "int own;\n"],
        ["#pragma pack(1)\n", header("/torch/torch.h", HEAVY)],
        [],
    ],
)
def test_prefix_is_empty_when_code_of_the_tree_or_nothing_heavy_comes_first(
    parts: list[str],
) -> None:
    assert prefix_of(preprocessed(*parts), "/tree") == Prefix()


def test_prefixes_are_equal_when_only_the_includers_differ() -> None:
    torch = header("/torch/torch.h", HEAVY)
    first = preprocessed(header("/tree/a.h", f"\n{torch}\nint a;"))
    other = preprocessed(torch, "int b;\n", root="/elsewhere/")
    assert prefix_of(first, "/tree") == prefix_of(other, "/elsewhere")


def test_prefixes_differ_when_a_macro_changes_the_header() -> None:
    one = prefix_of(preprocessed(header("/torch/torch.h", HEAVY)), "/tree")
    two = prefix_of(preprocessed(header("/torch/torch.h", HEAVY + "\nint more;")), "/tree")
    assert one.headers == two.headers
    assert one.digest != two.digest
