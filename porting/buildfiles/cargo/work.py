"""The rewriting of one build script while it grows: edits, findings, what is dealt with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from porting.buildfiles.cargo.script import Range, Script
from porting.buildfiles.model import BuildContext
from porting.config import Mode
from porting.diagnostics import Code, Diagnostic
from porting.edits import Edit
from porting.generated import FOLDER
from porting.headers.generate import HEADER
from porting.rules.strings import machine
from porting.rules.strings.machine import ROCM_VARIABLE

# ROCm's folder in a script that is for ROCm alone.
ROCM_HOME = f'std::env::var("{ROCM_VARIABLE}").unwrap_or("{machine.ROCM_HOME}".into())'
_SEARCH = (
    'println!("cargo:rustc-link-search=native={rocm_lib}");',
    'println!("cargo:rustc-link-arg=-Wl,-rpath,{rocm_lib}");',
    f'println!("cargo:rerun-if-env-changed={ROCM_VARIABLE}");',
)


@dataclass
class Rewriting:
    """What is collected on the way: edits, findings, tokens that are dealt with.

    `folder`: the generated files, seen from the script.  `with_architectures`: functions, by the
    brace of their body, in which the compiler is given the target's architectures.  `includes`:
    generated files that the script calls.  `opening`: lines that `main` begins with.  `common`:
    edits that hold for both vendors.  `linked`: the first token that names a library of CUDA's to
    link, or where all that links ROCm's is put; -1 for none.
    """

    script: Script
    context: BuildContext
    folder: str = FOLDER
    edits: list[Edit] = field(default_factory=list)
    common: list[Edit] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    with_architectures: set[int] = field(default_factory=set)
    includes: list[str] = field(default_factory=list)
    opening: list[str] = field(default_factory=list)
    linked: int = -1

    @property
    def compat(self) -> bool:
        """Whether the sources stay CUDA's and the script builds for both vendors."""
        return self.context.mode is Mode.COMPAT

    @property
    def search(self) -> tuple[str, ...]:
        """Lines that let the linker and the loader look in ROCm's folder of libraries."""
        home = "gpu_build::home()" if self.compat else ROCM_HOME
        return (f'let rocm_lib = {home} + "/lib";', *_SEARCH)

    def tell(self, code: Code, number: int, message: str, help_text: str = "") -> None:
        """Add a finding at a token."""
        source = self.script.source
        line, column = source.position(self.script.tokens[number].start)
        self.found.append(code.at(source.path, message, help_text, line=line, column=column))

    def replace(self, range_: Range, text: str) -> None:
        """Replace tokens."""
        tokens = self.script.tokens
        self.edits.append(Edit(tokens[range_.first].start, tokens[range_.end - 1].end, text))
        self.done.update(range(*range_))

    def begin_main(self, lines: Sequence[str], *, condition: str = "") -> bool:
        """Put statements first in `main`, for both vendors unless told; say whether it has one."""
        shown = [f"{condition} {{", *(f"    {line}" for line in lines), "}"] if condition else lines
        self.opening.extend(shown)
        return self.script.main_brace() >= 0

    def write_opening(self) -> None:
        """Write what `main` begins with, on lines of its own."""
        brace = self.script.main_brace()
        if brace < 0 or not self.opening:
            return
        source, at = self.script.source, self.script.tokens[brace].end
        text = "".join(f"{source.newline}    {line}" for line in self.opening)
        is_alone = re.compile(r"[ \t]*(?://.*)?\r?\n").match(source.text, at)
        self.common.append(Edit(at, at, text if is_alone else text + source.newline))

    def line_break(self, number: int) -> str:
        """Return a line end and the indent of what goes on the statement around a token."""
        source = self.script.source
        first = self.script.tokens[self.script.statement(number).first].start
        line = source.line_text(source.line_of(first))
        return f"{source.newline}{line[: len(line) - len(line.lstrip())]}    "

    def insert(self, number: int, text: str) -> None:
        """Insert text after the token before `number`."""
        at = self.script.tokens[number - 1].end
        self.edits.append(Edit(at, at, text))

    def put(self, range_: Range, text: str) -> None:
        """Replace tokens, or remove them when there is nothing to put in their place."""
        if text:
            self.replace(range_, text)
        else:
            self.remove(range_)

    def remove(self, range_: Range) -> None:
        """Remove tokens, with their lines where nothing else is on them."""
        tokens = self.script.tokens
        start, end = self._with_lines(tokens[range_.first].start, tokens[range_.end - 1].end)
        self.edits.append(Edit(start, end, ""))
        self.done.update(range(*range_))

    def _with_lines(self, start: int, end: int) -> tuple[int, int]:
        """Return a place with its whole lines when nothing else is on them."""
        text = self.script.source.text
        line = text.rfind("\n", 0, start) + 1
        rest = re.compile(r"[ \t]*\r?\n").match(text, end)
        return (line, rest.end()) if rest and not text[line:start].strip() else (start, end)

    def remove_statement(self, number: int) -> None:
        """Remove the statement around a token, with its line where nothing else is on it."""
        range_ = self.script.statement(number)
        self.remove(range_)

    def add_line_after(self, number: int, line: str) -> None:
        """Add a statement after the one around a token."""
        self._add(number, line, after=True)

    def add_line_before(self, number: int, line: str) -> None:
        """Add a statement before the one around a token."""
        self._add(number, line, after=False)

    def _add(self, number: int, line: str, *, after: bool) -> None:
        range_ = self.script.statement(number)
        tokens, source = self.script.tokens, self.script.source
        start, end = tokens[range_.first].start, tokens[range_.end - 1].end
        begin = source.text.rfind("\n", 0, start) + 1
        lead = source.text[begin:start]
        indent = lead if not lead.strip() else ""
        if after:
            self.edits.append(Edit(end, end, f"{source.newline}{indent}{line}"))
        else:
            self.edits.append(Edit(start, start, f"{line}{source.newline}{indent}"))

    def include_edits(self, *names: str) -> list[Edit]:
        """Return the edit that takes in generated files at the end of the script."""
        source = self.script.source
        if not names:
            return []
        gap = "" if source.text.endswith("\n") else source.newline
        end = len(source.text)
        return [Edit(end, end, gap + include_text(self.folder, names, source.newline))]


def include_text(folder: str, names: Sequence[str], newline: str) -> str:
    """Return the lines that take in generated files, "" for none."""
    lines = (f'include!("{folder}/{name}");{newline}' for name in names)
    return f"{newline}{''.join(lines)}" if names else ""


def compat_flags(folder: str) -> tuple[str, ...]:
    """Return what gives sources HIP under CUDA's names; `folder` as the script sees it.

    The generated function of that name returns the same, for calls that take many at once.
    """
    header = PurePosixPath(HEADER).name
    return ("-include", f"{folder}/{header}", "-isystem", f"{folder}/include")


def quoted(text: str) -> str:
    """Return a string literal of Rust."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
