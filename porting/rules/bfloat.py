"""What a tree says of bfloat16: whether it has such numbers, and what else it calls the types."""

import re
from collections.abc import Sequence
from typing import Final

_TYPE: Final = "nv_bfloat16"
# Each starts with a text that the engine can search for; what stands in front is looked at then.
_NAMED: Final = re.compile(r"nv_bfloat16(2?)\s*(\w*)\s*;")
_USING: Final = re.compile(r"\busing\s+(\w+)\s*=\s*(?:::\s*)?(?:__)?\Z")
_TYPEDEF: Final = re.compile(r"\btypedef\s+(?:::\s*)?(?:__)?\Z")
_BFLOAT: Final = re.compile(r"(?:::\s*)?(?:__)?nv_bfloat162?")
_KEYWORD: Final = re.compile(r"\b(?:typename|class|struct|enum|union)\s+\Z")
_BEFORE_USING: Final = re.compile(r"\busing\s+\Z")
_OLD_NAME: Final = re.compile(r"\btypedef\s+([^;{}]*?)\s+\Z")
_CONTEXT: Final = 80


def uses_bfloat16(texts: Sequence[str]) -> bool:
    """Whether a text of a tree names CUDA's bfloat16 type."""
    return any(_TYPE in text for text in texts)


def bfloat_aliases(texts: Sequence[str]) -> dict[str, str]:
    """Return the names that a tree gives to CUDA's bfloat16 types, and which of the two they are.

    A name that also means something else somewhere is left out.
    """
    found = {
        name: f"__nv_bfloat16{match[1]}"
        for text in texts
        if _TYPE in text
        for match in _NAMED.finditer(text)
        if (name := _name(match[2], text[max(match.start() - _CONTEXT, 0) : match.start()]))
    }
    return {name: kind for name, kind in found.items() if not _means_more(texts, name, kind)}


def _name(behind: str, before: str) -> str:
    """Return the name that a statement gives to the type it ends with, empty for none."""
    if behind:
        return behind if _TYPEDEF.search(before) else ""
    using = _USING.search(before)
    return using[1] if using else ""


def _means_more(texts: Sequence[str], name: str, kind: str) -> bool:
    """Whether a name stands for something other than a bfloat16 type as well."""
    word = re.compile(rf"{name}\b")
    return any(
        _has_other_meaning(text, match.start(), match.end(), kind)
        for text in texts
        for match in word.finditer(text)
    )


def _has_other_meaning(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a name is given a meaning at a place, and another than bfloat16."""
    before = text[max(start - _CONTEXT, 0) : start]
    if _KEYWORD.search(before):
        return not text[end : end + 4].lstrip().startswith("::")
    if _BEFORE_USING.search(before) and text[end : end + 4].lstrip().startswith("="):
        value = text[text.index("=", end) + 1 :].partition(";")[0]
        return not _is_kind(value.strip(), kind)
    old = _OLD_NAME.search(before)
    return old is not None and not _is_kind(old[1].strip(), kind)


def _is_kind(text: str, kind: str) -> bool:
    return _BFLOAT.fullmatch(text) is not None and text.endswith("2") == kind.endswith("162")
