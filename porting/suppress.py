"""Comments that take a finding out of the report: `// porting: ignore[CODE] reason`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from porting.diagnostics import Code, Diagnostic, Severity
from porting.source import SourceFile
from porting.syntax import Comment

NO_REASON = Code(
    "SUP001",
    "suppression",
    Severity.WARNING,
    "an ignore comment without a code or a reason",
    "Write `// porting: ignore[CODE] reason`.  Without both, the comment does nothing: whoever"
    " reads the code later must see what was decided and why.",
)
UNUSED = Code(
    "SUP002",
    "suppression",
    Severity.NOTE,
    "an ignore comment that matches nothing",
    "No finding with this code stands on the comment's line (or the line after a comment that has"
    " a line of its own).  Remove it.",
)
CODES = (NO_REASON, UNUSED)

_IGNORE = re.compile(r"porting:\s*ignore(?:\[([A-Z0-9, ]*)\])?[ \t]*([^\n*]*)")


@dataclass
class _Ignore:
    offset: int
    line: int
    codes: frozenset[str]
    reason: str
    used: bool = False


@dataclass
class Suppressions:
    """The ignore comments of one file, and which of them found something."""

    source: SourceFile
    ignores: list[_Ignore] = field(default_factory=list)

    @classmethod
    def read(cls, source: SourceFile, comments: Sequence[Comment]) -> "Suppressions":
        """Collect the ignore comments of a file."""
        found = cls(source)
        for comment in comments:
            match = _IGNORE.search(comment.text)
            if match is None:
                continue
            offset = comment.start + match.start()
            line = source.line_of(offset)
            if not source.text[source.line_starts[line - 1] : comment.start].strip():
                line += 1  # a comment on a line of its own speaks of the next line
            codes = frozenset(code.strip() for code in (match[1] or "").split(",") if code.strip())
            found.ignores.append(_Ignore(offset, line, codes, match[2].strip()))
        return found

    def covers(self, finding: Diagnostic) -> bool:
        """Whether a comment takes this finding out; remembers that it did."""
        for ignore in self.ignores:
            if ignore.reason and ignore.line == finding.line and finding.code in ignore.codes:
                ignore.used = True
                return True
        return False

    def complaints(self) -> list[Diagnostic]:
        """Return what is wrong with the comments themselves."""
        found: list[Diagnostic] = []
        for ignore in self.ignores:
            if not ignore.codes or not ignore.reason:
                text = "ignore comment without a code or a reason has no effect"
                found.append(self._at(ignore, NO_REASON, text, "write: ignore[CODE] reason"))
            elif not ignore.used:
                text = f"ignore comment for {', '.join(sorted(ignore.codes))} matches no finding"
                found.append(self._at(ignore, UNUSED, text, "remove the comment"))
        return found

    def _at(self, ignore: _Ignore, code: Code, message: str, help_text: str) -> Diagnostic:
        line, column = self.source.position(ignore.offset)
        return code.at(self.source.path, message, help_text, line=line, column=column)
