"""A Makefile with what its variables mean for the vendor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from porting.buildfiles.make.syntax import Kind, Line, read
from porting.buildfiles.make.words import Word, split
from porting.source import SourceFile

_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]")
_HOME = re.compile(
    r"CUDA_?(?:HOME|PATH|ROOT|DIR|INSTALL_PATH|INSTALL_DIR|TOOLKIT_ROOT(?:_DIR)?|TOOLKIT_PATH"
    r"|TOOLKIT|BASE|PREFIX|LOCATION)"
)
_DEFAULT = re.compile(r"/usr/local/cuda(?:-[\d.]+)?|/opt/cuda")
_NVCC = re.compile(r"(?<![\w-])nvcc(?![\w-])")


@dataclass(frozen=True)
class Makefile:
    """One file, read."""

    source: SourceFile

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
        return found

    def words(self, line: Line) -> list[Word]:
        """Return the words of a value or command."""
        shell = line.kind is Kind.RECIPE
        return list(split(self.source.text, line.value, line.stop, shell=shell))

    def expansions(self, text: str, depth: int = 6) -> Iterator[str]:
        """Yield a text and what the variables in it are set to."""
        yield text
        if depth:
            for name in dict.fromkeys(_REFERENCE.findall(text)):
                for value in self.values.get(name, ()):
                    yield from self.expansions(value, depth - 1)

    def mentions(self, text: str, pattern: re.Pattern[str]) -> bool:
        """Whether a text, or what its variables are set to, matches."""
        return any(pattern.search(part) for part in self.expansions(text))

    def is_nvcc(self, word: str) -> bool:
        """Whether a word is the program nvcc: by name, or a variable that is set to it."""
        bare = word.lstrip("@-+")
        if re.fullmatch(r"(?:.*/)?nvcc(?:\.exe)?", bare):
            return True
        name = _REFERENCE.fullmatch(bare)
        if name is None:
            return False
        if "NVCC" in name[1].upper() and not re.search(r"(?i)flag|opt|arg|ld|lib|inc", name[1]):
            return True
        firsts = [value.split()[0] for value in self.values.get(name[1], ()) if value.split()]
        return any(self.is_nvcc(first) for first in firsts if first != bare)

    def home_in(self, text: str) -> re.Match[str] | None:
        """Return CUDA's folder at the beginning of a text: a variable of its name, or a path."""
        match = re.match(r"\$[({](\w+)[)}]", text)
        if match and (_HOME.fullmatch(match[1]) or self._is_home(match[1])):
            return match
        return _DEFAULT.match(text)

    def _is_home(self, name: str) -> bool:
        return any(_DEFAULT.fullmatch(value.strip()) for value in self.values.get(name, ()))

    def homes(self) -> tuple[str, ...]:
        """Return the variables that stand for CUDA's folder."""
        names = {*self.values, *_REFERENCE.findall(self.source.text)}
        return tuple(sorted(n for n in names if _HOME.fullmatch(n) or self._is_home(n)))


def renamed(text: str, homes: tuple[str, ...]) -> str:
    """Return a text with CUDA's folder, and nvcc with what is named after it, as ROCm's."""
    for name in homes:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "ROCM_PATH", text)
    text = _DEFAULT.sub("/opt/rocm", text)
    text = re.sub(r"(?<![A-Za-z0-9])NVCC(?![a-z])", "HIPCC", text)
    return _NVCC.sub("hipcc", text)
