"""Softmax on each platform, in three float types, against SciPy."""

import numpy as np
import pytest
from scipy import special

from tests.parity.kernel_cases import FLOATS, Array, Floats, random
from tests.parity.kernel_library import Kernels, element

NAMES = [floats.name for floats in FLOATS]


def run(kernels: Kernels, floats: Floats, rows: Array, *, logarithm: bool) -> Array:
    stored = floats.stored(rows)
    result = np.zeros_like(stored)
    kernels("softmax", element(stored), stored, result, *rows.shape, int(logarithm))
    return floats.widened(result)


@pytest.mark.parametrize("columns", [1, 31, 64, 129, 500])
@pytest.mark.parametrize("floats", FLOATS, ids=NAMES)
def test_softmax_when_rows_are_random(kernels: Kernels, floats: Floats, columns: int) -> None:
    rows = floats.widened(floats.stored(random(columns).normal(0, 3, (3, columns))))
    expected = special.softmax(rows, axis=1)
    found = run(kernels, floats, rows, logarithm=False)
    np.testing.assert_allclose(found, expected, rtol=2e-6 + 2 * floats.epsilon, atol=1e-7)


@pytest.mark.parametrize("floats", FLOATS, ids=NAMES)
def test_log_softmax_when_rows_are_random(kernels: Kernels, floats: Floats) -> None:
    rows = floats.widened(floats.stored(random(4).normal(0, 3, (4, 200))))
    expected = special.log_softmax(rows, axis=1)
    found = run(kernels, floats, rows, logarithm=True)
    np.testing.assert_allclose(found, expected, rtol=2e-6 + 2 * floats.epsilon, atol=1e-6)


def test_softmax_when_numbers_are_huge(kernels: Kernels) -> None:
    rows = np.array([[1e4, 1e4 - 1, -1e4], [-3e38, -3e38, -3e38], [80, 0, 88]])
    found = run(kernels, FLOATS[0], rows, logarithm=False)
    np.testing.assert_allclose(found, special.softmax(rows, axis=1), rtol=1e-5, atol=1e-30)


def test_softmax_when_some_are_masked(kernels: Kernels) -> None:
    rows = random(8).normal(size=(4, 150))
    rows[:, ::3] = -np.inf
    found = run(kernels, FLOATS[0], rows, logarithm=False)
    assert not found[:, ::3].any()
    np.testing.assert_allclose(found, special.softmax(rows, axis=1), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("columns", [1, 20, 32, 33, 64, 100])
@pytest.mark.parametrize("floats", FLOATS, ids=NAMES)
def test_softmax_when_a_warp_has_the_row(kernels: Kernels, floats: Floats, columns: int) -> None:
    stored = floats.stored(random(columns).normal(0, 2, (7, columns)))
    result = np.zeros_like(stored)
    kernels("warp_softmax", element(stored), stored, result, 7, columns)
    expected = special.softmax(floats.widened(stored), axis=1)
    found = floats.widened(result)
    np.testing.assert_allclose(found, expected, rtol=2e-6 + 2 * floats.epsilon, atol=1e-7)


def test_softmax_when_a_row_is_too_long_for_a_warp(kernels: Kernels) -> None:
    columns = 4 * kernels.wave
    rows = random(2).normal(size=(2, columns + 1)).astype(np.float32)
    result = np.zeros_like(rows)
    assert kernels.status("warp_softmax", element(rows), rows, result, 2, columns + 1) == 1
    assert kernels.status("warp_softmax", element(rows), rows, result, 2, columns) == 0


@pytest.mark.parametrize("size", [1, 33, 140])
def test_softmax_when_the_mask_is_causal(kernels: Kernels, size: int) -> None:
    square = random(size).normal(size=(size, size)).astype(np.float32)
    result = np.zeros_like(square)
    kernels("causal_softmax", square, result, size, 0.125)
    seen = np.where(np.tri(size, dtype=bool), square * 0.125, -np.inf)
    np.testing.assert_allclose(result, special.softmax(seen, axis=1), rtol=2e-5, atol=1e-7)
