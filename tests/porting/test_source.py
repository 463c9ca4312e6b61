"""A source file's bytes, lines and columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.source import C_SUFFIXES, Position, SourceFile


@given(st.binary(max_size=200))
def test_text_encodes_back_to_the_same_bytes(data: bytes) -> None:
    assert SourceFile("a.cu", data).text.encode("latin-1") == data


@given(st.binary(max_size=200), st.integers(0, 200))
def test_line_of_counts_the_line_ends_before_an_offset(data: bytes, offset: int) -> None:
    offset = min(offset, len(data))
    assert SourceFile("a.cu", data).line_of(offset) == data[:offset].count(b"\n") + 1


@given(st.text(alphabet="ab\n\r", max_size=60))
def test_lines_join_to_the_text_without_line_ends(text: str) -> None:
    source = SourceFile("a.cu", text.encode())
    lines = [source.line_text(n + 1) for n in range(len(source.line_starts))]
    assert lines == [line.rstrip("\r") for line in text.split("\n")]


@pytest.mark.parametrize(
    ("data", "offset", "expected"),
    [
        (b"abc", 1, Position(1, 2)),
        (b"a\nbc", 3, Position(2, 2)),
        ("é = 1".encode(), 3, Position(1, 3)),
        (b"\xe9 = 1", 2, Position(1, 3)),
        (b"\xef\xbb\xbfabc", 4, Position(1, 2)),
        (b"\xef\xbb\xbfabc", 3, Position(1, 1)),
        (b"a\r\nb", 3, Position(2, 1)),
    ],
)
def test_position_counts_characters_from_one(data: bytes, offset: int, expected: Position) -> None:
    assert SourceFile("a.cu", data).position(offset) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"a\r\nb\n", "\r\n"), (b"a\nb\r\n", "\n"), (b"a", "\n"), (b"\n", "\n"), (b"", "\n")],
)
def test_newline_is_that_of_the_first_line(data: bytes, expected: str) -> None:
    assert SourceFile("a.cu", data).newline == expected


@pytest.mark.parametrize(("path", "expected"), [("a/B.CU", ".cu"), ("a.b.hpp", ".hpp"), ("a", "")])
def test_suffix_is_the_last_in_lower_case(path: str, expected: str) -> None:
    assert SourceFile(path, b"").suffix == expected


@pytest.mark.parametrize(("path", "is_cuda"), [("a.cu", True), ("a.hu", True), ("a.h", False)])
def test_suffix_says_whether_a_file_is_cuda(path: str, *, is_cuda: bool) -> None:
    source = SourceFile(path, b"int a;\n")
    assert source.suffix in C_SUFFIXES
    assert source.is_cuda is is_cuda


def test_nul_byte_makes_a_file_binary() -> None:
    assert SourceFile("a.cu", b"a\0b").is_binary
    assert not SourceFile("a.cu", b"ab").is_binary
