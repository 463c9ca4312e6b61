"""A Makefile with what its variables mean for the vendor."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from porting.buildfiles.make.syntax import Kind, Line, read
from porting.buildfiles.make.words import Word, split
from porting.rules.strings.machine import CUDA_FOLDER, ROCM_HOME, ROCM_VARIABLE, is_home
from porting.source import SourceFile

_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]")
_DEFAULT = re.compile(CUDA_FOLDER)
_NVCC = re.compile(r"(?<![\w-])nvcc(?![\w-])")
# Where the shell is asked for the path of nvcc.
FINDS_NVCC = re.compile(r"\$[({]shell\s+(?:which|command\s+-v|type\s+-p)\s+nvcc\b[^(){}]*[)}]")
RELOCATABLE = re.compile(
    r"(?<![\w-])(?:-dc|--device-c|--?(?:rdc|relocatable-device-code)[= ]true)(?![\w-])"
)
_EVAL = re.compile(r"\$\(eval\s+([\w.-]+)\s*\+?=\s*(.*)")
_CONDITION = re.compile(r"[ \t]*(ifn?eq|ifn?def)\b")
_BRANCH = re.compile(r"[ \t]*else\b[ \t]*(\w?)")
_END = re.compile(r"[ \t]*endif\b")


@dataclass(frozen=True)
class Makefile:
    """One file, read.

    `elsewhere`: what the other files of the tree set variables to.  `reached`: the variables that
    some recipe of the tree uses, itself or through others.
    """

    source: SourceFile
    elsewhere: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reached: frozenset[str] = frozenset()

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Its logical lines."""
        return tuple(read(self.source.text))

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """Everything that each variable is set to."""
        found: dict[str, list[str]] = {}
        for line in self.lines:
            if line.kind is Kind.ASSIGNMENT:
                found.setdefault(line.name, []).append(self.source.text[line.value : line.stop])
            elif line.kind is Kind.DIRECTIVE:
                for name, value in _EVAL.findall(self.source.text[line.value : line.stop]):
                    found.setdefault(name, []).append(value)
        return found

    @cached_property
    def all_text(self) -> str:
        """The text with what the other files of the tree set variables to."""
        others = (value for values in self.elsewhere.values() for value in values)
        return "\n".join((self.source.text, *others))

    @cached_property
    def prerequisites(self) -> dict[str, str]:
        """What each rule's target depends on."""
        found: dict[str, str] = {}
        for line in self.lines:
            if line.kind is Kind.RULE:
                _, _, rest = self.source.text[line.value : line.stop].partition(":")
                found[line.target] = f"{found.get(line.target, '')} {rest.lstrip(':')}"
        return found

    @cached_property
    def links_device_code(self) -> bool:
        """Whether the file compiles relocatable device code, which has to be linked."""
        texts = (self.source.text[line.value : line.stop] for line in self.lines)
        return any(self.mentions(text, RELOCATABLE) for text in texts)

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """Variables that are only set where a condition holds, with no other branch that does."""
        certain: set[str] = set()
        blocks: list[list[set[str]]] = []  # the names of each branch; the last of an open block
        complete: list[bool] = []
        for line in self.lines:
            text = self.source.text[line.start : line.end]
            if _CONDITION.match(text):
                blocks.append([set()])
                complete.append(False)
            elif blocks and (branch := _BRANCH.match(text)):
                blocks[-1].append(set())
                complete[-1] = not branch[1]
            elif blocks and _END.match(text):
                branches = blocks.pop()
                if complete.pop():
                    names = set.intersection(*branches)
                    (blocks[-1][-1] if blocks else certain).update(names)
            elif line.kind is Kind.ASSIGNMENT:
                (blocks[-1][-1] if blocks else certain).add(line.name)
        of_evals = {name for name in self.values if name not in self._assigned}
        return frozenset(self._assigned - certain - of_evals)

    @cached_property
    def _assigned(self) -> frozenset[str]:
        return frozenset(line.name for line in self.lines if line.kind is Kind.ASSIGNMENT)

    def values_of(self, name: str) -> Sequence[str]:
        """Return what a variable is set to, here or else in another file of the tree."""
        return self.values.get(name) or self.elsewhere.get(name, ())

    @cached_property
    def head(self) -> int:
        """The offset of the first line that is more than a comment."""
        return next(line.start for line in self.lines if line.kind is not Kind.BLANK)

    def words(self, line: Line) -> list[Word]:
        """Return the words of a value or command."""
        shell = line.kind is Kind.RECIPE
        return list(split(self.source.text, line.value, line.stop, shell=shell))

    def expansions(self, text: str, depth: int = 6, *, certain: bool = False) -> Iterator[str]:
        """Yield a text and what the variables in it are set to.

        `certain`: only those that are set whatever the conditions of the file say.
        """
        yield text
        if depth:
            for name in dict.fromkeys(_REFERENCE.findall(text)):
                if certain and name in self.uncertain:
                    continue
                for value in self.values_of(name):
                    yield from self.expansions(value, depth - 1, certain=certain)

    def mentions(self, text: str, pattern: re.Pattern[str], *, certain: bool = False) -> bool:
        """Whether a text, or what its variables are set to, matches."""
        return any(pattern.search(part) for part in self.expansions(text, certain=certain))

    def recipes(self) -> Iterator[str]:
        """Yield the commands of its rules, as they stand."""
        for line in self.lines:
            if line.kind is Kind.RECIPE:
                yield self.source.text[line.value : line.stop]

    def names_in(self, text: str) -> Iterator[str]:
        """Yield the variables that a text uses, itself or through others."""
        for part in self.expansions(text):
            yield from _REFERENCE.findall(part)

    def is_nvcc(self, word: str) -> bool:
        """Whether a word is the program nvcc: by name, or a variable that is set to it."""
        bare = word.lstrip("@-+")
        if re.fullmatch(r"(?:.*/)?nvcc(?:\.exe)?", bare):
            return True
        if hidden := re.fullmatch(r"\$[({]\w+[)}](?=\$[({])(.+)", bare):  # $(Q)$(NVCC)
            return self.is_nvcc(hidden[1])
        name = _REFERENCE.fullmatch(bare)
        if name is None:
            return False
        if "NVCC" in name[1].upper() and not re.search(r"(?i)flag|opt|arg|ld|lib|inc", name[1]):
            return True
        if any(FINDS_NVCC.fullmatch(value) for value in self.values_of(name[1])):
            return True
        firsts = [value.split()[0] for value in self.values_of(name[1]) if value.split()]
        return any(self.is_nvcc(first) for first in firsts if first != bare)

    def home_in(self, text: str) -> re.Match[str] | None:
        """Return CUDA's folder at the beginning of a text: a variable of its name, or a path."""
        match = re.match(r"\$[({](\w+)[)}]", text)
        if match and (is_home(match[1]) or self._is_home(match[1])):
            return match
        return _DEFAULT.match(text)

    def _is_home(self, name: str) -> bool:
        return any(_DEFAULT.fullmatch(value.strip()) for value in self.values_of(name))

    def homes(self) -> tuple[str, ...]:
        """Return the variables that stand for CUDA's folder."""
        names = {*self.values, *_REFERENCE.findall(self.source.text)}
        return tuple(sorted(n for n in names if is_home(n) or self._is_home(n)))


def renamed(text: str, homes: tuple[str, ...]) -> str:
    """Return a text with CUDA's folder, and nvcc with what is named after it, as ROCm's."""
    for name in homes:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", ROCM_VARIABLE, text)
    text = _DEFAULT.sub(ROCM_HOME, text)
    text = re.sub(r"(?<![A-Za-z0-9])NVCC(?![a-z])", "HIPCC", text)
    return _NVCC.sub("hipcc", text)
