"""CUDA's mathematical functions on the emulator, beside SciPy's and NumPy's."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Array, Device
from tests.porting.emulate.expressions import Expression, evaluate, same

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

POINTS = np.array(
    [
        *(0.0, -0.0, 0.1, -0.25, 0.3, 0.5, -0.5, 0.7, 0.9, 0.99, 0.999999, 1.0, -1.0, 1.5, 1.9999),
        *(2.0, 2.5, -2.5, 3.0, 5.0, 7.25, 10.0, -10.0, 20.0, 26.0, 100.0, 1e-10, -1e-3, 1e-300),
        *(math.inf, -math.inf, math.nan),
    ]
)
REFERENCES: dict[str, Callable[[Array], Array]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "erfinv": special.erfinv,
    "erfcinv": special.erfcinv,
    "erfcx": special.erfcx,
    "normcdf": special.ndtr,
    "normcdfinv": special.ndtri,
    "cyl_bessel_i0": special.i0,
    "cyl_bessel_i1": special.i1,
    "sin": np.sin,
    "cosh": np.cosh,
    "log1p": np.log1p,
    "exp10": lambda x: np.power(10.0, x),
    "cbrt": np.cbrt,
    "tgamma": special.gamma,
    "j0": special.j0,
}
# Where SciPy has another rule: at infinity, and where gamma has no value.
UNLIKE: dict[str, Callable[[Array], Array]] = {
    "tgamma": lambda x: (x <= 0) & (x == np.floor(x)),
    "cyl_bessel_i0": np.isinf,
    "cyl_bessel_i1": np.isinf,
    "j0": np.isinf,
}


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def test_functions_are_those_of_scipy_in_both_precisions(device: Device) -> None:
    asked: list[tuple[Expression, list[Array]]] = []
    for name in REFERENCES:
        asked.append((Expression(f"{name}(x)", "d", "d"), [POINTS]))
        asked.append((Expression(f"{name}f(x)", "f", "f"), [POINTS.astype(np.float32)]))
    for (expression, (given,)), found in zip(asked, evaluate(device, "", asked), strict=True):
        name = expression.text.partition("(")[0]
        name = name if name in REFERENCES else name.removesuffix("f")
        with np.errstate(all="ignore"):
            expected = REFERENCES[name](given.astype(float)).astype(found.dtype)
        counts = ~UNLIKE[name](given) if name in UNLIKE else np.ones(len(given), bool)
        near = np.isclose(found, expected, rtol=1e-13 if found.itemsize == 8 else 2e-7, atol=0)
        assert (near | same(found, expected))[counts].all(), (expression.text, found, expected)


def test_sine_and_cosine_of_pi_are_exact_at_halves(device: Device) -> None:
    halves = np.array([0.0, -0.0, 0.5, 1.0, 1.5, 2.0, -0.5, -1.0, 2.0**51 + 0.5, 2.0**60, 1e300])
    source = """
__device__ double sine(double x) { double s, c; sincospi(x, &s, &c); return s; }
__device__ double cosine(double x) { double s, c; sincospi(x, &s, &c); return c; }
"""
    sine, cosine, alone, quarter = evaluate(
        device,
        source,
        [
            (Expression("sine(x)", "d", "d"), [halves]),
            (Expression("cosine(x)", "d", "d"), [halves]),
            (Expression("sinpi(x)", "d", "d"), [halves]),
            (Expression("cospif(x)", "f", "f"), [np.array([0.25, 1e-4], np.float32)]),
        ],
    )
    assert sine[:8].tolist() == [0, 0, 1, 0, -1, 0, -1, 0]
    assert cosine[:8].tolist() == [1, 1, 0, -1, 0, 1, 0, -1]
    assert abs(sine[8]) == 1
    assert (sine[9:] == 0).all()
    assert (cosine[9:] == 1).all()
    assert same(alone, sine).all()
    assert np.allclose(quarter, [math.sqrt(0.5), math.cos(math.pi * 1e-4)], rtol=1e-7)


def test_lengths_do_not_overflow_on_the_way(device: Device) -> None:
    large = np.array([3e200, 3e-200, math.inf, math.nan])
    lengths, inverse, infinite, four = evaluate(
        device,
        "",
        [
            (Expression("norm3d(x, x / 3 * 4, 0)", "d", "d"), [large]),
            (Expression("rhypot(x, x / 3 * 4)", "d", "d"), [large]),
            (Expression("norm3d(x, INFINITY, NAN)", "d", "d"), [large]),
            (Expression("norm4df(x, x, x, x)", "f", "f"), [np.array([1e38, 1e-40], np.float32)]),
        ],
    )
    assert np.allclose(lengths, [5e200, 5e-200, math.inf, math.nan], rtol=1e-15, equal_nan=True)
    assert np.allclose(inverse, [2e-201, 2e199, 0, math.nan], rtol=1e-15, equal_nan=True)
    assert np.isposinf(infinite).all()
    assert np.allclose(four, [2e38, 2e-40], rtol=1e-5)


def test_fast_functions_have_the_values_that_the_vendor_defines(device: Device) -> None:
    x = np.array([1.0, math.inf, math.nan, -3.0, 0.25, 7.0], np.float32)
    divided, plain, saturated, root, power = evaluate(
        device,
        "",
        [
            (Expression("__fdividef(x, 0x1p127f)", "f", "f"), [x]),
            (Expression("__fdividef(x, 4.0f)", "f", "f"), [x]),
            (Expression("__saturatef(x)", "f", "f"), [x]),
            (Expression("__frsqrt_rn(x)", "f", "f"), [np.array([4.0, 0.0, -1.0], np.float32)]),
            (Expression("__powf(2.0f, x)", "f", "f"), [np.array([10.0, -1.0], np.float32)]),
        ],
    )
    # 0 for finite dividends: CUDA C++ Programming Guide, __fdividef.
    assert np.array_equal(divided, [0, math.nan, math.nan, 0, 0, 0], equal_nan=True)
    assert np.array_equal(plain, x / np.float32(4), equal_nan=True)
    assert saturated.tolist() == [1, 1, 0, 0, 0.25, 1]
    assert np.array_equal(root, [0.5, math.inf, math.nan], equal_nan=True)
    assert power.tolist() == [1024, 0.5]


def test_least_and_most_choose_the_number(device: Device) -> None:
    x = np.array([math.nan, 1.0, -0.0, 0.0], np.float32)
    y = np.array([2.0, math.nan, 0.0, -0.0], np.float32)
    found = evaluate(
        device,
        "",
        [(Expression(f"{name}(x, y)", "ff", "f"), [x, y]) for name in ("fminf", "max", "fmaxf")],
    )
    assert [values[:2].tolist() for values in found] == [[2, 1]] * 3
    assert all((values[2:] == 0).all() for values in found)


def test_functions_of_std_are_callable(device: Device) -> None:
    x = np.array([2.25, -2.25])
    found = evaluate(
        device,
        "#include <array>\n#include <cmath>\n#include <limits>\n",
        [
            (Expression("std::sqrt(std::abs(x)) + std::fabs(x) + std::floor(x)", "d", "d"), [x]),
            (Expression("std::isnan(x) + std::signbit(x) * 2", "d", "i"), [x]),
            (Expression("std::array<double, 2>{x, 1.0}[0]", "d", "d"), [x]),
            (Expression("std::numeric_limits<float>::max() > x", "d", "i"), [x]),
        ],
    )
    assert found[0].tolist() == [1.5 + 2.25 + 2, 1.5 + 2.25 - 3]
    assert found[1].tolist() == [0, 2]
    assert found[2].tolist() == x.tolist()
    assert found[3].tolist() == [1, 1]
