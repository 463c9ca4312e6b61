"""Find asm statements in device code and rewrite or report them."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.dialect import is_hip_source
from porting.rules.ptx.codes import CONSTRAINT, DIFFERS, REWRITTEN, UNREADABLE, UNSUPPORTED
from porting.rules.ptx.layout import wrapped
from porting.rules.ptx.registers import DIFFERING
from porting.rules.ptx.statement import AsmStatement, read_statement
from porting.rules.ptx.template import Template, parse
from porting.rules.ptx.translate import KNOWN, translate
from porting.rules.ptx.unsupported import advice
from porting.rules.ptx.values import UntranslatableError
from porting.rules.unit import Unit
from porting.rules.warp.width import Widths

_KEYWORDS: Final = ("asm", "__asm__", "__asm")
_TYPED: Final = re.compile(r"\.(?:[busf](?:8|16|32|64)|pred|f16x2|bf16x2|b128|bf16|tf32)\b")
_DECLARES: Final = re.compile(r"\s*\{?\s*\.reg\s+\.")
_MARK: Final = re.compile(r"[A-Z][A-Z_]*(?:DEVICE|DEV|INLINE|HD|DI|KERNEL)[A-Z_]*|DI|HDI|HD")
_LETTERS: Final = frozenset("rlhfd")
_QUOTED: Final = 1  # the quote in front of a constraint


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of the asm statements of device code."""
    places = sorted(place for word in _KEYWORDS for place in unit.where(word))
    if not places or is_hip_source(unit):
        return
    widths = Widths(unit)
    for place in places:
        statement = read_statement(unit, place)
        if statement is not None:
            finding = _statement(unit, widths, statement)
            if finding is not None:
                yield finding


def _statement(unit: Unit, widths: Widths, statement: AsmStatement) -> Diagnostic | None:
    on_device = _may_be_device(unit, statement)
    if statement.text is None:
        return _unreadable(unit, statement) if on_device else None
    if not statement.text.strip():
        return _empty(unit, statement)
    template = parse(statement.text)
    if template is None or not _is_ptx(template, statement.text):
        return _foreign(unit, statement, on_device=on_device)
    if template.instructions:
        return _translated(unit, widths, statement, template)
    return None  # a comment


def _may_be_device(unit: Unit, statement: AsmStatement) -> bool:
    """Whether a function is marked for the device, or by a macro that may say so."""
    function = unit.functions.around(statement.keyword)
    if function is None or function.is_macro:
        return function is not None and unit.source.is_cuda
    header = unit.tokens.words[function.first : function.open]
    return function.on_device or any(map(_MARK.fullmatch, header))


def _unreadable(unit: Unit, statement: AsmStatement) -> Diagnostic:
    message = "an asm statement whose text is made by macros cannot be read"
    keyword = unit.tokens[statement.keyword]
    return unit.diagnose(UNREADABLE, keyword, message, help="write it in C++")


def _translated(
    unit: Unit, widths: Widths, statement: AsmStatement, template: Template
) -> Diagnostic:
    logical = widths.logical
    try:
        text = translate(unit, statement, template, logical=logical)
    except UntranslatableError as error:
        return _unsupported(unit, statement, template, str(error))
    return _rewritten(unit, statement, template, text)


def _is_ptx(template: Template, text: str) -> bool:
    """Whether instructions are PTX's: known names, with a type or a form that only PTX has."""
    if not all(ins.opcode[0] in KNOWN for ins in template.instructions):
        return bool(_DECLARES.match(text))
    return all(
        len(ins.opcode) > 1 or ins.opcode[0] in ("trap", "exit", "brkpt", "ret", "nanosleep")
        for ins in template.instructions
    )


def _foreign(unit: Unit, statement: AsmStatement, *, on_device: bool) -> Diagnostic | None:
    """Report text in device code that is not understood; elsewhere it is the host's assembly."""
    text = statement.text or ""
    looks_like_ptx = bool(_DECLARES.match(text) or _TYPED.search(text))
    if not on_device and not looks_like_ptx:
        return None
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return unit.diagnose(
        UNSUPPORTED if looks_like_ptx else UNREADABLE,
        unit.tokens[statement.keyword],
        f"inline assembly that starts with '{first[:40]}' has no equivalent that the port knows",
        help="write it in C++",
        end=unit.tokens[statement.close].end,
    )


def _empty(unit: Unit, statement: AsmStatement) -> Diagnostic | None:
    """Give the operands of an empty statement vector registers."""
    edits: list[Edit] = []
    for operand in statement.operands:
        quoted = unit.tokens[operand.quoted]
        letter = operand.constraint.lstrip("=+&%")
        if letter in _LETTERS:
            at = quoted.end - _QUOTED - len(letter)
            edits.append(Edit(at, at + 1, "v", "asm"))
    if not edits:
        return None
    return unit.diagnose(
        CONSTRAINT,
        unit.tokens[statement.keyword],
        "the operand of an empty asm statement gets a vector register",
        end=unit.tokens[statement.close].end,
        edits=edits,
    )


def _unsupported(unit: Unit, statement: AsmStatement, template: Template, why: str) -> Diagnostic:
    unknown = [i for i in template.instructions if i.name in why] or list(template.instructions)
    return unit.diagnose(
        UNSUPPORTED,
        unit.tokens[statement.keyword],
        f"inline PTX {unknown[0].name} has no equivalent here: {why}",
        help=advice(unknown[0].opcode),
        end=unit.tokens[statement.close].end,
    )


def _laid_out(unit: Unit, start: int, text: str) -> str:
    """Break the lines of a text that comes to stand at a place of the file."""
    place = unit.source.position(start)
    line = unit.source.line_text(place.line)
    indent = line[: len(line) - len(line.lstrip())]
    return wrapped(text, place.column - 1, indent, unit.source.newline)


def _rewritten(unit: Unit, statement: AsmStatement, template: Template, text: str) -> Diagnostic:
    tokens = unit.tokens
    start, end = tokens[statement.keyword].start, tokens[statement.close].end
    if tokens[statement.keyword].directive < 0:  # a macro's body would need continued lines
        text = _laid_out(unit, start, text)
    edit = Edit(start, end, text, tokens[statement.keyword].text)
    differing = [
        DIFFERING[name]
        for ins in template.instructions
        for operand in ins.operands
        if (name := operand.lstrip("%")) in DIFFERING
    ]
    names = ", ".join(dict.fromkeys(ins.name for ins in template.instructions))
    if differing:
        return unit.diagnose(
            DIFFERS,
            tokens[statement.keyword],
            f"inline PTX {names} is written for AMD, but {differing[0]}",
            help="check what the value is used for",
            end=end,
            edits=[edit],
        )
    return unit.diagnose(
        REWRITTEN,
        tokens[statement.keyword],
        f"inline PTX {names} is written as C++",
        end=end,
        edits=[edit],
    )
