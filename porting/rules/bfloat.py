"""What a tree says of bfloat16: whether it has such numbers, and what else it calls the types."""

import re
from collections.abc import Sequence
from typing import Final

_TYPE: Final = "nv_bfloat16"
_ALIAS: Final = re.compile(
    r"\busing\s+(\w+)\s*=\s*(?:::\s*)?(?:__)?nv_bfloat16(2?)\s*;"
    r"|\btypedef\s+(?:::\s*)?(?:__)?nv_bfloat16(2?)\s+(\w+)\s*;"
)
_BFLOAT: Final = re.compile(r"(?:::\s*)?(?:__)?nv_bfloat162?")


def uses_bfloat16(texts: Sequence[str]) -> bool:
    """Whether a text of a tree names CUDA's bfloat16 type."""
    return any(_TYPE in text for text in texts)


def bfloat_aliases(texts: Sequence[str]) -> dict[str, str]:
    """Return the names that a tree gives to CUDA's bfloat16 types, and which of the two they are.

    A name that also means something else somewhere is left out.
    """
    found = {
        match[1] or match[4]: f"__nv_bfloat16{match[2] or match[3] or ''}"
        for text in texts
        if _TYPE in text
        for match in _ALIAS.finditer(text)
    }
    return {name: kind for name, kind in found.items() if not _means_more(texts, name, kind)}


def _means_more(texts: Sequence[str], name: str, kind: str) -> bool:
    """Whether a name stands for something other than a bfloat16 type as well."""
    meaning = re.compile(
        rf"\busing\s+{name}\s*=([^;]*);|\btypedef\s+([^;]*?)\s+{name}\s*;"
        rf"|\b(?:typename|class|struct|enum|union)\s+{name}\b(?!\s*::)"
    )
    return any(
        not _is_kind((match[1] or match[2] or "").strip(), kind)
        for text in texts
        if name in text
        for match in meaning.finditer(text)
    )


def _is_kind(text: str, kind: str) -> bool:
    return _BFLOAT.fullmatch(text) is not None and text.endswith("2") == kind.endswith("162")
