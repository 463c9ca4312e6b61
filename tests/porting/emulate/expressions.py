"""Evaluate expressions of device code for many arguments, and the numbers they should give."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tests.porting.emulate.device_code import Array, Device, Launch

TYPES: dict[str, tuple[str, type[np.generic]]] = {
    "i": ("int", np.int32),
    "u": ("unsigned", np.uint32),
    "l": ("long long", np.int64),
    "q": ("unsigned long long", np.uint64),
    "s": ("unsigned short", np.uint16),
    "f": ("float", np.float32),
    "d": ("double", np.float64),
}
# Significant bits, and the exponents of the last bit of the smallest and beyond the largest.
FORMATS = {"f": (24, -149, 128), "d": (53, -1074, 1024), "h": (11, -24, 16), "b": (8, -133, 128)}


@dataclass(frozen=True)
class Expression:
    """An expression of x, y, z: the letters of their types and of the result's."""

    text: str
    inputs: str
    result: str


def evaluate(
    device: Device,
    prelude: str,
    expressions: Sequence[tuple[Expression, Sequence[Array]]],
) -> list[Array]:
    """Return the values of each expression for the arrays of its arguments."""
    launches = []
    source = prelude
    for number, (expression, arguments) in enumerate(expressions):
        source += _kernel(f"k{number}", expression)
        count = len(arguments[0])
        out = np.zeros(count, TYPES[expression.result][1])
        launches.append(Launch(f"k{number}", (*arguments, out, np.int32(count))))
    ran = device.run(source, launches)
    assert (ran.status, ran.findings) == (0, []), ran.errors
    return [after[-2] for after in ran.arguments]


def _kernel(name: str, expression: Expression) -> str:
    kinds = [TYPES[letter][0] for letter in expression.inputs]
    parameters = "".join(f"const {kind}* a{at}, " for at, kind in enumerate(kinds))
    values = "".join(f"const {kind} {'xyz'[at]} = a{at}[i]; " for at, kind in enumerate(kinds))
    return (
        f'extern "C" __global__ void {name}({parameters}{TYPES[expression.result][0]}* out, int n)'
        f" {{ for (int i = threadIdx.x; i < n; i += blockDim.x) {{ {values}"
        f"out[i] = {expression.text}; }} }}\n"
    )


def products(values: Mapping[str, Sequence[Any]], inputs: str, most: int = 2000) -> list[Array]:
    """Return arrays of all combinations of arguments, thinned out to about `most`."""
    lists = [np.array(values[letter], dtype=TYPES[letter][1]) for letter in inputs]
    grid = [each.ravel() for each in np.meshgrid(*lists, indexing="ij")]
    step = max(1, len(grid[0]) // most)
    # A step that has no divisor in common with the lengths meets all pairs in the end.
    while any(math.gcd(step, len(each)) > 1 for each in lists):
        step += 1
    return [np.ascontiguousarray(each[::step]) for each in grid]


def rounded(value: Fraction, mode: str, kind: str) -> float:
    """Return the number of a format that an exact value is rounded to."""
    if value == 0:
        return 0.0
    precision, least, most = FORMATS[kind]
    size, sign = abs(value), -1 if value < 0 else 1
    place = max(_exponent(size) - precision + 1, least)
    whole, rest = divmod(size / Fraction(2) ** place, 1)
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
        "rz": False,
        "rd": sign < 0 and rest > 0,
        "ru": sign > 0 and rest > 0,
    }
    result = (whole + up[mode]) * Fraction(2) ** place
    if result < Fraction(2) ** most:
        return sign * float(result)
    stays = mode in ("rz", "rd" if sign > 0 else "ru")
    return sign * (math.ldexp(2 - 2.0 ** (1 - precision), most - 1) if stays else math.inf)


def _exponent(value: Fraction) -> int:
    """Return the largest e with 2**e <= value."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def same(found: Array, expected: Array) -> Array:
    """Return where numbers are the same, the signs of zeros and what is no number included."""
    if found.dtype.kind != "f":
        return np.asarray(found == expected)
    equal = (found == expected) & (np.signbit(found) == np.signbit(expected))
    return np.asarray(equal | (np.isnan(found) & np.isnan(expected)))
