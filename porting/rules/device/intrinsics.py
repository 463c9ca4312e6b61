"""Device functions that HIP has under another form."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.calls import CallEdits, declared, is_simple, pointee
from porting.rules.device.codes import INTRINSIC, INTRINSIC_UNKNOWN
from porting.rules.unit import Unit
from porting.rules.warp.width import integer
from porting.syntax import IDENT, NUMBER, Argument, Call

_NANOSECONDS_PER_STEP: Final = 40  # s_sleep counts in 64 clock cycles, about 40 ns
_LONGEST: Final = 127
_UNSIGNED: Final = frozenset(("unsigned", "uint32_t", "uint", "u32"))
_SIGNED: Final = frozenset(("int", "int32_t", "signed"))
_NUMBER: Final = re.compile(
    r"(?P<digits>0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)(?P<suffix>[uU]?)"
)
_INT_MAX: Final = 2**31 - 1
_UINT_MAX: Final = 2**32 - 1
_SHARED: Final = "__attribute__((address_space(3)))"
# The host pass takes the builtins' parameter for a pointer to address space 0, and nothing else.
_GENERIC: Final = "(const __attribute__((address_space(0))) void*)"
_SPACES: Final = {
    "__isShared": "__builtin_amdgcn_is_shared",
    "__isLocal": "__builtin_amdgcn_is_private",
}
_NOTHING: Final = "static_cast<void>(0)"
Rewriter = Callable[[CallEdits], Diagnostic | None]

# Function -> what takes the place of its name, and what follows its closing parenthesis.
_AROUND: Final = {
    "__trap": ("__builtin_trap", ""),
    "__brkpt": ("__builtin_debugtrap", ""),
    "__cvta_generic_to_shared": ("(reinterpret_cast<size_t>", " & 0xffffffffu)"),
    "__cvta_shared_to_generic": (f"((void*)({_SHARED} void*)", ")"),
    "__cvta_generic_to_global": ("reinterpret_cast<size_t>", ""),
    "__cvta_global_to_generic": ("reinterpret_cast<void*>", ""),
    "__float2bfloat162_rn": ("__bfloat162bfloat162(__float2bfloat16", ")"),
    "__floats2bfloat162_rn": ("__float22bfloat162_rn(make_float2", ")"),
    "__tanhf": ("tanhf", ""),
    "__fmaf_ieee_rn": ("__fmaf_rn", ""),
    "htanh": ("__float2half(tanhf(__half2float", "))"),
}
_BFLOAT_TO_INTEGER: Final = re.compile(r"__bfloat162(int|uint|ll|ull)_(rn|rz|rd|ru)")
_DROPPED: Final = frozenset(
    (
        *("__prof_trigger", "__pm0", "__pm1", "__pm2", "__pm3", "__pipeline_commit"),
        *("__pipeline_wait_prior",),
    )
)
_WITH_OPERAND: Final = frozenset(("__nanosleep", "__isGlobal", *_SPACES))


def names(unit: Unit) -> Iterator[str]:
    """Yield the names in a file that this module rewrites."""
    yield from filter(unit.index.__contains__, (*_AROUND, *_SPECIAL, *_DROPPED))
    if unit.where("__nv_bfloat16") or unit.where("nv_bfloat16") or _has_bfloat(unit):
        yield from (name for name in unit.index if _BFLOAT_TO_INTEGER.fullmatch(name))


def _has_bfloat(unit: Unit) -> bool:
    return any("bf16" in header.path for header in unit.headers)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    finding: Diagnostic | None
    if name in _WITH_OPERAND and len(call.arguments) != 1:
        return
    if name in _SPECIAL:
        finding = _SPECIAL[name](edits)
    elif name in _DROPPED:
        edits.whole(_NOTHING)
        finding = edits.done(INTRINSIC, f"{name} does nothing on AMD GPUs and is dropped")
    else:
        finding = _around(edits)
    if finding is not None:
        yield finding


def _around(edits: CallEdits) -> Diagnostic:
    name = edits.name.text
    match = _BFLOAT_TO_INTEGER.fullmatch(name)
    front, back = _AROUND.get(name, ("", ""))
    if match:
        front, back = f"__float2{match[1]}_{match[2]}(__bfloat162float", ")"
    edits.around(front, back)
    return edits.done(INTRINSIC, f"{name} is written as {front.split('(')[0] or 'an expression'}")


def _sleep(edits: CallEdits) -> Diagnostic:
    """Write __nanosleep as s_sleep, which takes a constant."""
    argument = edits.call.arguments[0]
    tokens = edits.tokens
    number = integer(tokens[argument.first]) if argument.last - argument.first == 1 else None
    if number is None and not is_simple(tokens, argument):
        return edits.done(
            INTRINSIC_UNKNOWN,
            "__nanosleep has an argument with effects, and s_sleep takes a constant",
            "compute the argument before, and sleep in a loop of __builtin_amdgcn_s_sleep(1)",
        )
    steps = 1 if number is None else max(1, min(_LONGEST, number // _NANOSECONDS_PER_STEP))
    edits.whole(f"__builtin_amdgcn_s_sleep({steps})")
    how = "about as long" if number is not None else "for the shortest time"
    return edits.done(INTRINSIC, f"__nanosleep becomes s_sleep, {how}; its time is a hint only")


def _space(edits: CallEdits) -> Diagnostic:
    """Write __isShared and its kin as the builtins, which take a generic pointer.

    In a template the compiler takes a builtin with such an argument for a function of the host,
    unless a lambda's `auto` brings it.
    """
    name = edits.name.text
    front, back = f"{_SPACES.get(name, '')}({_GENERIC}", ")"
    if name not in _SPACES or _may_be_in_template(edits):
        tests = [f"{builtin}(q)" for builtin in _SPACES.values()]
        test = _SPACES[name] + "(q)" if name in _SPACES else f"!{tests[0]} && !{tests[1]}"
        front, back = f"[](auto q) {{ return {test}; }}({_GENERIC}", ")"
    edits.around(front, back)
    what = _SPACES.get(name, "neither shared nor private")
    return edits.done(INTRINSIC, f"{name} is written as {what}")


def _may_be_in_template(edits: CallEdits) -> bool:
    unit = edits.unit
    function = unit.functions.around(edits.call.name)
    return function is None or function.is_macro or any(map(unit.where, ("template", "auto")))


def _computed_twice(edits: CallEdits) -> Diagnostic:
    name = edits.name.text
    return edits.done(
        INTRINSIC_UNKNOWN,
        f"{name} has an equivalent that would compute an operand more than once",
        "store the operand in a variable first, and port again",
    )


def _dot_product(edits: CallEdits) -> Diagnostic:
    """Write __dp4a as four products; the compiler makes one instruction of them where it can."""
    tokens, call = edits.tokens, edits.call
    kinds = {_signedness(edits.unit, argument) for argument in call.arguments[:2]}
    if len(kinds) != 1 or "" in kinds or len(call.arguments) != 3:  # noqa: PLR2004
        return edits.done(
            INTRINSIC_UNKNOWN,
            "__dp4a is signed or unsigned by the types of its operands, which are not known here",
            "store the operands in int or unsigned variables first, and port again",
        )
    if not all(is_simple(tokens, argument) for argument in call.arguments[:2]):
        return _computed_twice(edits)
    byte = {"int": "signed char", "unsigned": "unsigned char"}[kinds.pop()]
    left, right = (_atom(edits, number) for number in (0, 1))
    products = " + ".join(
        f"static_cast<{byte}>({left}{shift}) * static_cast<{byte}>({right}{shift})"
        for shift in ("", " >> 8", " >> 16", " >> 24")
    )
    first, second, third = call.arguments
    end = tokens[third.first].start
    edits.rename("")
    start = tokens[first.first].start
    edits.edits.append(Edit(start, end, f"{products} + ", edits.name.text))
    del second
    return edits.done(INTRINSIC, "__dp4a is written as four products of bytes")


def _atom(edits: CallEdits, number: int) -> str:
    span = edits.call.arguments[number]
    text = edits.text(number)
    plain = all(
        token.kind == IDENT or token.text in ("[", "]", ".", "->") or token.text[0].isdigit()
        for token in edits.tokens[span.first : span.last]
    )
    return text if plain else f"({text})"


def _sign_of_number(words: Sequence[str]) -> str:
    """Return the type of an integer literal that fits 32 bits, with a minus or not, else ""."""
    found = _NUMBER.fullmatch("".join(words[-1:]))
    if found is None or words[:-1] not in ([], ["-"]):
        return ""
    digits = found["digits"].replace("'", "")
    octal = digits.startswith("0") and digits.isdigit() and digits.strip("0")
    value = int(digits, 8 if octal else 0)
    if value > _UINT_MAX:
        return ""
    if found["suffix"]:
        return "unsigned"
    # A decimal number never becomes unsigned: a larger one is a long.
    is_decimal = digits.isdigit() and not octal
    if value <= _INT_MAX:
        return "int"
    return "" if is_decimal else "unsigned"


def _signedness(unit: Unit, argument: Argument) -> str:
    """Return "int" or "unsigned" for a number, a plain name or an element of an array, else ""."""
    tokens = unit.tokens
    name = tokens[argument.first]
    if sign := _sign_of_number([tokens[at].text for at in range(argument.first, argument.last)]):
        return sign
    if name.kind != IDENT:
        return ""
    if argument.last - argument.first == 1:
        words = declared(unit, argument.first, name.text, pointer=False)
    elif tokens[argument.first + 1].text == "[" and tokens[argument.last - 1].text == "]":
        words = pointee(unit, argument)
    else:
        return ""
    if words & _UNSIGNED and words <= _UNSIGNED | _SIGNED:
        return "unsigned"
    return "int" if words and words <= _SIGNED else ""


def _pipeline_copy(edits: CallEdits) -> Diagnostic:
    """Write __pipeline_memcpy_async as a copy that is done at once."""
    if len(edits.call.arguments) != 3:  # noqa: PLR2004 - a fourth asks for zeros behind the bytes
        return edits.done(
            INTRINSIC_UNKNOWN,
            "__pipeline_memcpy_async with zero fill has no equivalent",
            "copy the bytes and set the rest to zero",
        )
    edits.rename("__builtin_memcpy")
    return edits.done(INTRINSIC, "__pipeline_memcpy_async becomes a copy that is done at once")


def _barrier(edits: CallEdits) -> Diagnostic | None:
    argument = edits.call.arguments[0] if edits.call.arguments else None
    if argument is None or integer(edits.tokens[argument.first]) != 0:
        return None
    edits.whole("__syncthreads()")
    return edits.done(INTRINSIC, "__barrier_sync(0) is __syncthreads()")


def _first_set(edits: CallEdits) -> Diagnostic | None:
    """Widen a number of 32 bits: HIP has the function for signed and for unsigned 64 bits."""
    if len(edits.call.arguments) != 1:
        return None
    argument = edits.call.arguments[0]
    first = edits.tokens[argument.first]
    if argument.last - argument.first != 1 or not _has_32_bits(edits.unit, argument):
        return None
    edits.edits.append(Edit(first.start, first.start, "static_cast<long long>(", "__ffsll"))
    edits.edits.append(Edit(first.end, first.end, ")", "__ffsll"))
    return edits.done(INTRINSIC, "__ffsll of 32 bits gets 64: HIP has two overloads for those")


def _has_32_bits(unit: Unit, argument: Argument) -> bool:
    token = unit.tokens[argument.first]
    if token.kind == NUMBER:
        return not token.text.lower().endswith(("l", "ll", "lu", "llu", "ul", "ull"))
    types = declared(unit, argument.first, token.text, pointer=False)
    return bool(types & (_SIGNED | _UNSIGNED)) and "long" not in types


_SPECIAL: Final[dict[str, Rewriter]] = {
    "__nanosleep": _sleep,
    **dict.fromkeys((*_SPACES, "__isGlobal"), _space),
    "__dp4a": _dot_product,
    "__ffsll": _first_set,
    "__pipeline_memcpy_async": _pipeline_copy,
    "__barrier_sync": _barrier,
}
