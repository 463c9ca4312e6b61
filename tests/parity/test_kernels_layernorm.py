"""Normalisations of rows and their gradients on each platform, against NumPy."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.parity.kernel_cases import FLOATS, Array, Floats, random
from tests.parity.kernel_library import Kernels, element

NAMES = [floats.name for floats in FLOATS]
EPSILON = 1e-5


@dataclass(frozen=True)
class Normalised:
    """What the kernel gives for some rows."""

    rows: Array
    means: Array
    scales: Array


def normalised(
    kernels: Kernels, floats: Floats, rows: Array, gain: Array, shift: Array
) -> Normalised:
    stored = floats.stored(rows)
    result = np.zeros_like(stored)
    moments = np.zeros((2, len(rows)), np.float32)
    of_columns = gain.astype(np.float32), shift.astype(np.float32)
    arguments = (*of_columns, result, moments[0], moments[1], *rows.shape, EPSILON)
    kernels("layernorm", element(stored), stored, *arguments)
    return Normalised(floats.widened(result), moments[0], moments[1])


@pytest.mark.parametrize("columns", [1, 32, 65, 130, 400])
@pytest.mark.parametrize("floats", FLOATS, ids=NAMES)
def test_layernorm_when_rows_are_random(kernels: Kernels, floats: Floats, columns: int) -> None:
    draw = random(columns)
    rows = floats.widened(floats.stored(draw.normal(1, 2, (4, columns))))
    gain, shift = draw.normal(1, 0.1, columns), draw.normal(0, 0.1, columns)
    found = normalised(kernels, floats, rows, gain, shift)
    scale = 1 / np.sqrt(rows.var(axis=1) + EPSILON)
    expected = (rows - rows.mean(axis=1)[:, None]) * scale[:, None] * gain + shift
    room = 1e-5 + 2 * floats.epsilon
    np.testing.assert_allclose(found.rows, expected, rtol=room, atol=room)
    np.testing.assert_allclose(found.means, rows.mean(axis=1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.scales, scale, rtol=1e-5)


def test_layernorm_when_the_mean_is_far_away(kernels: Kernels) -> None:
    rows = random(9).normal(1000, 1, (2, 300)).astype(np.float32).astype(np.float64)
    found = normalised(kernels, FLOATS[0], rows, np.ones(300), np.zeros(300))
    np.testing.assert_allclose(found.scales, 1 / np.sqrt(rows.var(axis=1) + EPSILON), rtol=1e-4)


def test_layernorm_when_a_row_is_constant(kernels: Kernels) -> None:
    found = normalised(kernels, FLOATS[0], np.full((1, 77), 5.0), np.ones(77), np.arange(77.0))
    np.testing.assert_allclose(found.rows[0], np.arange(77.0), atol=1e-4)
    np.testing.assert_allclose(found.scales, 1 / np.sqrt(EPSILON), rtol=1e-5)


@pytest.mark.parametrize("columns", [4, 64, 132, 520])
def test_rmsnorm_when_vectors_are_loaded(kernels: Kernels, columns: int) -> None:
    rows = random(columns).normal(size=(3, columns)).astype(np.float32)
    gain = random(1).uniform(0.5, 2, columns).astype(np.float32)
    result = np.zeros_like(rows)
    kernels("rmsnorm", rows, gain, result, 3, columns, EPSILON)
    wide = rows.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(axis=1) + EPSILON)[:, None] * gain
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_rmsnorm_when_columns_are_no_vectors(kernels: Kernels) -> None:
    rows = np.ones((1, 6), np.float32)
    assert kernels.status("rmsnorm", rows, rows, rows.copy(), 1, 6, EPSILON) == 1


@pytest.mark.parametrize("columns", [2, 64, 200])
def test_layernorm_when_gradients_flow_back(kernels: Kernels, columns: int) -> None:
    draw = random(columns)
    rows = draw.normal(size=(5, columns)).astype(np.float32)
    flowing = draw.normal(size=(5, columns)).astype(np.float32)
    gain = draw.normal(1, 0.2, columns).astype(np.float32)
    back = np.zeros_like(rows)
    sums = np.zeros((2, columns), np.float32)
    kernels("layernorm_backward", flowing, rows, gain, back, sums[0], sums[1], 5, columns, EPSILON)
    wide, given = rows.astype(np.float64), flowing.astype(np.float64) * gain
    scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + EPSILON)
    normal = (wide - wide.mean(axis=1, keepdims=True)) * scale
    along = normal * (given * normal).mean(axis=1, keepdims=True)
    expected = (given - given.mean(axis=1, keepdims=True) - along) * scale
    np.testing.assert_allclose(back, expected, rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(sums[0], (flowing * normal).sum(axis=0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(sums[1], flowing.sum(axis=0), rtol=1e-4, atol=1e-5)
