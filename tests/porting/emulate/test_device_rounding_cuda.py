"""CUDA's arithmetic and conversions round as they are told to, on the emulator."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Array, Device
from tests.porting.emulate.expressions import (
    Expression,
    evaluate,
    products,
    rounded,
    same,
)

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

MODES = ("rn", "rd", "ru", "rz")
SINGLE = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.75, 0.1, 1 / 3, 100.25),
    *(2.0**-149, -(2.0**-149), 1e-38, 3.4e38, -3.4e38, math.inf, -math.inf, math.nan),
    *(2.0**31, 2.0**32, -(2.0**31), -2147483904.0, 2.0**63, -(2.0**63), 2.0**64, 9.3e18),
]
DOUBLE = [
    *SINGLE,
    *(5e-324, 1e308, 1.7e308, 2147483647.5, -2147483648.5, 4294967295.5, 1e-300, 1 + 2.0**-30),
]
WIDE = [0, 1, 2**53 + 1, 2**53 + 3, 2**62 + 2**38, 2**62 + 2**38 + 1, 123456789012345678]
VALUES: dict[str, Any] = {
    "f": SINGLE,
    "d": DOUBLE,
    "i": [0, 1, -1, 2**31 - 1, -(2**31), 16777217, 16777219, -16777217, 33554435],
    "u": [0, 1, 2**32 - 1, 16777217, 16777219, 2**32 - 129, 4294967167],
    "l": [*WIDE, *(-value for value in WIDE), 2**63 - 1, -(2**63)],
    "q": [*WIDE, 2**64 - 1, 2**63, 2**63 + 1, 2**63 + 1025, 2**63 + 2**39 + 1, 2**64 - 2**39 - 1],
}
Exact = Callable[..., Fraction]
OPERATIONS: dict[str, Exact] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
}


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def expect_exact(
    device: Device, mode: str, table: dict[str, tuple[str, str, Exact]], most: int = 1500
) -> None:
    """Check expressions against exact results, where arguments and results are no extremes."""
    asked = [
        (Expression(text, inputs, kind), products(VALUES, inputs, most))
        for text, (inputs, kind, _) in table.items()
    ]
    for (expression, arguments), found in zip(asked, evaluate(device, "", asked), strict=True):
        exact = table[expression.text][2]
        finite = np.all([np.isfinite(each) for each in arguments], axis=0)
        checked = 0
        for row in np.flatnonzero(finite):
            given = [Fraction(each[row].item()) for each in arguments]
            try:
                value = exact(*given)
            except ZeroDivisionError:
                continue
            expected = rounded(value, mode, expression.result)
            assert found[row] == expected, (expression.text, [float(x) for x in given])
            checked += 1
        assert checked > len(found) // 3


@pytest.mark.parametrize("mode", MODES)
def test_arithmetic_rounds_the_exact_result_once(device: Device, mode: str) -> None:
    table: dict[str, tuple[str, str, Exact]] = {}
    for kind in "fd":
        for name, exact in OPERATIONS.items():
            table[f"__{kind}{name}_{mode}(x, y)"] = (kind * 2, kind, exact)
        fused = "__fmaf" if kind == "f" else "__fma"
        table[f"{fused}_{mode}(x, y, z)"] = (kind * 3, kind, lambda x, y, z: x * y + z)
        table[f"__{kind}rcp_{mode}(x)"] = (kind, kind, lambda x: 1 / x)
    expect_exact(device, mode, table)


@pytest.mark.parametrize("mode", MODES)
def test_conversions_to_floating_point_round_once(device: Device, mode: str) -> None:
    table: dict[str, tuple[str, str, Exact]] = {
        f"__{name}2float_{mode}(x)": (kind, "f", Fraction)
        for name, kind in (("int", "i"), ("uint", "u"), ("ll", "l"), ("ull", "q"), ("double", "d"))
    }
    table[f"__ll2double_{mode}(x)"] = ("l", "d", Fraction)
    table[f"__ull2double_{mode}(x)"] = ("q", "d", Fraction)
    expect_exact(device, mode, table)


STEPS: dict[str, Callable[[Fraction], int]] = {
    "rn": round,
    "rd": math.floor,
    "ru": math.ceil,
    "rz": math.trunc,
}
LIMITS = {"i": (-(2**31), 2**31 - 1), "u": (0, 2**32 - 1)}
LIMITS |= {"l": (-(2**63), 2**63 - 1), "q": (0, 2**64 - 1)}


def whole(value: float, mode: str, target: str, source: str) -> int:
    """Return what PTX's cvt gives: saturated, and for no number 0 or the top bit alone."""
    least, most = LIMITS[target]
    if math.isnan(value):
        is_wide = target in "lq" or source == "d"
        return (least or (most + 1) // 2) if is_wide else 0
    if math.isinf(value):
        return most if value > 0 else least
    return max(least, min(most, STEPS[mode](Fraction(value))))


@pytest.mark.parametrize("mode", MODES)
def test_conversions_to_integers_saturate_and_have_a_value_for_nan(
    device: Device, mode: str
) -> None:
    names = {"i": "int", "u": "uint", "l": "ll", "q": "ull"}
    asked: list[tuple[Expression, list[Array]]] = [
        (Expression(f"__{long}2{name}_{mode}(x)", source, target), products(VALUES, source))
        for source, long in (("f", "float"), ("d", "double"))
        for target, name in names.items()
    ]
    for (expression, (given,)), found in zip(asked, evaluate(device, "", asked), strict=True):
        expected = [
            whole(value, mode, expression.result, expression.inputs) for value in given.tolist()
        ]
        assert found.tolist() == expected, expression.text


def test_casts_saturate_as_devices_do(device: Device) -> None:
    asked = [
        (Expression("(int)x", "f", "i"), products(VALUES, "f")),
        (Expression("(unsigned)x", "f", "u"), products(VALUES, "f")),
        (Expression("(long long)x", "d", "l"), products(VALUES, "d")),
    ]
    for (expression, (given,)), found in zip(asked, evaluate(device, "", asked), strict=True):
        expected = [
            0 if math.isnan(value) else whole(value, "rz", expression.result, expression.inputs)
            for value in given.tolist()
        ]
        assert found.tolist() == expected, expression.text


def test_bits_of_numbers_pass_unchanged(device: Device) -> None:
    words = np.array([0, 0x80000000, 1, 0x7F800001, 0x7FC00000, 0xFFC12345, 0x3F800000], np.uint32)
    long = words.astype(np.uint64) << np.uint64(32) | np.uint64(5)
    asked: list[tuple[Expression, list[Array]]] = [
        (Expression("__float_as_uint(__uint_as_float(x))", "u", "u"), [words]),
        (Expression("__double_as_longlong(__longlong_as_double(x))", "l", "l"), [long.view("i8")]),
        (
            Expression("__hiloint2double(__double2hiint(x), __double2loint(x))", "d", "d"),
            [np.array([1.5, -0.0, 5e-324, math.inf])],
        ),
    ]
    for (expression, (given,)), found in zip(asked, evaluate(device, "", asked), strict=True):
        assert same(found, given).all(), expression.text
