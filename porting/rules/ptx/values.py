"""Operands of PTX instructions as C++ expressions of a wanted type."""

import re
import struct
from collections.abc import Sequence
from typing import Final

from porting.mapping import Status
from porting.rules.ptx.registers import MASK, special_register
from porting.rules.ptx.statement import AsmOperand, AsmStatement, is_simple
from porting.rules.ptx.template import Template
from porting.rules.unit import Unit
from porting.syntax import IDENT, Token

_ASM: Final = re.compile(r"%(?:(\d+)|\[(\w+)\])")
_INTEGER: Final = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|\d+)[uU]?")
_ATOM: Final = re.compile(r"[\w:.]+|\w+\([^()]*\)|[\w.]+\[[^\[\]]*\]")
SHARED: Final = "__attribute__((address_space(3)))"
# PTX type -> C++ type.
CPP: Final = {
    **dict.fromkeys(("u32", "b32"), "unsigned"),
    "s32": "int",
    **dict.fromkeys(("u64", "b64"), "unsigned long long"),
    "s64": "long long",
    **dict.fromkeys(("u16", "b16"), "unsigned short"),
    "s16": "short",
    **dict.fromkeys(("u8", "b8"), "unsigned char"),
    "s8": "signed char",
    "f32": "float",
    "f64": "double",
    "f16": "unsigned short",
    "bf16": "unsigned short",
    "f16x2": "unsigned",
    "bf16x2": "unsigned",
    "pred": "bool",
}
_SUFFIX: Final = {"u32": "u", "b32": "u", "u64": "ull", "b64": "ull", "s64": "ll"}
_LETTER_TYPE: Final = {
    "r": "u32",
    "l": "u64",
    "h": "u16",
    "f": "f32",
    "d": "f64",
    "n": "s32",
    "i": "s32",
}
_BIT_CASTS: Final = {
    ("f32", 32): "__float_as_uint",
    ("f64", 64): "__double_as_longlong",
    (32, "f32"): "__uint_as_float",
    (64, "f64"): "__longlong_as_double",
}
_UNSIGNED_WORDS: Final = frozenset(("unsigned", "uint32_t", "uint", "u32"))
_SIGNED_WORDS: Final = frozenset(("int", "int32_t"))
_WIDE_WORDS: Final = frozenset(("uint64_t", "size_t"))


class UntranslatableError(Exception):
    """An instruction has no equivalent here; the text says which and why."""


def bits(kind: str) -> int:
    """Return the width of a PTX type."""
    return 32 if kind.endswith("x2") else int(re.sub(r"\D", "", kind) or 1)


class Values:
    """Turns the operands of one asm statement into C++."""

    def __init__(
        self, unit: Unit, statement: AsmStatement, template: Template, *, logical: bool
    ) -> None:
        self._unit = unit
        self._statement = statement
        self._registers = template.registers
        self.logical = logical
        self.release = unit.target.release

    def operand(self, text: str) -> AsmOperand | None:
        """Return the asm operand that `%0` or `%[name]` stands for, or None for other texts."""
        match = _ASM.fullmatch(text)
        if match is None:
            return None
        operands = self._statement.operands
        if match[1] is not None:
            number = int(match[1])
            if number < len(operands):
                return operands[number]
        else:
            for operand in operands:
                if operand.symbol == match[2]:
                    return operand
        raise UntranslatableError(f"operand {text} is not in the operand list")

    def source(self, operand: AsmOperand) -> str:
        """Return the C++ text of an operand, with CUDA's names renamed."""
        text = self._unit.source.text
        parts: list[str] = []
        at = self._unit.tokens[operand.first].start
        for token in self._unit.tokens[operand.first : operand.last]:
            parts += [text[at : token.start], self._renamed(token)]
            at = token.end
        return "".join(parts)

    def _renamed(self, token: Token) -> str:
        if token.kind == IDENT:
            name = self._unit.names.get(token.text)
            if name is not None and name.status is Status.MAPPED and name.target is not None:
                return name.target
        return self._unit.source.text[token.start : token.end]

    def is_repeatable(self, text: str) -> bool:
        """Whether an operand may be evaluated twice: a name, a number, a member."""
        operand = self.operand(text)
        return operand is None or is_simple(self._unit.tokens, operand)

    def require_repeatable(self, *texts: str) -> None:
        """Refuse operands that must not be evaluated twice."""
        for text in texts:
            if not self.is_repeatable(text):
                raise UntranslatableError("its operand has to be computed once only")

    def constant(self, text: str) -> int | None:
        """Return the value of an immediate operand, also of one given as a literal."""
        operand = self.operand(text)
        return _number(text) if operand is None else self.constant_of(operand)

    def constant_of(self, operand: AsmOperand) -> int | None:
        """Return the value of an operand that is an integer literal."""
        if operand.last - operand.first != 1:
            return None
        return _number(self._unit.tokens[operand.first].text)

    def value(self, text: str, kind: str) -> str:
        """Return an operand as an expression of a PTX type that needs no parentheses."""
        negated = text.startswith("!") and kind == "pred"
        if negated:
            return f"!{self.value(text[1:], kind)}"
        operand = self.operand(text)
        if operand is not None:
            return self._asm_value(operand, kind)
        number = self.constant(text)
        if number is not None:
            return _literal(number, kind)
        if re.fullmatch(r"0[fFdD][0-9a-fA-F]+", text):
            return _float_literal(text)
        name = text.lstrip("%$")
        if text in self._registers:
            return _converted(f"ptx_{name}", self._registers[text], kind)
        if text.startswith("%"):
            found = special_register(name, logical=self.logical)
            if found is None:
                raise UntranslatableError(f"register {text} has no counterpart")
            return found[0] if found[1] == MASK else _converted(*found, kind)
        raise UntranslatableError(f"operand {text} is not understood")

    def _asm_value(self, operand: AsmOperand, kind: str) -> str:
        text = atom(self.source(operand))
        letter = operand.constraint.strip("=+&%")
        have = _LETTER_TYPE.get(letter[:1])
        if have is None:
            raise UntranslatableError(f"constraint '{operand.constraint}' is not understood")
        if operand.last - operand.first == 1 and have in ("u32", "u64", "s32") and kind[0] != "f":
            number = self.constant_of(operand)
            if number is not None:
                return _literal(number, kind)
        if kind[0] == "f" and have[0] == "f":
            return text
        words = self._declared_words(operand)
        exact: dict[str, frozenset[str]] = {
            "u32": _UNSIGNED_WORDS,
            "b32": _UNSIGNED_WORDS,
            "s32": _SIGNED_WORDS,
        }
        fits = bool(words) and words <= exact.get(kind, frozenset()) | {"int"}
        if have == "u32" and fits and (kind == "s32" or words & _UNSIGNED_WORDS):
            return text
        if have == "u64" and bits(kind) == 64:  # noqa: PLR2004
            return text if words & _WIDE_WORDS else f"({CPP[kind]})({strip(text)})"
        return _converted(text, have, kind, typed=False)

    def bits_of(self, text: str) -> str:
        """Return a 32-bit operand of an operation on bits, where int and unsigned are alike."""
        operand = self.operand(text)
        if operand is not None and operand.constraint.strip("=+&%") == "r":
            words = self._declared_words(operand)
            if words and words <= _UNSIGNED_WORDS | _SIGNED_WORDS:
                return self.source(operand)
        return self.value(text, "b32")

    def _declared_words(self, operand: AsmOperand) -> frozenset[str]:
        """Return the words of the type with which this function declares a plain name."""
        tokens = self._unit.tokens
        if operand.last - operand.first != 1 or tokens[operand.first].kind != IDENT:
            return frozenset()
        function = self._unit.functions.around(operand.first)
        if function is None:
            return frozenset()
        for place in self._unit.where(tokens[operand.first].text):
            if function.first <= place < operand.first:
                words = _type_words(tokens, place)
                if words:
                    return words
        return frozenset()

    def assign(self, text: str, expression: str, kind: str) -> str:
        """Return the assignment of an expression of a PTX type to a destination operand."""
        if text == "_":
            return f"static_cast<void>({expression})"
        operand = self.operand(text)
        if operand is None:
            if text not in self._registers:
                raise UntranslatableError(f"destination {text} is not understood")
            name = f"ptx_{text.lstrip('%$')}"
            return f"{name} = {_converted(expression, kind, self._registers[text], typed=True)}"
        have = _LETTER_TYPE.get(operand.constraint.strip("=+&%")[:1], "")
        return f"{self.source(operand)} = {_stored(expression, kind, have)}"

    def pointer(self, text: str, kind: str, *, const: bool, space: str) -> str:
        """Return `[address]` or `[address+offset]` as a pointer to a PTX type."""
        inner = text.strip()
        if not (inner.startswith("[") and inner.endswith("]")):
            raise UntranslatableError(f"address {text} is not understood")
        base, plus, offset = inner[1:-1].partition("+")
        base, offset = base.strip(), offset.strip()
        operand = self.operand(base)
        cpp = f"{'const ' if const else ''}{CPP[kind]}*"
        if operand is None:
            raise UntranslatableError(f"address {text} is not understood")
        source = self.source(operand)
        if plus:
            byte = "const char*" if const else "char*"
            number = self.constant(offset)
            if number is None:
                raise UntranslatableError(f"address {text} is not understood")
            if operand.constraint[-1] == "l":
                source = f"reinterpret_cast<{byte}>({source}) + {number}"
            else:
                source = f"{atom(source)} + {number}"
        if operand.constraint[-1] == "l" and space != "shared":
            return f"reinterpret_cast<{cpp}>({source})"
        if operand.constraint[-1] == "r" and space == "shared":
            return f"({cpp})({SHARED} void*)({source})"
        raise UntranslatableError("its address is not of the kind its state space needs")


def _number(text: str) -> int | None:
    match = _INTEGER.fullmatch(text.rstrip("lL"))
    if match is None:
        return None
    value = int(match[2], 8 if re.fullmatch(r"0\d+", match[2]) else 0)
    return -value if match[1] else value


def atom(text: str) -> str:
    """Return a text in parentheses unless it is a name, a number, a call or a subscript."""
    return text if _ATOM.fullmatch(text) else f"({text})"


def strip(text: str) -> str:
    """Return a text without the pair of parentheses around the whole of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
    return text


def _type_words(tokens: Sequence[Token], place: int) -> frozenset[str]:
    """Return the words of a plain integer type in front of a declared name."""
    known = _UNSIGNED_WORDS | _SIGNED_WORDS | _WIDE_WORDS | {"long"}
    words: set[str] = set()
    at = place - 1
    while at >= 0 and tokens[at].text in known | {"const", "std", "::"}:
        words.add(tokens[at].text)
        at -= 1
    words -= {"const", "std", "::"}
    if "long" in words:
        return frozenset(("size_t",)) if "unsigned" in words else frozenset(("long",))
    return frozenset(words)


def _literal(number: int, kind: str) -> str:
    if kind in ("f32", "f64"):
        raise UntranslatableError("an integer stands where a float is needed")
    if kind in ("u32", "b32"):
        number &= 0xFFFFFFFF
    elif kind in ("u64", "b64"):
        number &= 0xFFFFFFFFFFFFFFFF
    text = str(number) if abs(number) < 1024 else hex(number)  # noqa: PLR2004
    return text + _SUFFIX.get(kind, "")


def _float_literal(text: str) -> str:
    if text[1] in "fF":
        (value,) = struct.unpack(">f", bytes.fromhex(text[2:].rjust(8, "0")))
        if value - value == 0:
            return f"{float(value)!r}f"
        return f"__uint_as_float(0x{text[2:]}u)"
    (double,) = struct.unpack(">d", bytes.fromhex(text[2:].rjust(16, "0")))
    if double - double == 0:
        return repr(double)
    return f"__longlong_as_double(0x{text[2:]}ll)"


def _converted(text: str, have: str, want: str, *, typed: bool = True) -> str:
    """Return a value of PTX type `have` as one of type `want`, the bits kept."""
    if have == want and (typed or have[0] == "f"):
        return text
    if "pred" in (have, want):
        if have == want:
            return text
        raise UntranslatableError("a predicate meets a number")
    if have[0] == "f" and have in ("f32", "f64"):
        if want in ("f32", "f64"):
            raise UntranslatableError("operand types do not match")
        cast = _BIT_CASTS.get((have, bits(want)))
        if cast is None:
            raise UntranslatableError("operand types do not match")
        return _to(f"{cast}({strip(text)})", want)
    if want in ("f32", "f64"):
        cast = _BIT_CASTS.get((bits(have), want))
        if cast is None:
            raise UntranslatableError("operand types do not match")
        return f"{cast}({strip(text)})"
    if typed and CPP[have] == CPP[want]:
        return text
    return f"static_cast<{CPP[want]}>({strip(text)})"


def _to(text: str, want: str) -> str:
    return text if want in ("u32", "b32") else f"static_cast<{CPP[want]}>({text})"


def _stored(expression: str, kind: str, have: str) -> str:
    """Return an expression of type `kind` for an output with constraint type `have`."""
    if have == "f32" and kind not in ("f32", "pred"):
        return f"__uint_as_float({expression})"
    if have == "f64" and kind != "f64":
        return f"__longlong_as_double({expression})"
    if kind == "f32" and have == "u32":
        return f"__float_as_uint({expression})"
    if kind == "f64" and have == "u64":
        return f"__double_as_longlong({expression})"
    if have == "":
        raise UntranslatableError("its output constraint is not understood")
    return expression
