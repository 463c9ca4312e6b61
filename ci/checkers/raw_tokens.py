"""Check a ported tree with clang's own lexer: nothing of CUDA left in silence, no prose touched.

    python -m ci.checkers.raw_tokens INPUT OUTPUT REPORT.json [--rocm 7.1] [--clang clang-19]

Three laws, checked without any code of the tool:
- a CUDA name that HIP spells otherwise or lacks, and that is still in the output, has a diagnostic
  (a note counts) on its line, unless it is in a branch that no ROCm build sees;
- comments are the same, in the same order;
- strings are the same but for names of libraries, symbols and headers in them.
Prints one line per violation; the exit status is 1 when there is one.
"""

import argparse
import difflib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.checkers.clang_tokens import Token, condition_macros, live_lines, raw_tokens
from ci.checkers.cuda_names import CudaNames, read_names
from ci.checkers.line_map import LineMap

TABLES = Path(__file__).resolve().parents[2] / "porting" / "mappings"
SUFFIXES = frozenset(
    (".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl")
)
_ROCM_MACROS = (
    "USE_ROCM",
    "__HIP_PLATFORM_AMD__",
    "__HIPCC__",
    "__HIP__",
    "__HIP_DEVICE_COMPILE__",
)
_ROCM = dict.fromkeys(_ROCM_MACROS, "1")
_CUDA = {
    "__CUDACC__": "1",
    "__NVCC__": "1",
    "__CUDA_ARCH__": "900",
    "CUDA_VERSION": "12080",
    "CUDART_VERSION": "12080",
    "__CUDACC_VER_MAJOR__": "12",
    "__CUDACC_VER_MINOR__": "8",
    "__HIP_PLATFORM_NVIDIA__": "1",
}
_WORD = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./+-]*[A-Za-z0-9_])?")


@dataclass(frozen=True)
class Diagnosed:
    """The lines that a report speaks of, per file of the input."""

    lines: dict[str, list[range]]

    @classmethod
    def read(cls, report: Path) -> "Diagnosed":
        """Read a JSON report of the port."""
        lines: dict[str, list[range]] = {}
        for found in json.loads(report.read_text(encoding="utf-8"))["diagnostics"]:
            last = found.get("end_line") or found["line"]
            lines.setdefault(found["file"], []).append(range(found["line"], last + 1))
        return cls(lines)

    def covers(self, file: str, line: int) -> bool:
        """Whether some diagnostic speaks of this line."""
        return any(line in lines for lines in self.lines.get(file, ()))


@dataclass(frozen=True)
class Pair:
    """One file before and after, as clang lexes it."""

    name: str
    before: bytes
    after: bytes
    tokens_before: Sequence[Token]
    tokens_after: Sequence[Token]


def check_tree(
    source: Path, output: Path, diagnosed: Diagnosed, names: CudaNames, clang: str
) -> Iterator[str]:
    """Yield one line of text per violation in a tree."""
    for path in sorted(source.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.suffix.lower() not in SUFFIXES:
            continue
        name = path.relative_to(source).as_posix()
        ported = output / name
        if not ported.is_file():
            yield f"{name}: the output lacks this file"
            continue
        before, after = path.read_bytes(), ported.read_bytes()
        pair = Pair(name, before, after, raw_tokens(path, clang), raw_tokens(ported, clang))
        yield from left_behind(pair, diagnosed, names, clang)
        yield from touched_comments(pair)
        yield from touched_strings(pair, names)


def left_behind(pair: Pair, diagnosed: Diagnosed, names: CudaNames, clang: str) -> Iterator[str]:
    """Yield the CUDA names that stayed in the output and that nothing was said about."""
    left = [
        token
        for token in pair.tokens_after
        if token.kind == "raw_identifier" and token.text in names.identifiers
    ]
    left += [token for token in _headers(pair.tokens_after) if token.text in names.headers]
    if not left:
        return
    mapped = LineMap(_lines(pair.before), _lines(pair.after))
    cuda_only = _cuda_only_lines(pair.after, clang)
    for token in left:
        origins = mapped.origins(token.line)
        if token.line in cuda_only or any(diagnosed.covers(pair.name, o) for o in origins):
            continue
        place = origins.start if origins else 0
        yield f"{pair.name}:{place}: {token.text} is left in the output and not diagnosed"


def touched_comments(pair: Pair) -> Iterator[str]:
    """Yield the comments that differ, came or went."""
    before = [token for token in pair.tokens_before if token.kind == "comment"]
    after = [token for token in pair.tokens_after if token.kind == "comment"]
    texts = [t.text for t in before], [t.text for t in after]
    for tag, first, last, start, end in difflib.SequenceMatcher(None, *texts).get_opcodes():
        if tag != "equal":
            line = before[first].line if first < last else 0
            old, new = "".join(texts[0][first:last]), "".join(texts[1][start:end])
            yield f"{pair.name}:{line}: comment {old!r} became {new!r}"


def touched_strings(pair: Pair, names: CudaNames) -> Iterator[str]:
    """Yield the strings that differ in more than names, came or went.

    Inline assembly may go: what replaces it is checked by compiling.
    """
    before, after = _strings(pair.tokens_before), _strings(pair.tokens_after)
    texts = [t.text for t in before], [t.text for t in after]
    for tag, first, last, start, end in difflib.SequenceMatcher(None, *texts).get_opcodes():
        if tag == "equal":
            continue
        old, new = texts[0][first:last], texts[1][start:end]
        if len(old) == len(new) and all(
            _only_names(a, b, names) for a, b in zip(old, new, strict=True)
        ):
            continue
        line = before[first].line if first < last else 0
        yield f"{pair.name}:{line}: strings {old!r} became {new!r}"


def _only_names(old: str, new: str, names: CudaNames) -> bool:
    """Whether two strings differ in CUDA names alone."""
    if _WORD.split(old) != _WORD.split(new):
        return False
    words = zip(_WORD.findall(old), _WORD.findall(new), strict=True)
    return all(a == b or names.knows(a) for a, b in words)


def _strings(tokens: Sequence[Token]) -> list[Token]:
    """Return string literals outside of assembly statements and include lines."""
    found = []
    depth = 0
    in_asm = False
    for index, token in enumerate(tokens):
        if token.kind == "raw_identifier" and token.text in ("asm", "__asm__", "__asm"):
            in_asm, depth = True, 0
        elif in_asm and token.kind in ("l_paren", "r_paren"):
            depth += 1 if token.kind == "l_paren" else -1
            in_asm = depth > 0
        elif token.is_string and not in_asm and not _is_include(tokens, index):
            found.append(token)
    return found


def _is_include(tokens: Sequence[Token], index: int) -> bool:
    return index >= 2 and tokens[index - 2].kind == "hash" and "include" in tokens[index - 1].text  # noqa: PLR2004


def _headers(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield one token per #include, whose text is the header's path."""
    for index, token in enumerate(tokens):
        if not _is_include(tokens, index):
            continue
        if token.is_string:
            yield Token("header", token.text.strip('"'), token.line, token.column)
        elif token.kind == "less":
            parts = []
            for part in tokens[index + 1 :]:
                if part.kind == "greater" or part.line != token.line:
                    break
                parts.append(part.text)
            yield Token("header", "".join(parts), token.line, token.column)


def _cuda_only_lines(data: bytes, clang: str) -> set[int]:
    """Return the lines that a CUDA build compiles and a ROCm build does not.

    Macros that are nobody's in particular are tried both undefined and defined.
    """
    asked = condition_macros(data)
    found: set[int] = set()
    for others in ({}, dict.fromkeys(asked - _ROCM.keys() - _CUDA.keys(), "1")):
        cuda = live_lines(data, {**others, **_CUDA}, clang)
        found |= cuda - live_lines(data, {**others, **_ROCM}, clang)
    return found


def _lines(data: bytes) -> list[str]:
    return data.decode("latin-1").split("\n")


def main() -> int:
    """Check one tree against its port."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("report", type=Path)
    parser.add_argument("--rocm", default="7.1")
    parser.add_argument("--clang", default="clang-19")
    given = parser.parse_args()
    names = read_names(TABLES, given.rocm)
    violations = list(
        check_tree(given.input, given.output, Diagnosed.read(given.report), names, given.clang)
    )
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
