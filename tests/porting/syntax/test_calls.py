"""Calls, arguments and brackets on the token stream."""

import pytest

from porting.syntax import (
    call_at,
    callee_of,
    enclosing_bracket,
    match_angle,
    match_bracket,
    split_arguments,
    statement_end,
    statement_start,
    tokenize,
)


def arguments(source: str) -> list[str]:
    lexed = tokenize(source)
    call = call_at(lexed.tokens, 0)
    assert call is not None
    return [
        source[lexed.tokens[a.first].start : lexed.tokens[a.last - 1].end] for a in call.arguments
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f(a, b)", ["a", "b"]),
        ("f(g(a, b), c)", ["g(a, b)", "c"]),
        ("f(a[i, j], {1, 2})", ["a[i, j]", "{1, 2}"]),
        ("f(g<a, b>(c), d)", ["g<a, b>(c)", "d"]),
        ("f(std::pair<a, b>{}, d)", ["std::pair<a, b>{}", "d"]),
        ("f(a < b, c > d)", ["a < b", "c > d"]),
        ("f(x<a, b>::y, c)", ["x<a, b>::y", "c"]),
        ("f(a, /* , */ b)", ["a", "b"]),
        ("f<a, b>(c, d)", ["c", "d"]),
        ("f((a, b))", ["(a, b)"]),
        ("f(\"a, b\", ',')", ['"a, b"', "','"]),
    ],
)
def test_arguments_split_at_their_own_commas(source: str, expected: list[str]) -> None:
    assert arguments(source) == expected


def test_call_without_arguments_has_none() -> None:
    call = call_at(tokenize("f()").tokens, 0)
    assert call is not None
    assert call.arguments == ()


@pytest.mark.parametrize("source", ["f", "f;", "f<a", "f(a", "f<a>;", "#define f\n(a)"])
def test_what_is_no_call_gives_none(source: str) -> None:
    tokens = tokenize(source).tokens
    place = next(i for i, token in enumerate(tokens) if token.text == "f")
    assert call_at(tokens, place) is None


def test_brackets_of_a_directive_do_not_match_those_outside() -> None:
    tokens = tokenize("f(\n#define A )\n)").tokens
    assert match_bracket(tokens, 1) == len(tokens) - 1


def test_angle_list_closes_at_shifts_and_launches() -> None:
    tokens = tokenize("a<b<c>> d").tokens
    closer = match_angle(tokens, 1)
    assert closer is not None
    assert tokens[closer].text == ">>"


@pytest.mark.parametrize("source", ["a < b; c > d", "a < b && c > d", "a < (b"])
def test_comparison_is_no_angle_list(source: str) -> None:
    assert match_angle(tokenize(source).tokens, 1) is None


def test_enclosing_bracket_passes_over_directives_and_closed_brackets() -> None:
    tokens = tokenize("f(a(b)\n#define X )\n, c)").tokens
    place = next(i for i, token in enumerate(tokens) if token.text == "c")
    assert enclosing_bracket(tokens, place) == 1
    assert enclosing_bracket(tokens, 0) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [("g(x)", "g"), ("a::g<T, U>(x)", "g"), ("(x)", ""), ("return (x)", "return")],
)
def test_callee_is_the_name_in_front_of_the_bracket(source: str, expected: str) -> None:
    tokens = tokenize(source).tokens
    opener = max(i for i, token in enumerate(tokens) if token.text == "(")
    assert callee_of(tokens, opener) == expected


def test_statement_is_bounded_by_semicolons_and_braces() -> None:
    tokens = tokenize("a; b = f(c; d); e").tokens
    texts = [token.text for token in tokens]
    assert statement_start(tokens, texts.index("=")) == texts.index("b")
    assert statement_end(tokens, texts.index("b")) == len(texts) - 2


def test_split_of_nothing_is_empty() -> None:
    assert split_arguments(tokenize("f()").tokens, 2, 2) == ()
