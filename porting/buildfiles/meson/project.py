"""All Meson files of one project: their variables are shared, so they are converted together."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porting.buildfiles.codes import LEFT_ALONE
from porting.buildfiles.meson.syntax import Call, MesonFile
from porting.buildfiles.model import BuildContext
from porting.config import Mode
from porting.diagnostics import Code, Diagnostic
from porting.edits import Edit

_IS_CUDA = re.compile(r"(?i)cuda|nvcc|nvrtc|cublas|cudnn|-gencode|--expt-|--use_fast_math")
_CHOICE = "gpu_platform == 'rocm'"
_LANGUAGE_USERS = ("project", "add_languages", "meson.get_compiler")


@dataclass
class Project:
    """The files and what is collected about them: edits by file, findings, tokens dealt with.

    `root`: the folder of the project in the tree, "" for the tree's own.
    """

    files: Sequence[MesonFile]
    context: BuildContext
    root: str = ""
    edits: dict[str, list[Edit]] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    done: dict[str, set[int]] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)

    @property
    def compat(self) -> bool:
        """Whether the files build for both vendors."""
        return self.context.mode is Mode.COMPAT

    def folder(self, file: MesonFile) -> str:
        """Return the folder of a file below the project's."""
        return posixpath.dirname(file.source.path).removeprefix(self.root).lstrip("/")

    def name(self, base: str) -> str:
        """Return a name for a variable that the project does not have yet."""
        self.taken[base] = number = self.taken.get(base, 0) + 1
        return base if number == 1 else f"{base}_{number}"

    def calls(self) -> Iterator[tuple[MesonFile, Call]]:
        """Yield every call of every file."""
        for file in self.files:
            yield from ((file, call) for call in file.calls)

    def values(self, name: str) -> list[tuple[MesonFile, int, int]]:
        """Return what a variable is set to, anywhere in the project."""
        return [
            (file, first, end)
            for file in self.files
            for known, first, end in file.assignments()
            if known == name
        ]

    def stands_for(self, file: MesonFile, first: int, end: int, text: str) -> bool:
        """Whether tokens, or what variables in them are set to, hold a text."""
        todo, seen = [(file, first, end)], set()
        while todo:
            where, begin, stop = todo.pop()
            if text in where.text(begin, stop):
                return True
            for token in where.tokens[begin:stop]:
                if token.kind == "word" and token.text not in seen:
                    seen.add(token.text)
                    todo += self.values(token.text)
        return False

    def choose(self, file: MesonFile, first: int, end: int, rocm: str) -> None:
        """Replace an expression by ROCm's; in compat mode the platform decides between the two."""
        old = file.text(first, end)
        new = f"({_CHOICE} ? {rocm} : {old})" if self.compat else rocm
        self.replace(file, first, end, new)

    def replace(self, file: MesonFile, first: int, end: int, text: str) -> None:
        """Replace tokens in both modes."""
        start, stop = file.tokens[first].start, file.tokens[end - 1].end
        self.edits.setdefault(file.source.path, []).append(Edit(start, stop, text))
        self.settle(file, first, end)

    def settle(self, file: MesonFile, first: int, end: int) -> None:
        """Note that tokens are dealt with."""
        self.done.setdefault(file.source.path, set()).update(range(first, end))

    def is_settled(self, file: MesonFile, number: int) -> bool:
        """Whether a token is dealt with."""
        return number in self.done.get(file.source.path, set())

    def remove_argument(self, file: MesonFile, call: Call, whole: int, end: int) -> None:
        """Remove an argument with its comma, and its line where nothing else is on it."""
        text = file.source.text
        start, stop = file.tokens[whole].start, file.tokens[end - 1].end
        if file.tokens[end].text == ",":
            stop = file.tokens[end].end
            rest = re.compile(r"[ \t]*(?:\r?\n[ \t]*)?").match(text, stop)
            stop = rest.end() if rest else stop
        elif whole - 1 > call.opening:
            start = file.tokens[whole - 1].start
        self.edits.setdefault(file.source.path, []).append(Edit(start, stop, ""))
        self.settle(file, whole, end)

    def remove_statement(self, file: MesonFile, number: int) -> None:
        """Remove the line or lines of the statement that begins at a token."""
        text = file.source.text
        end = file.statement_end(number)
        start = text.rfind("\n", 0, file.tokens[number].start) + 1
        stop = text.find("\n", file.tokens[end - 1].end) + 1
        stop = stop or len(text)
        self.edits.setdefault(file.source.path, []).append(Edit(start, stop, ""))
        self.settle(file, number, end)

    def refuse(self, file: MesonFile, number: int, message: str) -> None:
        """Add the error that keeps the project as it was."""
        help_text = "write the ROCm branch by hand; the files of the project stay as they are"
        self.tell(LEFT_ALONE, file, number, message, help_text)

    def tell(
        self, code: Code, file: MesonFile, number: int, message: str, help_text: str = ""
    ) -> None:
        """Add a finding at a token."""
        line, column = file.source.position(file.tokens[number].start)
        where = file.source.path
        self.found.append(code.at(where, message, help_text, line=line, column=column))

    def leftovers(self) -> Iterator[tuple[MesonFile, int]]:
        """Yield tokens that name CUDA and that nobody dealt with."""
        variables = {name for file in self.files for name, _, _ in file.assignments()}
        for file in self.files:
            for number, token in enumerate(file.tokens):
                if self.is_settled(file, number) or not _IS_CUDA.search(token.text):
                    continue
                is_own_name = token.kind == "word" and token.text in variables
                is_keyword = token.kind == "word" and file.tokens[number + 1].text == ":"
                if is_own_name or (self.compat and is_keyword) or _is_path(token.value):
                    continue
                yield file, number


def _is_path(text: str) -> bool:
    return bool(re.fullmatch(r"[\w./-]*\.(?:cuh?|cpp|cc|h|hpp|py)|[\w.-]+/[\w./-]*", text))
