"""Checks of the alignment that an access has by its type, put into a module of LLVM IR.

The calls that the compiler makes for each load and store know the access's size, at most 8 bytes
of alignment, and none for what is copied as a whole.  A type may ask for more: uint4, of four
times 4 bytes, for 16.  What asks for more is given a call of its own, after optimisation, since
before it the addresses of local variables would be given to it.
"""

import re

from porting.emulate.ir_text import split_list, take_type

CHECK = "eclosion_check_alignment"
# The most that the calls for loads and stores look at, and what the processor itself refuses.
_LOOKED_AT = 8
_LOCAL = r'%(?:[-\w$.]+|"[^"]*")'
_ACCESS = re.compile(
    rf"^  (?:{_LOCAL} = load (?:volatile )?(?!atomic )(?P<loaded>.+?)"
    rf"|store (?:volatile )?(?!atomic )(?P<stored>.+)), ptr (?P<place>{_LOCAL}), "
    r"align (?P<align>\d+)(?P<rest>.*)$"
    r"|^  (?:tail |notail )?call void @llvm\.(?P<copy>memcpy|memmove|memset)\.[\w.]*i64"
    r"\((?P<arguments>.*)\)(?P<end>[^)]*)$",
    re.MULTILINE,
)
_ALIGN = re.compile(r"\balign (\d+)")
_PLACE = re.compile(r"!dbg !\d+")
_VECTOR = re.compile(r"<(\d+) x (.+)>")
_SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
_BYTE = 8


def with_checks(text: str) -> str:
    """Return a module whose accesses of types with larger alignment call the check first."""
    declared = f"\ndeclare void @{CHECK}(ptr nocapture readnone, i64, i64, i64) nounwind\n"
    return _ACCESS.sub(_checked, text) + declared


def _checked(match: re.Match[str]) -> str:
    return _checked_copy(match) if match["copy"] else _checked_access(match)


def _checked_access(match: re.Match[str]) -> str:
    kind = match["loaded"] or take_type(match["stored"])[0]
    alignment, size = int(match["align"]), _size(kind)
    if alignment <= min(size, _LOOKED_AT):
        return match[0]
    call = _call(match["place"], alignment, f"i64 {size or alignment}", match["stored"])
    line = match[0]
    if size == 0 or size > _LOOKED_AT:
        # Where the access is carried out all the same, the processor must not refuse it.
        start, end = (at - match.start() for at in match.span("align"))
        line = f"{line[:start]}1{line[end:]}"
    return f"{call}{_placed(match['rest'])}\n{line}"


def _checked_copy(match: re.Match[str]) -> str:
    arguments = split_list(match["arguments"])
    is_set = match["copy"] == "memset"
    calls = []
    for number, argument in enumerate(arguments[: 1 if is_set else 2]):
        place, align = argument.split(" ")[-1], _ALIGN.search(argument)
        if align and int(align[1]) > 1 and place.startswith("%"):
            calls.append(_call(place, int(align[1]), arguments[2], number == 0))
    end = _placed(match["end"])
    return "".join(f"{call}{end}\n" for call in calls) + match[0]


def _call(place: str, alignment: int, size: str, is_write: object) -> str:
    given = f"ptr {place}, i64 {alignment}, {size}, i64 {int(bool(is_write))}"
    return f"  call void @{CHECK}({given})"


def _placed(rest: str) -> str:
    place = _PLACE.search(rest)
    return f", {place[0]}" if place else ""


def _size(kind: str) -> int:
    """Return the bytes of a type; 0: not one that the processor loads at once."""
    vector = _VECTOR.fullmatch(kind)
    if vector:
        return int(vector[1]) * _size(vector[2])
    if re.fullmatch(r"i\d+", kind):
        return -(-int(kind[1:]) // _BYTE)
    return _SIZES.get(kind, 0)
