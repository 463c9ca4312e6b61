"""The Rust lexer: nothing is lost, and each form is what it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.headers.rust.lexer import Kind, number_value, pieces, string_value, tokens

_SHARDS = st.sampled_from(
    (
        *(
            "/*",
            "*/",
            "//",
            "///",
            "\n",
            '"',
            '\\"',
            "\\",
            "'",
            "'a",
            "'a'",
            "r#",
            'r#"',
            '"#',
            "#",
        ),
        *("b'", 'b"', 'c"', 'br##"', '"##', "r", "fn", "r#fn", "0x", "1.", "..", "..=", "1e5", "_"),
        *("::", "->", "=>", "<", ">", "{", "}", "é", "\r\n", " ", "cudaMalloc", "'\\u{1F980}'"),
    )
)


@given(st.lists(_SHARDS, max_size=40).map("".join))
def test_pieces_when_joined_are_the_text(text: str) -> None:
    found = list(pieces(text))
    assert "".join(piece.text for piece in found) == text
    for piece in found:
        before = text[: piece.start]
        assert piece.line == before.count("\n") + 1
        assert piece.column == piece.start - (before.rfind("\n") + 1) + 1


@given(st.text(max_size=60))
def test_pieces_when_the_text_is_anything(text: str) -> None:
    assert "".join(piece.text for piece in pieces(text)) == text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("/* a /* b */ c */ x", [Kind.IDENT]),
        ("/// doc\nx", [Kind.IDENT]),
        ("#!/usr/bin/env run\nx", [Kind.IDENT]),
        ("'a: 'b'", [Kind.LIFETIME, Kind.PUNCT, Kind.CHAR]),
        (r"'\'' '\u{41}' b'\x00'", [Kind.CHAR] * 3),
        ("'é'".encode().decode("latin-1"), [Kind.CHAR]),
        ('r"\\" r#"a " b"# br##"x"# "##', [Kind.RAW_STRING] * 3),
        (r'"a \" b" b"c" c"d"', [Kind.STRING] * 3),
        ("r#type", [Kind.IDENT]),
        ("0..=9", [Kind.NUMBER, Kind.PUNCT, Kind.NUMBER]),
        (
            "1.max(2.5e-3_f64)",
            [Kind.NUMBER, Kind.PUNCT, Kind.IDENT, Kind.PUNCT, Kind.NUMBER, Kind.PUNCT],
        ),
        ('"never closed', [Kind.UNFINISHED]),
        ("/* /* */", [Kind.UNFINISHED]),
    ],
)
def test_tokens_when_a_form_is_met(text: str, kinds: list[Kind]) -> None:
    assert [token.kind for token in tokens(text)] == kinds


def test_tokens_when_an_attribute_opens_the_file() -> None:
    assert [t.text for t in tokens("#![allow(x)]")][:3] == ["#", "!", "["]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\n\x41\u{e9}"', "a\nAé"),
        ('"one \\\n     line"', "one line"),
        (r'r"\d+"', r"\d+"),
        ('r##"a"#b"##', 'a"#b'),
        ('c"libcuda.so"', "libcuda.so"),
    ],
)
def test_string_value_when_a_literal_is_read(text: str, value: str) -> None:
    assert string_value(tokens(text)[0]) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("35", 35), ("0x1F_u32", 31), ("1_000", 1000), ("0b101", 5), ("0o17usize", 15), ("1.0", None)],
)
def test_number_value_when_a_literal_is_read(text: str, value: int | None) -> None:
    assert number_value(tokens(text)[0]) == value


def test_name_when_an_identifier_is_raw() -> None:
    assert [t.name for t in tokens("r#type x '")][:2] == ["type", "x"]
