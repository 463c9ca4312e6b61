"""Whether a text counts in 32-lane warps, read without its tokens."""

import re
from typing import Final

_THREADS: Final = r"(?:threadIdx\.[xyz]|\b(?:tid|tx|lane|lane_?[iI]dx?|thread_?[iI]dx?))"
_ARITHMETIC: Final = re.compile(rf"{_THREADS}\s*(?:&\s*31|%\s*32|/\s*32|>>\s*5)\b")
_CONSTANT: Final = re.compile(
    r"(?:[wW]arp|WARP)_?(?:[sS]ize|SIZE|Threads|THREADS)\w*\s*[={(]?\s*\(?32\b"
)
_HALVING: Final = re.compile(r"=\s*16\s*;[^;\n]*;[^;\n]*(?:>>=\s*1|/=\s*2)")


def counts_in_32(text: str) -> bool:
    """Whether a text has lane arithmetic with 31 or 32, or a constant for a warp's 32 lanes.

    A comment counts too: the answer only keeps code from being made wave-wide.
    """
    if "threadIdx" not in text and "arp" not in text and "WARP" not in text:
        return False
    return any(pattern.search(text) for pattern in (_ARITHMETIC, _CONSTANT, _HALVING))
