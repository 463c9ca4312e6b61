"""Environment variables, paths and programs of NVIDIA's driver and toolkit."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.rules.strings.codes import ENVIRONMENT
from porting.rules.strings.machine import (
    FILE,
    FILES,
    HINT,
    OF_CUDA,
    PROGRAMS,
    Variable,
    variable,
)
from porting.rules.unit import Unit
from porting.syntax import callee_of, enclosing_bracket

_PATHS: Final = re.compile(rf'"[^"\s]*?({FILE.pattern})')
_PROGRAMS: Final = re.compile(rf'"(?:[^"\s]*/)?({"|".join(map(re.escape, PROGRAMS))})(?![\w-])')
# A program with an option or a pipe behind it is a command line, wherever it is passed.
_COMMAND: Final = re.compile(r"[ \t]+(?:--?[A-Za-z]|\||[12]?>|&&)|[ \t]*\|")
_VARIABLE: Final = re.compile(r'"([A-Za-z]\w*)"')
_READS: Final = re.compile(r"(?i)(?:get|set|put|unset|has|read)?_?env\w*$|\benviron\w*")
_UNKNOWN: Final = Variable("ROCm does not know it; see what it was for")


def check_environment(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a warning for every string that asks for something of NVIDIA's on the machine."""
    if not HINT.search(unit.string_text):
        return
    for number in unit.strings:
        token = unit.tokens[number]
        found = _PATHS.match(token.text)
        if found:
            help_text = f"on an AMD machine look at {FILES[found[1]]}"
            yield _warning(unit, number, f"path '{found[1]}' is NVIDIA's", help_text)
            continue
        program = _PROGRAMS.match(token.text)
        if program and _is_command(unit, number, program.end()):
            help_text = f"on an AMD machine use {PROGRAMS[program[1]]}"
            yield _warning(unit, number, f"program '{program[1]}' is NVIDIA's", help_text)
            continue
        name = _VARIABLE.fullmatch(token.text)
        known = _known(name[1]) if name else None
        if name and known and _READS.search(_callee(unit, number)):
            severity = Severity.NOTE if known.is_read else Severity.WARNING
            text = f"environment variable {name[1]} is CUDA's"
            yield _warning(unit, number, text, known.advice, severity)


def _known(name: str) -> Variable | None:
    return variable(name) or (_UNKNOWN if OF_CUDA.fullmatch(name) else None)


def _warning(
    unit: Unit, number: int, text: str, help_text: str, severity: Severity = Severity.WARNING
) -> Diagnostic:
    token = unit.tokens[number]
    symbol = token.text.strip('"')
    return unit.diagnose(ENVIRONMENT, token, text, help=help_text, symbol=symbol, severity=severity)


def _callee(unit: Unit, number: int) -> str:
    opener = enclosing_bracket(unit.tokens, number)
    if opener is None:
        return ""
    if unit.tokens[opener].text == "[":  # environ["X"]
        return unit.tokens[opener - 1].text if opener else ""
    return callee_of(unit.tokens, opener)


def _is_command(unit: Unit, number: int, end: int) -> bool:
    """Whether a string that names a program up to `end` runs it, rather than speaks of it."""
    rest = unit.tokens[number].text[end:]
    return rest == '"' or _COMMAND.match(rest) is not None or _runs(unit, number)


def _runs(unit: Unit, number: int) -> bool:
    return _callee(unit, number) in ("system", "popen", "_popen", "execvp", "execlp", "execl")
