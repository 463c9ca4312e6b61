"""Comments that take findings out of the report."""

import pytest

from porting.diagnostics import Diagnostic, Severity
from porting.source import SourceFile
from porting.suppress import Suppressions
from porting.syntax import tokenize


def read(text: str) -> Suppressions:
    source = SourceFile("a.cu", text.encode())
    return Suppressions.read(source, tokenize(text).comments)


def finding(line: int, code: str = "NAM001") -> Diagnostic:
    return Diagnostic("a.cu", line, 1, code, "api-name", Severity.ERROR, "message")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("f();  // porting: ignore[NAM001] not used\n", 1),
        ("// porting: ignore[NAM001] not used\nf();\n", 2),
        ("f(); /* porting: ignore[NAM001] not used */\n", 1),
        ("f(); // porting:ignore[SEM001, NAM001] not used\n", 1),
    ],
)
def test_comment_covers_its_line_or_the_one_below(text: str, line: int) -> None:
    comments = read(text)
    assert comments.covers(finding(line))
    assert comments.complaints() == []


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("f();  // porting: ignore[NAM001] reason\n", 2, "NAM001"),
        ("f();  // porting: ignore[NAM001] reason\n", 1, "NAM002"),
        ("f();  // porting: ignore[NAM001]\n", 1, "NAM001"),
        ("f();  // porting: ignore reason\n", 1, "NAM001"),
        ('f("// porting: ignore[NAM001] reason");\n', 1, "NAM001"),
    ],
)
def test_comment_covers_nothing_else(text: str, line: int, code: str) -> None:
    assert not read(text).covers(finding(line, code))


def test_comment_without_code_or_reason_is_a_warning() -> None:
    said = read("a; // porting: ignore[NAM001]\nb; // porting: ignore why\n").complaints()
    assert [(d.line, d.code, d.severity) for d in said] == [
        (1, "SUP001", Severity.WARNING),
        (2, "SUP001", Severity.WARNING),
    ]


def test_comment_that_matches_nothing_is_a_note() -> None:
    said = read("a;\n  // porting: ignore[NAM001] reason\nb;\n").complaints()
    assert [(d.line, d.column, d.code) for d in said] == [(2, 6, "SUP002")]
