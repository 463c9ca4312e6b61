"""CMake text as tokens and commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.buildfiles.cmake.commands import Command, parse
from porting.buildfiles.cmake.lexer import Kind, tokenize
from porting.source import SourceFile

_PARTS = st.sampled_from(
    [
        *("set", "(", ")", " ", "\n", "\r\n", '"', "\\", '\\"', "#", "[[", "]]", "[=[", "]=]"),
        *("#[[", ";", "${X}", "$<A:b>", "$(M)", "a.cu", "if", "\xe9"),
    ]
)


@given(st.lists(_PARTS, max_size=30).map("".join) | st.text(max_size=40))
def test_tokens_tile_any_text(text: str) -> None:
    tokens = list(tokenize(text))
    assert "".join(text[token.start : token.end] for token in tokens) == text
    assert all(token.start < token.end for token in tokens)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# a ( comment", Kind.COMMENT),
        ("#[[ over\nlines ]]", Kind.COMMENT),
        ("#[=[ ]] ]=]", Kind.COMMENT),
        ("[[ a ) ]]", Kind.BRACKET),
        ('"a \\" ) # b\nc"', Kind.QUOTED),
        ("${a}/$ENV{b};c", Kind.WORD),
        ('-Da="b c"', Kind.WORD),
        ("a\\ b\\(", Kind.WORD),
        ("$(MAKE)", Kind.WORD),
        ("$<$<A:b>:c>", Kind.WORD),
        ('"', Kind.STRAY),
    ],
)
def test_token_is_of_a_kind(text: str, kind: Kind) -> None:
    assert [token.kind for token in tokenize(text)] == [kind]


def _commands(text: str) -> tuple[Command, ...]:
    return parse(SourceFile("CMakeLists.txt", text.encode())).commands


def test_arguments_are_what_stands_between_the_parentheses() -> None:
    (command,) = _commands('SET (A "b c" d # e)\n  [=[f]=] (g))\n')
    assert command.name == "set"
    assert command.values == ("A", "b c", "d", "f", "(", "g", ")")
    assert [argument.quoted for argument in command.args][:3] == [False, True, False]


def test_blocks_are_counted() -> None:
    text = (
        "if(A)\n  foreach(x)\n    b()\n  endforeach()\n"
        "else()\n  function(f)\n  c()\n  endfunction()\nendif()\nd()"
    )
    depths = {command.name: command for command in _commands(text)}
    assert [depths[name].depth for name in ("if", "b", "else", "c", "d")] == [0, 2, 0, 2, 0]
    assert depths["c"].inside_function
    assert not depths["b"].inside_function


@pytest.mark.parametrize("text", ["set(A", 'set("a)', "set A\n)", "= 3\n", "set(A))\n"])
def test_text_that_is_no_cmake_is_told_by_its_place(text: str) -> None:
    assert parse(SourceFile("x.cmake", f"ok()\n{text}".encode())).broken >= len("ok()\n")
