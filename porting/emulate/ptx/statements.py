"""Asm statements of a module of LLVM IR, and the instructions that take their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final

from porting.emulate.ir_text import split_list
from porting.emulate.ptx import integers, machine, values
from porting.emulate.ptx.body import Body, UnknownPtxError, Value
from porting.errors import InputError
from porting.rules.ptx.template import Instruction, parse

_CALL: Final = re.compile(
    r"^(?P<indent>\s+)(?:(?P<result>%[-\w$.]+) = )?(?:tail )?call (?:[a-z]+ )*"
    r"(?P<type>i\d+|float|double|ptr|void|\{[^}]*\}) asm (?:sideeffect )?(?:alignstack )?"
    r'"(?P<text>[^"]*)", "(?P<constraints>[^"]*)"\((?P<arguments>.*)\)(?P<rest>[^()]*)$'
)
_ESCAPE: Final = re.compile(r"\\([0-9A-F]{2})")
_TEXT_ESCAPES: Final = {"$$": "$", "$(": "{", "$)": "}", "$|": "|"}
_LOCATION: Final = re.compile(r"!dbg !(\d+)")
_TIED: Final = re.compile(r"\d+")
# What the device headers themselves write for the processor.
_OURS: Final = ("stmxcsr",)
_ARGUMENT: Final = re.compile(
    r"^(?P<type>\S+)(?: (?:noundef|nonnull|\w+\([^)]*\)))* (?P<value>\S+)$"
)


@dataclass(frozen=True)
class _Statement:
    """One call: the place of its result, its LLVM type, PTX text, operands by number."""

    result: str
    type: str
    text: str
    outputs: tuple[str, ...]  # LLVM types
    inputs: dict[int, Value]


def with_ptx(text: str) -> str:
    """Return a module whose asm statements of PTX are instructions of LLVM.

    Raises InputError, with the line of the source, for one that has no equivalent here.
    """
    if " asm " not in text:
        return text
    declared: dict[str, str] = {}
    numbers = count()
    lines: list[str] = []
    for line in text.split("\n"):
        match = _CALL.match(line) if " asm " in line else None
        if match is None or not _is_ptx(match["text"]):
            lines.append(line)
            continue
        try:
            body = _written(_read(match), f"ptx{next(numbers)}")
        except UnknownPtxError as error:
            raise InputError(_refusal(text, line, match["text"], str(error))) from None
        place = _LOCATION.search(match["rest"])
        debug = f", !dbg !{place[1]}" if place else ""
        lines += [f"{match['indent']}{part}{debug}" for part in body.lines]
        declared.update(body.declarations)
    known = "\n".join(lines)
    missing = [each for name, each in declared.items() if f"@{name}(" not in _heads(known)]
    return "\n".join((known, *missing, "")) if missing else known


def _heads(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.startswith(("declare ", "define ")))


def _is_ptx(text: str) -> bool:
    return bool(text) and not text.startswith(_OURS)


def _read(match: re.Match[str]) -> _Statement:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), match["text"])
    for written, meant in list(_TEXT_ESCAPES.items())[1:]:
        plain = plain.replace(written, meant)
    parts = [part for part in match["constraints"].split(",") if not part.startswith("~")]
    outputs = [part for part in parts if part.startswith("=")]
    given = [_argument(part) for part in split_list(match["arguments"])]
    kinds = _result_types(match["type"], len(outputs))
    inputs: dict[int, Value] = {}
    for number, (constraint, value) in enumerate(zip(parts[len(outputs) :], given, strict=True)):
        tied = _TIED.fullmatch(constraint)
        # Those that begin as outputs' values, "+r", come last and have no number of their own.
        inputs[int(constraint) if tied else len(outputs) + number] = value
    return _Statement(match["result"] or "", match["type"], plain, tuple(kinds), inputs)


def _argument(text: str) -> Value:
    match = _ARGUMENT.match(text)
    if match is None:
        message = f"the operand {text} is not emulated"
        raise UnknownPtxError(message)
    return Value(match["type"], match["value"])


def _result_types(kind: str, outputs: int) -> list[str]:
    if outputs == 0:
        return []
    return split_list(kind.strip("{} ")) if kind.startswith("{") else [kind]


def _written(statement: _Statement, prefix: str) -> Body:
    template = parse(statement.text)
    if template is None:
        message = "labels, calls and text that is no PTX are not emulated"
        raise UnknownPtxError(message)
    body = Body(prefix, dict(statement.inputs))
    for ins in template.instructions:
        _write(body, ins)
    _finish(body, statement)
    return body


def _write(body: Body, ins: Instruction) -> None:
    name = ins.opcode[0]
    body.predicate = None
    if ins.predicate:
        condition = body.read(ins.predicate, "pred")
        true = Value("i1", "true")
        body.predicate = body.binary("xor", condition, true) if ins.negated else condition
    if name in machine.EFFECTS:
        body.only_unconditional(ins.name)
    table = values.FLOAT_EMITTERS if values.is_float(ins) else {}
    every = {**integers.EMITTERS, **values.EMITTERS, **machine.EMITTERS, **table}
    if name not in every:
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    try:
        every[name](body, ins)
    except (IndexError, ValueError, TypeError) as error:
        message = f"{ins.name} {', '.join(ins.operands)} is not of a form that is emulated"
        raise UnknownPtxError(message) from error


def _finish(body: Body, statement: _Statement) -> None:
    """Give the statement's results the names that the rest of the function uses."""
    if not statement.result:
        return
    body.predicate = None
    found = [
        body.resized(body.operands.get(number, Value(kind, "zeroinitializer")), kind)
        for number, kind in enumerate(statement.outputs)
    ]
    if len(found) == 1:
        body.lines.append(f"{statement.result} = freeze {found[0]}")
        return
    whole = f"{statement.type} poison"
    for number, value in enumerate(found):
        name = f"%{body.prefix}.all{number}" if number + 1 < len(found) else statement.result
        body.lines.append(f"{name} = insertvalue {whole}, {value}, {number}")
        whole = f"{statement.type} {name}"


def _refusal(module: str, line: str, text: str, reason: str) -> str:
    shown = _ESCAPE.sub(" ", text).replace("$(", "{").replace("$)", "}")
    return (
        f"{_place(module, line)}: inline PTX {' '.join(shown.split())!r} cannot be emulated: "
        f"{reason}; give the kernel a path without it where __CUDA_ARCH__ allows, or write C++"
    )


def _place(module: str, line: str) -> str:
    """Return `file:line` of an instruction, from the module's debug information."""
    location = _LOCATION.search(line)
    scope = location[1] if location else ""
    row = ""
    for record in _chain(module, scope):
        row = row or _field(record, "line")
        file = re.search(r"\bfile: !(\d+)", record)
        if file:
            name = re.search(rf'^!{file[1]} = .*?filename: "([^"]*)"', module, re.MULTILINE)
            return f"{name[1] if name else 'unknown source'}:{row}"
    return "unknown source"


def _chain(module: str, number: str) -> Iterator[str]:
    """Yield a debug record and the scopes that it is in, innermost first."""
    while number:
        match = re.search(rf"^!{number} = (.*)$", module, re.MULTILINE)
        if match is None:
            return
        yield match[1]
        scope = re.search(r"\bscope: !(\d+)", match[1])
        number = scope[1] if scope else ""


def _field(record: str, name: str) -> str:
    match = re.search(rf"\b{name}: (\d+)", record)
    return match[1] if match else ""
