"""The device's mathematics, bits of integers and conversions on each platform, against SciPy."""

import numpy as np
import pytest
from scipy import special

from tests.parity.kernel_cases import Array, from_bfloat16, random, to_bfloat16
from tests.parity.kernel_library import ELEMENTS, Kernels

X = np.concatenate([np.linspace(0.05, 6, 150), [1e-3, 0.5, 1.0, 2.0, 10.0]])
# In the order of mathematics_kernel in functions.cu, with the units in the last place that CUDA's
# Programming Guide allows, doubled, and at least 4.
FUNCTIONS: dict[str, tuple[Array, int]] = {
    "exp": (np.exp(X), 4),
    "expm1": (np.expm1(X), 4),
    "log1p": (np.log1p(X), 4),
    "sin": (np.sin(X), 4),
    "cos": (np.cos(X), 4),
    "tan": (np.tan(X), 4),
    "asinh": (np.arcsinh(X), 6),
    "atan": (np.arctan(X), 4),
    "tanh": (np.tanh(X), 4),
    "erf": (special.erf(X), 4),
    "erfc": (special.erfc(X), 12),
    "tgamma": (special.gamma(X), 20),
    "lgamma": (special.gammaln(X), 64),
    "cbrt": (np.cbrt(X), 4),
    "rsqrt": (1 / np.sqrt(X), 4),
    "normcdf": (special.ndtr(X), 12),
    "j0": (special.j0(X), 0),
    "sinpi": (special.sindg(180 * X), 0),
    "exp2": (np.exp2(X), 4),
    "log2": (np.log2(X), 4),
    "hypot": (np.hypot(X, 3), 4),
    "atan2": (np.arctan2(X, 2), 4),
    "pow": (X**1.5, 4),
    "fmod": (np.fmod(X, 0.75), 4),
}
FLOAT_FUNCTIONS: dict[str, tuple[Array, float]] = {
    "expf": (np.exp(X), 1e-6),
    "log1pf": (np.log1p(X), 1e-6),
    "sincosf, sine": (np.sin(X), 1e-6),
    "sincosf, cosine": (np.cos(X), 1e-6),
    "tanhf": (np.tanh(X), 1e-6),
    "erff": (special.erf(X), 1e-6),
    "rsqrtf": (1 / np.sqrt(X), 1e-6),
    "cbrtf": (np.cbrt(X), 1e-6),
    "__expf": (np.exp(X), 1e-5),
    "__logf": (np.log(X), 1e-5),
    "__sinf": (np.sin(X), 1e-4),
    "__cosf": (np.cos(X), 1e-4),
    "exp2f": (np.exp2(X), 1e-6),
    "log2f": (np.log2(X), 1e-6),
    "powf": (X**1.5, 1e-6),
    "sqrtf": (np.sqrt(X), 1e-6),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_when_in_double_precision(kernels: Kernels, name: str) -> None:
    results = np.zeros((len(FUNCTIONS), X.size))
    kernels("mathematics", len(FUNCTIONS), X, X.size, results)
    found = results[list(FUNCTIONS).index(name)]
    expected, units = FUNCTIONS[name]
    # Near a root a relative error says nothing; SciPy's own is 1e-15 or so there.
    room = units * 2.3e-16 * np.abs(expected) + (1e-14 if units == 0 else 4e-16)
    assert (np.abs(found - expected) <= room).all()


@pytest.mark.parametrize("name", FLOAT_FUNCTIONS)
def test_function_when_in_single_precision(kernels: Kernels, name: str) -> None:
    results = np.zeros((len(FLOAT_FUNCTIONS), X.size), np.float32)
    single = X.astype(np.float32)
    kernels("float_mathematics", len(FLOAT_FUNCTIONS), single, X.size, results)
    found = results[list(FLOAT_FUNCTIONS).index(name)]
    expected, tolerance = FLOAT_FUNCTIONS[name]
    np.testing.assert_allclose(found, expected, rtol=5 * tolerance, atol=tolerance)


def bits_of(x: int, y: int) -> list[int]:
    """Return what bits_kernel in functions.cu gives for two words."""
    wide = x << 32 | y
    chosen = (x | y << 32).to_bytes(8, "little")
    signed = [v - 2**32 if v >> 31 else v for v in (x, y)]
    lowest = (wide & -wide).bit_length()
    return [
        x.bit_count(),
        32 - x.bit_length(),
        (x & -x).bit_length(),
        int(f"{x:032b}"[::-1], 2),
        int.from_bytes([chosen[i] for i in (0, 4, 1, 5)], "little"),
        x * y >> 32,
        ((y << 32 | x) << 11 >> 32) & 0xFFFFFFFF,
        ((y << 32 | x) >> 7) & 0xFFFFFFFF,
        wide.bit_count(),
        64 - wide.bit_length(),
        lowest,
        int(f"{wide:064b}"[::-1], 2) >> 32,
        (x & 0xFFFFFF) * (y & 0xFFFFFF) & 0xFFFFFFFF,
        (abs(signed[0] - signed[1]) + 3) & 0xFFFFFFFF,
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_bits_when_words_are_random(kernels: Kernels, seed: int) -> None:
    values = random(seed).integers(0, 2**32, 150, dtype=np.uint32)
    check_bits(kernels, values)


def test_bits_when_words_are_extreme(kernels: Kernels) -> None:
    check_bits(kernels, np.array([0, 1, 2**31, 2**32 - 1, 0x80000001, 2**24], np.uint32))


def check_bits(kernels: Kernels, values: Array) -> None:
    pairs = zip(values.tolist(), values.tolist()[::-1], strict=True)
    expected = np.array([bits_of(x, y) for x, y in pairs], np.uint32).T
    results = np.zeros(expected.shape, np.uint32)
    kernels("bits", len(expected), values, values.size, results)
    assert np.array_equal(results, expected)


def test_words_when_they_are_read_as_other_types(kernels: Kernels) -> None:
    values = random(3).integers(0, 2**32, 128, dtype=np.uint32)
    values[:4] = [0xFF8000, 0x3F80, 0xFFFFFF, 0xFFC001]
    values[values & 0x7F80 == 0x7F80] &= 0xFFFFFF7F  # no infinities, and no NaNs
    other = values[::-1].astype(np.uint64) & 0xFFFFFF
    low = values & 0xFFFF
    products = (values.astype(np.uint64) & 0xFFFFFF) * other & 0xFFFFFFFF
    assert (products >= 2**31).any()
    signed = low.astype(np.uint16).view(np.int16).astype(np.int32).view(np.uint32)
    beside = low.reshape(-1, 2)[:, ::-1].ravel()
    small = [np.zeros(values.size), products // 3, products < 1]
    expected = np.stack([low << 16, low, signed, beside, *small]).astype(np.uint32)
    results = np.zeros(expected.shape, np.uint32)
    kernels("reinterpreting", len(expected), values, values.size, results)
    assert np.array_equal(results, expected)


def counts_of(x: int, y: int) -> list[int]:
    """Return what counting_kernel in functions.cu gives for two words."""
    wide = x << 32 | y
    below = -(y & 7)
    difference = x.bit_count() - y.bit_count()
    place = (x & -x).bit_length()
    return [
        difference,
        int(difference < 0),
        int((x.bit_count() - 20) / 3),
        -wide.bit_count(),
        int(below < wide.bit_count()),
        y.bit_count() if x & 1 else -1,
        below - x.bit_count(),
        place - 4,
        ((wide & -wide).bit_length() - 4) * 5,
        int(below * place / 2),
    ]


def test_counts_of_bits_when_they_are_calculated_with(kernels: Kernels) -> None:
    values = random(4).integers(0, 2**32, 120, dtype=np.uint32)
    values[:3] = [0, 0xFFFFFFFF, 7]
    pairs = zip(values.tolist(), values.tolist()[::-1], strict=True)
    expected = np.array([counts_of(x, y) for x, y in pairs], np.int64).T
    results = np.zeros(expected.shape, np.int64)
    kernels("counting", len(expected), values, values.size, results)
    assert np.array_equal(results, expected)


def test_conversions_when_they_round(kernels: Kernels) -> None:
    values = np.array([0, -0.0, 0.5, 1.5, -2.5, 2.4999, -7.51, 8388607.5, 1e9], np.float32)
    results = np.zeros((8, values.size), np.int32)
    kernels("rounding", 8, values, values.size, results)
    away = np.copysign(np.floor(np.abs(values) + 0.5), values).astype(np.int32)
    nearest, down = np.rint(values).astype(np.int32), np.floor(values).astype(np.int32)
    towards_zero, up = np.trunc(values).astype(np.int32), np.ceil(values).astype(np.int32)
    expected = [nearest, towards_zero, up, down, values.view(np.int32), nearest]
    assert np.array_equal(results, np.stack([*expected, away, towards_zero]))


def test_halves_when_numbers_are_narrowed(kernels: Kernels) -> None:
    values = narrowing_cases(65504)
    narrow, back = np.zeros(values.size, np.float16), np.zeros(values.size, np.float32)
    kernels("narrowing", ELEMENTS["float16"], values, values.size, narrow, back)
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    assert np.array_equal(narrow, expected, equal_nan=True)
    assert np.array_equal(back, expected.astype(np.float32), equal_nan=True)


def test_bfloats_when_numbers_are_narrowed(kernels: Kernels) -> None:
    values = narrowing_cases(3.38e38)
    narrow, back = np.zeros(values.size, np.uint16), np.zeros(values.size, np.float32)
    kernels("narrowing", ELEMENTS["uint16"], values, values.size, narrow, back)
    expected = from_bfloat16(to_bfloat16(values))
    assert np.array_equal(from_bfloat16(narrow), expected, equal_nan=True)
    assert np.array_equal(back, expected, equal_nan=True)


def narrowing_cases(largest: float) -> Array:
    """Return numbers that lie between those of a narrow type, and its limits."""
    halves = 1 + np.arange(64) / 2048 + np.arange(64) % 3 * 2.0**-20
    tiny = np.array([6e-8, 2.98e-8, 2.99e-8, 1e-40, 0.0, -0.0, 6.1e-5])
    limits = np.array([largest, 2 * largest if largest < 1e38 else np.inf, np.inf, np.nan])
    return np.concatenate([halves, -halves, tiny, limits]).astype(np.float32)
