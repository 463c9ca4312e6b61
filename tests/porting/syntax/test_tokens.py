"""The token stream: what is a token, a comment, a directive; and that it never fails."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.syntax import CHAR, IDENT, NUMBER, PUNCT, RAW_STRING, STRING, Lexed, Token, tokenize

_FRAGMENTS = [
    *(
        "cuda",
        "cudaMalloc",
        "R",
        "u8",
        "L",
        "x",
        "0x1p-3",
        "1'000",
        ".5e+3",
        "3.f",
        " ",
        "\t",
        "\n",
    ),
    *('"', "'", '"a\\"b"', "'\\''", 'R"(', ')"', 'R"x(', ')x"', "//", "/*", "*/", "\\\n", "\\\r\n"),
    *("\\", "#", "# define A(x) x##x", "<<<", ">>>", "<:", ":>", "<%", "%>", "%:", "->*", "<=>"),
    *(
        "{",
        "}",
        "(",
        ")",
        ";",
        "::",
        "é",
        "\x85",
        "\x0b",
        "\r\n",
        "#include <a/b.h>\n",
        "$",
        "@",
        "`",
    ),
]
sources = st.lists(st.sampled_from(_FRAGMENTS), max_size=40).map("".join)


def texts(source: str) -> list[str]:
    return [token.text for token in tokenize(source).tokens]


def kinds(source: str) -> list[int]:
    return [token.kind for token in tokenize(source).tokens]


def spans_of(lexed: Lexed) -> list[tuple[int, int]]:
    tokens = [(token.start, token.end) for token in lexed.tokens]
    return sorted([*tokens, *((comment.start, comment.end) for comment in lexed.comments)])


def uncovered(source: str) -> str:
    """Return what no token and no comment covers, without white space and line splices."""
    lexed = tokenize(source)
    spans = spans_of(lexed)
    rest, at = [], 0
    for start, end in spans:
        rest.append(source[at:start])
        at = end
    rest.append(source[at:])
    return re.sub(r"\\[ \t]*\r?\n|\s", "", "".join(rest))


@given(sources)
def test_tokenize_covers_every_byte_that_is_no_space_for_any_text(source: str) -> None:
    assert uncovered(source).replace("\\", "") == ""


@given(sources)
def test_tokenize_gives_tokens_and_comments_in_order_without_overlap(source: str) -> None:
    lexed = tokenize(source)
    spans = spans_of(lexed)
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    assert [t.start for t in lexed.tokens] == sorted(t.start for t in lexed.tokens)


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=80))
def test_tokenize_never_fails_for_any_latin_1_text(source: str) -> None:
    lexed = tokenize(source)
    for token in lexed.tokens:
        raw = source[token.start : token.end]
        assert token.text == raw or "\\" in raw or raw in ("%:", "%:%:", "<%", "%>", "<:", ":>")


@given(sources)
def test_directives_hold_exactly_the_tokens_that_name_them(source: str) -> None:
    lexed = tokenize(source)
    for number, directive in enumerate(lexed.directives):
        inside = [i for i, token in enumerate(lexed.tokens) if token.directive == number]
        assert inside
        assert lexed.tokens[inside[0]].text == "#"
        assert all(directive.start <= lexed.tokens[i].start < directive.end for i in inside)


def test_first_token_is_found_when_the_file_starts_with_a_byte_order_mark() -> None:
    lexed = tokenize("\xef\xbb\xbf#include <cuda.h>\n")
    assert [d.name for d in lexed.directives] == ["include"]
    assert lexed.tokens[0] == Token(PUNCT, "#", 3, 4, 0)


@pytest.mark.parametrize("prefix", ["", "u8", "u", "U", "L"])
def test_raw_strings_end_at_their_own_delimiter(prefix: str) -> None:
    source = f'{prefix}R"x(a)" )y" \n " // )x" b'
    assert texts(source) == [f'{prefix}R"x(a)" )y" \n " // )x"', "b"]
    assert kinds(source) == [RAW_STRING, IDENT]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ('L"a"', STRING),
        ("u8'a'", CHAR),
        ("'\\''", CHAR),
        ("0x1.8p-3f", NUMBER),
        ("1'000'000ull", NUMBER),
        (".5e+3", NUMBER),
        ("R2", IDENT),
        ("Rx", IDENT),
        ("__global__", IDENT),
    ],
)
def test_literals_and_names_are_one_token(source: str, kind: int) -> None:
    assert texts(source) == [source]
    assert kinds(source) == [kind]


def test_digit_separators_do_not_start_a_character() -> None:
    assert texts("f(1'000, 2)") == ["f", "(", "1'000", ",", "2", ")"]


def test_quotes_inside_comments_and_comments_inside_strings_are_text() -> None:
    source = 'a /* " */ b "/* c */" // \'\nd'
    assert texts(source) == ["a", "b", '"/* c */"', "d"]
    assert [c.text for c in tokenize(source).comments] == ['/* " */', "// '"]


def test_line_comment_goes_on_after_a_line_splice() -> None:
    assert texts("a // b \\\n c\nd") == ["a", "d"]


def test_unterminated_literals_end_with_the_line() -> None:
    assert texts('a "b\nc') == ["a", '"b', "c"]


def test_unterminated_comment_ends_with_the_file() -> None:
    assert texts("a /* b\nc") == ["a"]


def test_line_splices_inside_names_are_removed_and_offsets_kept() -> None:
    lexed = tokenize("cudaMal\\\nloc(x)")
    assert lexed.tokens[0] == Token(IDENT, "cudaMalloc", 0, 12, -1)


def test_digraphs_read_as_what_they_stand_for() -> None:
    assert texts("%:define A a<:0:> <% %>") == ["#", "define", "A", "a", "[", "0", "]", "{", "}"]
    assert [d.name for d in tokenize("%:define A\n").directives] == ["define"]


def test_template_closers_before_a_scope_are_not_a_digraph() -> None:
    assert texts("a<::b>") == ["a", "<", "::", "b", ">"]


def test_directive_runs_over_spliced_lines_and_knows_its_operands() -> None:
    source = "#  define F(x) \\\n  x + \\\r\n 1\nint y;"
    lexed = tokenize(source)
    (directive,) = lexed.directives
    operands = [t.text for t in lexed.tokens[directive.first : directive.last]]
    assert directive.name == "define"
    assert operands == ["F", "(", "x", ")", "x", "+", "1"]
    assert source[directive.end :] == "\nint y;"
    assert {t.directive for t in lexed.tokens[directive.last :]} == {-1}


def test_hash_behind_code_starts_no_directive() -> None:
    assert tokenize("a # b\n").directives == ()


def test_comment_in_front_of_a_directive_leaves_it_one() -> None:
    assert [d.name for d in tokenize("/* x */ # include <a>\n").directives] == ["include"]


def test_empty_directive_has_no_name() -> None:
    assert [d.name for d in tokenize("#\n#if\n").directives] == ["", "if"]


def test_launch_brackets_are_single_tokens() -> None:
    assert texts("k<a<b>><<<1, 2>>>(x)")[6:8] == ["<<<", "1"]


def test_long_run_of_spaces_takes_linear_time() -> None:
    assert texts(" " * 2_000_000 + "x" + " " * 2_000_000) == ["x"]
