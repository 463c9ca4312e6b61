"""Whether a text counts in 32-lane warps, read without its tokens."""

import re
from typing import Final

_THREADS: Final = r"(?:threadIdx\.[xyz]|\b(?:tid|tx|lane|lane_?[iI]dx?|thread_?[iI]dx?))"
_ARITHMETIC: Final = re.compile(rf"{_THREADS}\s*(?:&\s*31|%\s*32|/\s*32|>>\s*5|[<>=!]=?\s*3[12])\b")
_CONSTANT: Final = re.compile(
    r"(?:[wW]arp|WARP)_?(?:[sS]ize|SIZE|Threads|THREADS)\w*\s*[={(]?\s*\(?32\b"
)
_HALVING: Final = re.compile(
    r"=\s*16\s*;[^;\n]*;[^;\n]*(?:>>=\s*1|/=\s*2)|<=?\s*(?:16|32)\s*;[^;\n]*(?:<<=\s*1|\*=\s*2)"
)
_DISTANCE: Final = re.compile(r"__shfl\w*\([^;\n]*,\s*(?:16|31)\s*[,)]")
_EVIDENCE: Final = (_ARITHMETIC, _CONSTANT, _HALVING, _DISTANCE)
_WORDS: Final = ("threadIdx", "arp", "WARP", "lane", "__shfl", "tid")
_ASKED: Final = re.compile(r"(?<![.\w>:])warpSize\b(?!\s*(?:=(?!=)|\{))")
_OWN: Final = re.compile(r"[\w>*&]\s+warpSize\s*[;=,){>]")
_NOT_A_TYPE: Final = re.compile(r"\b(?:return|case|else)\s+warpSize")


def asks_warp_size(text: str) -> bool:
    """Whether a text uses CUDA's variable warpSize, not a member or a variable of that name."""
    if "warpSize" not in text or _ASKED.search(text) is None:
        return False
    own = _OWN.search(_NOT_A_TYPE.sub("", text))
    return own is None


def counts_in_32(text: str) -> bool:
    """Whether a text has lane arithmetic with 31 or 32, or a constant for a warp's 32 lanes.

    A comment counts too: the answer only keeps code from being made wave-wide.
    """
    return any(word in text for word in _WORDS) and any(
        pattern.search(text) for pattern in _EVIDENCE
    )
