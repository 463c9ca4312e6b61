"""What clang's own lexer and preprocessor see in a file, independent of the tool's token stream."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# One token of -dump-raw-tokens: kind, spelling in quotes (may hold line ends), flags, place.
_TOKEN = re.compile(r"^(\w+) '(.*)'\t(.*)\tLoc=<.*:(\d+):(\d+)>$", re.DOTALL)
_END = re.compile(r"(?<=\tLoc=<)[^\n]*:\d+:\d+>$", re.MULTILINE)
_MARKER = re.compile(r'^# (\d+) "(.*)"(?: [\d ]+)?$')
_CONDITION = re.compile(
    rb"^[ \t]*(?:#|%:)[ \t]*(?:el)?if(?:n?def)?\b((?:\\\r?\n|.)*)", re.MULTILINE
)
_INCLUDE = re.compile(
    rb"^([ \t]*(?:#|%:)[ \t]*)(?:include(?:_next)?|import|error|warning|pragma|line)\b.*",
    re.MULTILINE,
)
_TIMEOUT = 120


@dataclass(frozen=True, slots=True)
class Token:
    """One raw token; `line` and `column` count from 1."""

    kind: str
    text: str
    line: int
    column: int

    @property
    def is_string(self) -> bool:
        """Whether it is a string literal of any encoding."""
        return self.kind.endswith("string_literal")


def raw_tokens(path: Path, clang: str) -> list[Token]:
    """Return every token of a file but white space; comments are tokens."""
    command = [clang, "-cc1", "-dump-raw-tokens", "-x", "cuda", "-std=c++20", "-w", str(path)]
    done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT, check=False)
    text = done.stderr.decode("latin-1")
    if done.returncode != 0:
        raise ValueError(f"clang cannot read {path}: {text[-300:]}")
    tokens = []
    start = 0
    for end in _END.finditer(text):
        match = _TOKEN.match(text[start : end.end()])
        start = end.end() + 1
        if match is None:
            raise ValueError(f"{path}: clang printed {text[start : end.end()][:80]!r}")
        kind, spelling, _, line, column = match.groups()
        if kind not in ("unknown", "eof"):
            tokens.append(Token(kind, spelling, int(line), int(column)))
    return tokens


def live_lines(data: bytes, macros: Mapping[str, str], clang: str) -> set[int]:
    """Return the numbers of the lines with text that conditional compilation keeps.

    Included files are not read: only the file's own directives count.  Lines of `#if` and its like
    are never in the result.
    """
    blanked = _INCLUDE.sub(rb"\1", data)
    defines = [f"-D{name}={value}" for name, value in macros.items()]
    command = [clang, "-E", "-fdirectives-only", "-undef", "-w", "-x", "c++", *defines, "-"]
    done = subprocess.run(
        command, input=blanked, capture_output=True, timeout=_TIMEOUT, check=False
    )
    lines: set[int] = set()
    number, inside = 0, False
    for text in done.stdout.decode("latin-1").split("\n"):
        if marker := _MARKER.match(text):
            number, inside = int(marker[1]), marker[2] == "<stdin>"
        elif inside:
            if text.strip():
                lines.add(number)
            number += 1
    return lines


def condition_macros(data: bytes) -> set[str]:
    """Return every identifier that some #if, #ifdef or #elif of a file asks about."""
    words = b" ".join(match[1] for match in _CONDITION.finditer(data))
    return {word.decode() for word in re.findall(rb"[A-Za-z_]\w*", words)} - {"defined"}
