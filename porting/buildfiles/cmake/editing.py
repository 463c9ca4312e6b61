"""Edits of one CMake file: words and commands that go, come or change, with the space around."""

from bisect import bisect_left

from porting.buildfiles.cmake.commands import Argument, Command, Listing, parse
from porting.buildfiles.cmake.lexer import Kind, tokenize
from porting.buildfiles.codes import LEFT_ALONE
from porting.buildfiles.model import rewritten
from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.hipify import Hipified
from porting.source import SourceFile

_SEPARATORS = " \t\r\n;"


class FileEdits:
    """What is to change in a file, and what is to be said of it."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.source = listing.source
        self.text = listing.source.text
        self.said: list[Diagnostic] = []
        self._replaced: dict[tuple[int, int], str] = {}
        self._inserted: list[tuple[int, str]] = []
        self._cut: list[tuple[int, int]] = []
        self._comment_ends = [t.end for t in tokenize(self.text) if t.kind is Kind.COMMENT]

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another; the first one of a place holds, and a wider one."""
        inside = [(s, e) for s, e in self._replaced if start <= s and e <= end]
        for place in inside if (start, end) not in inside else ():
            del self._replaced[place]
        if not any(s < end and start < e for s, e in self._replaced):
            self._replaced[start, end] = text

    def cut(self, start: int, end: int) -> None:
        """Take elements of a list out, with the separators that would be left over."""
        before = start
        while self.text[before - 1] in _SEPARATORS:
            before -= 1
        after = end
        while after < len(self.text) and self.text[after] in _SEPARATORS:
            after += 1
        if self._ends_comment(before):
            self._cut.append((start, end if self.text[after] in ")>" else after))
        elif self._begins_list(before, start) and self.text[after] not in ')">':
            self._cut.append((start, after))
        else:
            self._cut.append((before, end))

    def cut_argument(self, argument: Argument) -> None:
        """Take a whole argument out."""
        self.cut(argument.start, argument.end)

    def cut_command(self, command: Command) -> None:
        """Take a command out, and its lines when nothing else is on them."""
        self.cut_lines(command.start, command.end)

    def cut_lines(self, start: int, end: int) -> None:
        """Take a place out, and its lines when nothing else is on them."""
        line = self.text.rfind("\n", 0, start) + 1
        stop = self._line_end(end)
        if not self.text[line:start].strip() and not self.text[end:stop].strip():
            start, end = line, min(stop + 1, len(self.text))
        self._cut.append((start, end))

    def become(self, command: Command, *lines: str) -> None:
        """Put lines in the place of a command, indented as it is; without any, take it out."""
        if not lines:
            self.cut_command(command)
            return
        joint = f"{self.source.newline}{self.indent(command)}"
        self.replace(command.start, command.end, joint.join(lines))

    def before(self, command: Command, *lines: str) -> None:
        """Put lines before a command, indented as it is."""
        indent = self.indent(command)
        text = "".join(f"{line}{self.source.newline}{indent}" for line in lines)
        self._inserted.append((command.start, text))

    def after(self, command: Command, *lines: str) -> None:
        """Put lines after a command and the comment behind it, indented as it is."""
        indent = self.indent(command)
        stop = self._line_end(command.end)
        rest = self.text[command.end : stop].strip()
        place = stop if not rest or rest.startswith("#") else command.end
        place -= self.text[place - 1] == "\r"
        text = "".join(f"{self.source.newline}{indent}{line}" for line in lines)
        self._inserted.append((place, text))

    def indent(self, command: Command) -> str:
        """Return the blanks before a command that begins its line, "" for another."""
        line = self.text.rfind("\n", 0, command.start) + 1
        before = self.text[line : command.start]
        return "" if before.strip() else before

    def say(self, code: Code, offset: int, message: str, help_text: str = "") -> None:
        """Report a finding at an offset."""
        line, column = self.source.position(offset)
        self.said.append(code.at(self.source.path, message, help_text, line=line, column=column))

    def covers(self, start: int, end: int) -> bool:
        """Whether a place is replaced or taken out."""
        places = (*self._replaced, *self._cut)
        return any(s <= start and end <= e for s, e in places)

    def takes_out(self, start: int, end: int) -> bool:
        """Whether a place is taken out."""
        return any(s <= start and end <= e for s, e in _merged(self._cut))

    @property
    def failed(self) -> bool:
        """Whether something was found that keeps the file as it is."""
        return any(found.severity is Severity.ERROR for found in self.said)

    def result(self) -> Hipified:
        """Return the file with every change, or as it is when an error was found."""
        if self.failed:
            return rewritten(self.source, (), self.said)
        done = rewritten(self.source, self._edits(), self.said)
        broken = parse(SourceFile(self.source.path, done.data)).broken
        if broken >= 0:
            # Whatever went wrong here, a file that CMake cannot read is worse than none.
            self.say(LEFT_ALONE, 0, "the converted file would be no valid CMake; please report it")
            return rewritten(self.source, (), self.said)
        return done

    def _edits(self) -> list[Edit]:
        within = [(s, e) for s, e in self._replaced if s < e]
        free = [(s, e) for s, e in self._cut if not any(a <= s and e <= b for a, b in within)]
        cuts = _merged([self._with_line(*cut) for cut in _merged(free)])
        edits = [Edit(start, end, "") for start, end in cuts]
        for (start, end), text in self._replaced.items():
            if not any(s < end and start < e for s, e in cuts):
                edits.append(Edit(start, end, text))
        spans = [(edit.start, edit.end) for edit in edits]
        for place, text in self._inserted:
            inside = next((s for s, e in spans if s < place < e), place)
            edits.append(Edit(inside, inside, text))
        return sorted(edits, key=lambda edit: (edit.start, edit.end))

    def _begins_list(self, before: int, start: int) -> bool:
        """Whether what is taken out at `start`, after blanks from `before`, is a list's first."""
        return self.text[before - 1] == "(" or (before == start and self.text[before - 1] in '":')

    def _with_line(self, start: int, end: int) -> tuple[int, int]:
        """Return a place that is taken out, with its whole line when nothing else is on it."""
        line = self.text.rfind("\n", 0, start) + 1
        if line and not self.text[line:start].strip() and self.text[end : end + 1] == "\n":
            return line, end + 1
        return start, end

    def _line_end(self, offset: int) -> int:
        at = self.text.find("\n", offset)
        return len(self.text) if at < 0 else at

    def _ends_comment(self, offset: int) -> bool:
        at = bisect_left(self._comment_ends, offset)
        return at < len(self._comment_ends) and self._comment_ends[at] == offset


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
