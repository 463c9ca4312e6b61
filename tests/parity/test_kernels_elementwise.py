"""Element by element on each platform: vectors, functors, pairs and complex numbers."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from tests.parity.kernel_cases import FLOATS, SIZES, Array, Floats, random
from tests.parity.kernel_library import Kernels, element


def gelu(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    inner: npt.NDArray[np.float64] = np.tanh(0.7978845608 * (x + 0.044715 * x**3))
    return 0.5 * x * (1 + inner)


ACTIVATIONS: tuple[Callable[[Array], Array], ...] = (
    lambda x: np.maximum(x, 0),
    gelu,
    lambda x: x * special.expit(x),
    lambda x: np.clip(x, -1, 0.5),
)


@pytest.mark.parametrize("count", SIZES)
def test_axpy_when_a_grid_strides(kernels: Kernels, count: int) -> None:
    x, y = random(count).normal(size=(2, count)).astype(np.float32)
    expected = 0.5 * x.astype(np.float64) + y
    found = y.copy()
    kernels("axpy", 0.5, x.copy(), found, count, 0)
    assert np.array_equal(found, expected.astype(np.float32))


@pytest.mark.parametrize("count", [0, 4, 128, 516])
def test_axpy_when_loads_are_vectors(kernels: Kernels, count: int) -> None:
    x, y = random(count).normal(size=(2, count)).astype(np.float32)
    expected = -2.0 * x.astype(np.float64) + y
    found = y.copy()
    kernels("axpy", -2.0, x.copy(), found, count, 1)
    assert np.array_equal(found, expected.astype(np.float32))


@pytest.mark.parametrize("which", range(4), ids=["relu", "gelu", "silu", "clamp"])
@pytest.mark.parametrize("floats", FLOATS, ids=[floats.name for floats in FLOATS])
def test_activation_when_functors_are_passed(kernels: Kernels, floats: Floats, which: int) -> None:
    stored = floats.stored(np.concatenate([np.linspace(-8, 8, 199), [0.0, -0.0]]))
    result = np.zeros_like(stored)
    kernels("activation", which, element(stored), stored, result, stored.size)
    expected = ACTIVATIONS[which](floats.widened(stored))
    room = 2e-6 + 2 * floats.epsilon
    np.testing.assert_allclose(floats.widened(result), expected, rtol=room, atol=2e-6)


@pytest.mark.parametrize("pairs", [1, 64, 300])
def test_half_pairs_when_fused(kernels: Kernels, pairs: int) -> None:
    a, b, c = random(pairs).normal(size=(3, 2 * pairs)).astype(np.float16)
    result = np.zeros(2 * pairs, np.float16)
    kernels("half_pairs", a.copy(), b.copy(), c.copy(), result, pairs)
    # A product of halves and a sum with one are exact in double precision.
    expected = (a.astype(np.float64) * b + c).astype(np.float16)
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("count", [1, 100, 257])
def test_complex_numbers_when_multiplied(kernels: Kernels, count: int) -> None:
    parts = random(count).normal(size=(2, count, 2)).astype(np.float32)
    a, b = parts.view(np.complex64)[:, :, 0]
    result = np.zeros(count, np.complex64)
    kernels("complex_product", a.copy(), b.copy(), result, count)
    np.testing.assert_allclose(result, a.astype(np.complex128) * b, rtol=1e-5, atol=1e-6)
