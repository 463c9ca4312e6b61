"""Matrix products on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import FLOATS, Array, Floats, random
from tests.parity.kernel_library import Kernels, element

SHAPES = [(1, 1, 1), (16, 16, 16), (17, 5, 33), (3, 40, 20), (30, 31, 1)]


def product(kernels: Kernels, factors: tuple[Array, Array], to: Array, by: Array) -> Array:
    """Return by[0] * a b + by[1] * to."""
    a, b = factors
    result = to.copy()
    m, n, k = a.shape[0], b.shape[1], a.shape[1]
    kernels("matmul", element(a), a, b, result, m, n, k, *by)
    return result


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_product_when_numbers_are_whole(
    kernels: Kernels, kind: str, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape
    draw = random(sum(shape))
    a, b, c = (draw.integers(-50, 50, s).astype(kind) for s in ((m, k), (k, n), (m, n)))
    assert np.array_equal(product(kernels, (a, b), c, np.array([2.0, -3.0])), 2 * a @ b - 3 * c)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "tolerance"), [("float32", 2e-6), ("float64", 1e-14)])
def test_product_when_numbers_are_real(
    kernels: Kernels, kind: str, tolerance: float, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape
    draw = random(sum(shape))
    a, b, c = (draw.normal(size=s).astype(kind) for s in ((m, k), (k, n), (m, n)))
    wide = [each.astype(np.float64) for each in (a, b, c)]
    found = product(kernels, (a, b), c, np.array([0.5, 2.0]))
    room = tolerance * (0.5 * np.abs(wide[0]) @ np.abs(wide[1]) + 2 * np.abs(wide[2]))
    assert (np.abs(found - (0.5 * wide[0] @ wide[1] + 2 * wide[2])) <= room).all()


@pytest.mark.parametrize("shape", [(32, 32, 8), (64, 32, 24), (32, 64, 40)])
def test_product_when_sums_are_in_registers(kernels: Kernels, shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    a = random(m).normal(size=(m, k)).astype(np.float32)
    b = random(n + 1).normal(size=(k, n)).astype(np.float32)
    result = np.zeros((m, n), np.float32)
    kernels("register_matmul", a, b, result, m, n, k)
    np.testing.assert_allclose(result, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


def test_product_when_sizes_are_no_multiples(kernels: Kernels) -> None:
    square = np.zeros((33, 33), np.float32)
    assert kernels.status("register_matmul", square, square, square.copy(), 33, 33, 33) == 1


@pytest.mark.parametrize("shape", [(1, 4, 4, 8), (3, 9, 7, 20), (5, 8, 8, 3)])
@pytest.mark.parametrize("floats", FLOATS, ids=[floats.name for floats in FLOATS])
def test_products_when_in_a_batch(
    kernels: Kernels, floats: Floats, shape: tuple[int, int, int, int]
) -> None:
    batches, m, n, k = shape
    a = floats.stored(random(m).normal(size=(batches, m, k)))
    b = floats.stored(random(n + 9).normal(size=(batches, n, k)))
    result = np.zeros((batches, m, n), np.float32)
    kernels("batched_matmul", element(a), a, b, result, *shape)
    expected = np.einsum("zik,zjk->zij", floats.widened(a), floats.widened(b))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
