"""The LLVM instructions that take the place of one asm statement, while they are written."""

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_TYPE: Final = re.compile(r"[usb](8|16|32|64)")
_FLOATS: Final = {"f32": "float", "f64": "double"}
_WIDTHS: Final = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64}
_OPERAND: Final = re.compile(r"\$(\d+)")
_FLOAT_BITS: Final = re.compile(r"0([fFdD])([0-9A-Fa-f]+)")
WORD: Final = 32


class UnknownPtxError(Exception):
    """An instruction that has no equivalent here; the text names it."""


@dataclass(frozen=True)
class Value:
    """A value of LLVM: its type and how it is written."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


def llvm_type(kind: str) -> str:
    """Return the LLVM type of a PTX type."""
    if kind == "pred":
        return "i1"
    if kind in _FLOATS:
        return _FLOATS[kind]
    match = _TYPE.fullmatch(kind)
    if match is None:
        message = f"values of type .{kind} are not emulated"
        raise UnknownPtxError(message)
    return f"i{match[1]}"


def width_of(kind: str) -> int:
    """Return the bits of a PTX type."""
    return _WIDTHS[llvm_type(kind)]


@dataclass
class Body:
    """Instructions so far; `operands` are those of the statement that have a value yet.

    `prefix` begins the names of its values, so that no two statements share one.
    """

    prefix: str
    operands: dict[int, Value] = field(default_factory=dict)
    registers: dict[str, Value] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    declarations: dict[str, str] = field(default_factory=dict)
    carry: Value | None = None
    predicate: Value | None = None
    _count: int = 0

    def emit(self, kind: str, expression: str) -> Value:
        """Append an instruction with a result of an LLVM type."""
        value = Value(kind, f"%{self.prefix}.{self._count}")
        self._count += 1
        self.lines.append(f"{value.text} = {expression}")
        return value

    def call(self, kind: str, name: str, *arguments: Value) -> Value:
        """Append a call of a function of the emulator or of LLVM."""
        types = ", ".join(argument.type for argument in arguments)
        self.declarations[name] = f"declare {kind} @{name}({types})"
        text = f"call {kind} @{name}({', '.join(map(str, arguments))})"
        if kind != "void":
            return self.emit(kind, text)
        self.lines.append(text)
        return Value("void", "")

    def binary(self, operation: str, left: Value, right: Value) -> Value:
        """Append an operation on two values of one type."""
        return self.emit(left.type, f"{operation} {left}, {right.text}")

    def compare(self, condition: str, left: Value, right: Value) -> Value:
        """Append a comparison: `icmp ult`, `fcmp oeq`, ..."""
        return self.emit("i1", f"{condition} {left}, {right.text}")

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        """Append a choice."""
        return self.emit(yes.type, f"select {condition}, {yes}, {no}")

    def resized(self, value: Value, kind: str, *, signed: bool = False) -> Value:
        """Return a value's bits as another LLVM type: cut, or filled up with zeros or its sign."""
        if value.type == kind:
            return value
        if value.type == "ptr":
            return self.resized(self.emit("i64", f"ptrtoint {value} to i64"), kind)
        if kind == "ptr":
            return self.emit("ptr", f"inttoptr {self.resized(value, 'i64')} to ptr")
        whole = value
        if value.type in ("float", "double"):
            bits = f"i{_WIDTHS[value.type]}"
            whole = self.emit(bits, f"bitcast {value} to {bits}")
        target = f"i{_WIDTHS[kind]}" if kind in _WIDTHS else kind
        have, want = int(whole.type[1:]), int(target[1:])
        if have != want:
            how = "trunc" if have > want else "sext" if signed else "zext"
            whole = self.emit(target, f"{how} {whole} to {target}")
        return whole if target == kind else self.emit(kind, f"bitcast {whole} to {kind}")

    def read(self, text: str, kind: str) -> Value:
        """Return an operand as a value of a PTX type; immediates are in the text.

        Raises UnknownPtxError for a register that has no value.
        """
        wanted = llvm_type(kind)
        immediate = _immediate(text, wanted)
        if immediate is not None:
            return immediate
        negated = text.startswith("!")
        value = self._named(text.lstrip("!"))
        found = self.resized(value, wanted, signed=kind.startswith("s"))
        return self.binary("xor", found, Value("i1", "true")) if negated else found

    def _named(self, text: str) -> Value:
        match = _OPERAND.fullmatch(text)
        value = self.operands.get(int(match[1])) if match else self.registers.get(text)
        if value is None:
            message = f"{text} is read before it has a value"
            raise UnknownPtxError(message)
        return value

    def write(self, text: str, value: Value) -> None:
        """Give an operand or register a value; under a predicate, only where that is true."""
        if text == "_":
            return
        match = _OPERAND.fullmatch(text)
        number = int(match[1]) if match else -1
        if self.predicate is not None:
            known = self.operands.get(number) if match else self.registers.get(text)
            before = Value(value.type, _zero(value.type))
            if known is not None:
                before = self.resized(known, value.type)
            value = self.select(self.predicate, value, before)
        if match:
            self.operands[number] = value
        else:
            self.registers[text] = value

    def only_unconditional(self, name: str) -> None:
        """Refuse an instruction with effects where a predicate decides on it."""
        if self.predicate is not None:
            message = f"{name} under a predicate is not emulated"
            raise UnknownPtxError(message)


def number(kind: str, value: int) -> Value:
    """Return an integer constant of an LLVM type."""
    return Value(kind, str(value))


def _zero(kind: str) -> str:
    return "0.0" if kind in ("float", "double") else "false" if kind == "i1" else "0"


def _immediate(text: str, kind: str) -> Value | None:
    """Return a number in the text as a value of an LLVM type, or None when it is none."""
    bits = _FLOAT_BITS.fullmatch(text)
    if bits and kind in ("float", "double"):
        raw = int(bits[2], 16)
        wide = raw
        if bits[1] in "fF":
            (single,) = struct.unpack("<f", struct.pack("<I", raw))
            (wide,) = struct.unpack("<Q", struct.pack("<d", single))
        return Value(kind, f"0x{wide:016X}")
    try:
        whole = int(text.rstrip("uU"), 0)
    except ValueError:
        return None
    if kind in ("float", "double"):
        return Value(kind, f"{float(whole):e}")
    return Value(kind, ("true" if whole & 1 else "false") if kind == "i1" else str(whole))


def choose(name: str, found: Sequence[str], known: Mapping[str, str]) -> str:
    """Return what the one of an opcode's parts that a table knows stands for."""
    for part in found:
        if part in known:
            return known[part]
    message = f"{name} is not emulated"
    raise UnknownPtxError(message)
