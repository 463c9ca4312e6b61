"""What the tool has to say: one diagnostic type, located in the input."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from porting.edits import Edit


class Severity(StrEnum):
    """How much a finding needs a person: note = told, warning = check it, error = will not work."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0, 1, 2 from note to error."""
        return ("note", "warning", "error").index(self.value)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding.  `code` is never reused; `topic` groups codes; `explanation` is a page."""

    code: str
    topic: str
    severity: Severity
    title: str
    explanation: str

    def at(  # noqa: PLR0913 - one for each field that is not the code's
        self,
        file: str,
        message: str,
        help_text: str = "",
        *,
        line: int = 1,
        column: int = 1,
        symbol: str = "",
    ) -> "Diagnostic":
        """Return a finding of this kind with the code's own severity."""
        return Diagnostic(
            file, line, column, self.code, self.topic, self.severity, message, help_text, symbol
        )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding at one place of the input.

    `line` and `column` count from 1; `end_line` is the last line it speaks of, 0 for `line` itself.
    `edits` are the rewrites that go with it: none when a person must act.  `help` says what to do.
    """

    file: str
    line: int
    column: int
    code: str
    topic: str
    severity: Severity
    message: str
    help: str = ""
    symbol: str = ""
    end_line: int = 0
    edits: tuple[Edit, ...] = ()

    @property
    def last_line(self) -> int:
        """The last line it speaks of."""
        return max(self.line, self.end_line)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON report, in the order of its schema."""
        fields = asdict(self)
        del fields["edits"]
        fields["severity"] = self.severity.value
        fields["end_line"] = self.last_line
        fields["rewritten"] = bool(self.edits)
        return fields

    def __str__(self) -> str:
        """Return `path:line:col: CODE severity: message`."""
        place = f"{self.file}:{self.line}:{self.column}"
        return one_line(f"{place}: {self.code} {self.severity.value}: {self.message}")


def one_line(text: str) -> str:
    r"""Return a text whose control characters are written out (\n, \x1b), as names may have them.

    What stands for the bytes of a name that is no UTF-8 stays: it is written as those bytes.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or _is_byte(c) else repr(c)[1:-1] for c in text)


def _is_byte(character: str) -> bool:
    return "\udc80" <= character <= "\udcff"


def by_place(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics sorted by file, line, column and code."""
    return sorted(diagnostics, key=lambda d: (d.file, d.line, d.column, d.code))
