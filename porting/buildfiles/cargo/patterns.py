"""Patterns of CUDA's names in bindgen's lists, as patterns of HIP's."""

import re
from collections import Counter

from porting.mapping import Names, Status

_MORE = frozenset((".", "[", "\\", "*"))  # what makes a word the beginning of a pattern
_PREFIXES = {
    "cublasLt": "hipblasLt",
    **{f"cu{name}": f"hip{name}" for name in ("blas", "fft", "rand", "sparse", "solver")},
    "cuda": "hip",
    "CUDA": "HIP",
    "nvrtc": "hiprtc",
    "CU": "hip",
    "cu": "hip",
}
_WORD = re.compile(r"(?<![\\\w])[A-Za-z_]\w*")
# A group with what stands before and behind it: cu(Init|Mem.*)Async
_GROUP = re.compile(
    r"(?<![\\\w])(?P<before>(?:[A-Za-z_]\w*)?)\((?:\?:)?(?P<inside>[\w.*\[\]|-]*)\)(?P<maybe>\??)"
    r"(?![?*+{])(?P<after>(?:[\w.\[\]-]|\*)*)"
)


def hip_pattern(text: str, names: Names) -> str | None:
    """Return a pattern of CUDA names as one of HIP's, None where there is none."""
    unknown = []
    text = _spelled_out(text)

    def replaced(match: re.Match[str]) -> str:
        word, rest = match[0], text[match.end() : match.end() + 1]
        new = _beginning(word, names) if rest in _MORE else _name(word, names, rest)
        if new is None:
            unknown.append(word)
        return word if new is None else new

    done = _WORD.sub(replaced, text)
    return None if unknown else done


def _spelled_out(text: str) -> str:
    """Write names out whose parts are alternatives: HIP's counterparts have other parts."""
    before = ""
    while before != text:
        before = text
        text = _GROUP.sub(_alternatives, text)
    return text


def _alternatives(match: re.Match[str]) -> str:
    parts = [*match["inside"].split("|"), *([""] if match["maybe"] else ())]
    return f"({'|'.join(match['before'] + part + match['after'] for part in parts)})"


def _name(word: str, names: Names, rest: str) -> str | None:
    """Return HIP's name for a whole one; any other word stays as it is."""
    known = names.get(word)
    if known is not None:
        return None if known.status is Status.UNSUPPORTED else known.target or word
    is_cuda = any(word.startswith(prefix) for prefix in _PREFIXES)
    return None if is_cuda or (rest == "(" and word in _PREFIXES) else word


def _beginning(word: str, names: Names) -> str | None:
    """Return what HIP's names begin with where CUDA's begin with a word."""
    known = names.get(word)
    target = known.target or word if known and known.status is not Status.UNSUPPORTED else ""
    prefix = next((p for p in _PREFIXES if word.startswith(p)), None)
    if prefix is None:
        return (target or None) if known is not None else word
    begins = _as_hip_spells(word, _PREFIXES[prefix] + word.removeprefix(prefix), names)
    if not target or target.startswith(begins):
        return begins if target or known is None else None
    if any(found.startswith(begins) for found in _targets(word, names)):
        return f"({target}|{begins})"
    return target


def _as_hip_spells(word: str, begins: str, names: Names) -> str:
    """Return a beginning of HIP's names in the case that most counterparts of CUDA's have.

    `word`: what CUDA's names begin with.
    """
    spelled = Counter(
        target[: len(begins)]
        for target in _targets(word, names)
        if target.lower().startswith(begins.lower())
    )
    return max(spelled, key=lambda text: (spelled[text], text), default=begins)


def _targets(word: str, names: Names) -> list[str]:
    """Return the counterparts of the names that begin with a word."""
    return [name.target for name in names if name.target and name.name.startswith(word)]
