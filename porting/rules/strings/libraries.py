"""Names of CUDA's shared libraries in strings: dlopen, LoadLibrary, constants and messages."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.strings.codes import BUILT_LIBRARY, LIBRARY, NO_LIBRARY
from porting.rules.strings.sonames import LIBRARY_NAME, NO_DROP_INS, drop_in_file, windows_file
from porting.rules.unit import Unit
from porting.syntax import IDENT, RAW_STRING, STRING, Token

_OPENING = re.compile(r"""(?:u8|[uUL])?(?:R"[^(\s]*\(|")""")
_PATH: Final = re.compile(r"[\w./:$@{}\\-]*")


def check_libraries(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every library name in a string of live code."""
    if not LIBRARY_NAME.search(unit.string_text):
        return
    for number in unit.strings:
        token = unit.tokens[number]
        text = unit.source.text[token.start : token.end]
        for match in LIBRARY_NAME.finditer(text):
            finding = _finding(unit, number, match)
            if finding is not None:
                yield finding


def _finding(unit: Unit, number: int, match: re.Match[str]) -> Diagnostic | None:
    at = unit.tokens[number].start + match.start()
    found = match[0]
    if found.endswith(".a"):
        return None
    if match["linux"] and _is_joined(unit, number, match):
        text = f"the file name '{found}' is joined with a version at run time"
        help_text = "write the whole name as one string; ROCm's version numbers are others"
        return unit.diagnose(BUILT_LIBRARY, at, text, help=help_text, symbol=found)
    new = _replacement(unit, match)
    if new is None:
        return _no_drop_in(unit, number, match)
    edit = Edit(at, at + len(found), new, found)
    return unit.diagnose(LIBRARY, at, f"'{found}' becomes {new}", symbol=found, edits=[edit])


def _no_drop_in(unit: Unit, number: int, match: re.Match[str]) -> Diagnostic | None:
    token = unit.tokens[number]
    if not _is_name_alone(unit, token, match):
        return None  # prose about a library that stays
    text = f"'{match[0]}' has no drop-in in ROCm {unit.target.rocm}"
    other = "find the library of the HIP SDK for Windows that takes its place"
    if match["linux"]:
        other = f"look up the version number of the library in ROCm {unit.target.rocm}"
    help_text = NO_DROP_INS.get(match["linux"] or "", other)
    at = token.start + match.start()
    return unit.diagnose(NO_LIBRARY, at, text, help=help_text, symbol=match[0])


def _replacement(unit: Unit, match: re.Match[str]) -> str | None:
    if match["windows"]:
        return windows_file(match["windows"], unit.target.release)
    version = match["version"]
    new = drop_in_file(match["linux"], version.rstrip("."), unit.target.release)
    return new + "." if new is not None and version.endswith(".") else new


def _is_joined(unit: Unit, number: int, match: re.Match[str]) -> bool:
    """Whether a version follows the name at run time: a format, an open dot, a concatenation."""
    token = unit.tokens[number]
    if "%" in match["version"]:
        return True
    if _rest(unit, token, match):
        return False
    if match["version"].endswith("."):
        return _is_name_alone(unit, token, match)
    return _is_continued(unit, number)


def _is_continued(unit: Unit, number: int) -> bool:
    """Whether something is joined to the end of a literal."""
    token = unit.tokens[number]
    following = unit.tokens[number + 1 : number + 3]
    if not following or following[0].directive != token.directive:
        return False
    after = following[0]
    if after.kind in (STRING, RAW_STRING):
        return _OPENING.sub("", after.text, count=1).startswith((".", "%", "{"))
    if after.kind == IDENT:
        return after.start > token.end  # a macro; at the same place it is a literal's suffix
    return [t.text for t in following][after.text == ")" :][:1] == ["+"]


def _rest(unit: Unit, token: Token, match: re.Match[str]) -> str:
    """Return what the string holds behind the name."""
    text = unit.source.text[token.start : token.end]
    closing = text.rfind(")") if token.kind == RAW_STRING else text.rfind('"')
    return text[match.end() : closing]


def _is_name_alone(unit: Unit, token: Token, match: re.Match[str]) -> bool:
    """Whether the string holds the name and at most a path in front of it."""
    text = unit.source.text[token.start : token.end]
    opening = _OPENING.match(text)
    begin = opening.end() if opening else 1
    return not _rest(unit, token, match) and _PATH.fullmatch(text, begin, match.start()) is not None
