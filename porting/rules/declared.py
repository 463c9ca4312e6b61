"""The names that a text declares for the files around it and that may be CUDA's.

Works on text, not on tokens, because it reads every file of a tree before any is ported.  Every
expression starts with a text that the engine can search for at once.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from porting.syntax import NOT_A_TYPE

# Words that may be CUDA's, each by its beginning and its rest.
_WORDS: Final = (
    ("cu", r"(?:[A-Z]|da\w|blas|fft|rand|sparse|solver|dnn|pti|tensor)\w*"),
    ("CU", r"[A-Z_a-z]\w*"),
    ("nv", r"(?:rtc|ml|tx|jpeg|JitLink|shmem|_)\w+"),
    ("NV", r"[A-Z]\w*"),
    ("nccl", r"[A-Z]\w*"),
    ("pnccl", r"[A-Z]\w*"),
    ("NCCL_", r"\w+"),
    ("__", r"[a-z]\w+"),
    ("PFN_cu", r"\w+"),
    ("atomic", r"[A-Z]\w+"),
)
_NAME: Final = re.compile("|".join(begin + rest for begin, rest in _WORDS))
# The same in a text, whole words alone, with one of the characters that may follow in declarations.
_FOLLOWED: Final = tuple(
    re.compile(rf"{begin}(?<!\w{begin}){rest}+(?=[ \t]*([(;)=\[{{]))") for begin, rest in _WORDS
)
# Words that introduce a name by themselves, with or without a word between.
_INTRODUCED: Final = (
    re.compile(r"#[ \t]*define[ \t]+(\w+)()"),
    re.compile(r"using(?<!\wusing)\s+(\w+)()[ \t]*="),
    *(
        re.compile(rf"{keyword}(?<!\w{keyword})\s+(\w+)(?=(?:\s+(\w+))?)")
        for keyword in ("struct", "class", "union", "enum", "namespace", "concept")
    ),
)
_SKIPPED: Final = re.compile(
    r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"", re.DOTALL
)
_POINTER_BEFORE: Final = re.compile(r"\([\w:\s]*\*\s*(?:const\s+)?\Z")
_AT_FILE_LEVEL: Final = re.compile(
    r"(?:^|[;{}\n])\s*(?:(?:static|extern|constexpr|inline|const|typedef|__constant__|__device__)\b)"
    r"[^;{}\n]*\Z"
)
_MACRO_BEFORE: Final = re.compile(r"#[ \t]*define[ \t]+\w+\Z")
_ENUM: Final = re.compile(r"enum\b[^;{}()]*\{([^{}]*)\}")
_ENUMERATOR: Final = re.compile(r"(?:^|,)\s*(\w+)")
_WORD_CHARACTERS: Final = "".join(c for c in map(chr, range(256)) if c.isalnum() or c == "_")
_CONTEXT: Final = 160
_SHORT: Final = 48


def declared_in(text: str) -> Iterator[str]:
    """Yield the names that may be CUDA's and that a text declares for other files too.

    Macros, types, functions, enumerators, and variables that start a line with a specifier; local
    variables are looked for in their own file.
    """
    found = [*_introduced(text), *_shaped(text)]
    if found:
        spans = [match.span() for match in _SKIPPED.finditer(text)]
        yield from (name for start, name in found if not _inside(spans, start))
    if "enum" in text:
        for body in _ENUM.finditer(text):
            yield from (match[1] for match in _ENUMERATOR.finditer(_SKIPPED.sub("", body[1])))


def _introduced(text: str) -> Iterator[tuple[int, str]]:
    """Yield place and name of what a keyword or #define introduces."""
    for introduced in _INTRODUCED:
        for match in introduced.finditer(text):
            for group in (1, 2):
                if match[group] and _NAME.fullmatch(match[group]):
                    yield match.start(group), match[group]


def _shaped(text: str) -> Iterator[tuple[int, str]]:
    """Yield place and name of what is declared by the look of what stands around it."""
    for followed in _FOLLOWED:
        for match in followed.finditer(text):
            if _declares(text, match.start(), match[1]):
                yield match.start(), match[0]


def _declares(text: str, start: int, follows: str) -> bool:
    before = text[max(start - _CONTEXT, 0) : start]
    if follows == "(":
        return has_type_before(before)
    if follows == ")":
        return _POINTER_BEFORE.search(before[-_SHORT:]) is not None
    if follows == ";" and before.rstrip().endswith("}"):
        return True
    return has_type_before(before) and _AT_FILE_LEVEL.search(before) is not None


def has_type_before(before: str) -> bool:
    """Whether a text ends in a type and what may stand between it and a name."""
    if not before[-1:].isspace() and before[-1:] not in ("*", "&", ">"):
        return False
    text = before.rstrip("*& \t\r\n")
    if "//" in text[text.rfind("\n") + 1 :]:
        return False  # the last word of a comment
    if _MACRO_BEFORE.search(text[-_SHORT * 2 :]):
        return False  # what a macro stands for begins here
    if text.endswith(">"):
        return True
    rest = text.rstrip(_WORD_CHARACTERS)
    return len(rest) < len(text) and text[len(rest) :] not in NOT_A_TYPE


def _inside(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    return any(start <= offset < end for start, end in spans)
