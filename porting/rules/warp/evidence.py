"""Whether a text counts in 32-lane warps, or asks warpSize, read without its tokens."""

import re
from typing import Final

_LANE_COUNT: Final = r"\s*(?:&\s*31|&\s*\(\s*32\s*-\s*1|%\s*32|/\s*32|>>\s*5|[<>=!]=?\s*3[12])\b"
_IS: Final = r"\s*[={(]?\s*\(?"
# One pattern for each literal that it starts with: the engine searches for that first.
_EVIDENCE: Final = tuple(
    map(
        re.compile,
        (
            rf"threadIdx\.[xyz]{_LANE_COUNT}",
            rf"lane(?:_?[iI]dx?)?{_LANE_COUNT}",
            rf"thread_?[iI]dx?{_LANE_COUNT}",
            rf"tid{_LANE_COUNT}",
            r"arp_?[sS]ize\w*\s*[={(]?\s*\(?32\b",
            r"WARP_?(?:SIZE|THREADS)\w*\s*[={(]?\s*\(?32\b",
            rf"arp(?:(?<=\b[wW]arp)|(?<=\bk[wW]arp)|(?<=\bk_[wW]arp)){_IS}32\b",
            rf"ARP(?:(?<=\bWARP)|(?<=\bk_WARP)|(?<=\bK_WARP)){_IS}32\b",
            rf"og_?2?_?(?:[oO]f_?)?[wW]arp(?:_?[sS]ize)?{_IS}5\b",
            rf"OG_?2?_?(?:OF_?)?WARP(?:_?SIZE)?{_IS}5\b",
            rf"arp_?(?:[sS]ize_?)?(?:[lL]og_?2?|[sS]hift|[bB]its){_IS}5\b",
            rf"ARP_?(?:SIZE_?)?(?:LOG_?2?|SHIFT|BITS){_IS}5\b",
            r"16\s*;[^;\n]*;[^;\n]*(?:>>=\s*1|/=\s*2)",
            r"16\s*;[^;\n]*(?:<<=\s*1|\*=\s*2)",
            r"32\s*;[^;\n]*(?:<<=\s*1|\*=\s*2)",
            r"__shfl\w*\([^;\n]*,\s*(?:16|31)\s*[,)]",
        ),
    )
)
_ASKED: Final = re.compile(r"(?<![.\w>:])warpSize\b(?!\s*(?:=(?!=)|\{))")
_OWN: Final = re.compile(r"[\w>*&]\s+warpSize\s*[;=,){>]")
_NOT_A_TYPE: Final = re.compile(r"\b(?:return|case|else)\s+warpSize")


def asks_warp_size(text: str) -> bool:
    """Whether a text uses CUDA's variable warpSize, not a member or a variable of that name."""
    if "warpSize" not in text or _ASKED.search(text) is None:
        return False
    return _OWN.search(_NOT_A_TYPE.sub("", text)) is None


def counts_in_32(text: str) -> bool:
    """Whether a text has lane arithmetic with 31 or 32, or a constant for a warp's 32 lanes.

    A comment counts too: the answer only keeps code from being made wave-wide.
    """
    return any(pattern.search(text) for pattern in _EVIDENCE)
