"""Stencils and filters of images on each platform, against NumPy and SciPy."""

import numpy as np
import pytest
from scipy import ndimage

from tests.parity.kernel_cases import FEW_SIZES, random
from tests.parity.kernel_library import Kernels


@pytest.mark.parametrize("count", FEW_SIZES)
@pytest.mark.parametrize("radius", [1, 3, 8])
def test_line_when_coefficients_are_constant(kernels: Kernels, radius: int, count: int) -> None:
    values = random(count).normal(size=count).astype(np.float32)
    weights = random(radius).normal(size=2 * radius + 1).astype(np.float32)
    result = np.zeros_like(values)
    kernels("line_stencil", values, count, weights, radius, result)
    padded = np.pad(values.astype(np.float64), radius)
    expected = np.convolve(padded, weights[::-1], mode="valid")
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (16, 16), (17, 33), (40, 20)])
@pytest.mark.parametrize("steps", [1, 4])
def test_plane_when_it_is_relaxed(kernels: Kernels, steps: int, shape: tuple[int, int]) -> None:
    plane = random(sum(shape)).uniform(0, 100, shape).astype(np.float32)
    expected = plane.astype(np.float64)
    for _ in range(steps):
        around = expected[:-2, 1:-1] + expected[2:, 1:-1]
        around = around + expected[1:-1, :-2] + expected[1:-1, 2:]
        expected = expected.copy()
        expected[1:-1, 1:-1] = around / 4
    kernels("jacobi", plane, *shape, steps)
    np.testing.assert_allclose(plane, expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(4, 4, 8), (5, 3, 9), (1, 2, 3)])
def test_space_when_it_is_a_torus(kernels: Kernels, shape: tuple[int, int, int]) -> None:
    space = random(sum(shape)).normal(size=shape)
    expected = space.copy()
    for _ in range(3):
        around = sum(np.roll(expected, step, axis) for step in (-1, 1) for axis in range(3))
        expected = 0.4 * expected + 0.1 * around
    kernels("space_stencil", space, *shape, 0.4, 0.1, 3)
    np.testing.assert_allclose(space, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(8, 16), (20, 30)])
def test_life_when_generations_pass(kernels: Kernels, shape: tuple[int, int]) -> None:
    cells = random(shape[0]).integers(0, 2, shape, dtype=np.uint8)
    expected = cells.copy()
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    for _ in range(5):
        near = ndimage.convolve(expected, ring, mode="wrap")
        expected = ((near == 3) | ((expected == 1) & (near == 2))).astype(np.uint8)
    kernels("life", cells, *shape, 5)
    assert np.array_equal(cells, expected)


def test_life_when_a_glider_returns(kernels: Kernels) -> None:
    cells = np.zeros((8, 8), np.uint8)
    cells[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    start = cells.copy()
    kernels("life", cells, 8, 8, 32)
    assert np.array_equal(cells, start)


@pytest.mark.parametrize("radius", [0, 1, 4])
@pytest.mark.parametrize("shape", [(1, 5), (16, 16), (21, 35)])
def test_image_when_filtered_by_rows_and_columns(
    kernels: Kernels, shape: tuple[int, int], radius: int
) -> None:
    image = random(sum(shape)).uniform(0, 255, shape).astype(np.float32)
    weights = random(radius).uniform(0, 1, 2 * radius + 1).astype(np.float32)
    result = np.zeros_like(image)
    kernels("filter_image", image, *shape, weights, radius, result)
    wide = weights.astype(np.float64)
    rows = ndimage.correlate1d(image.astype(np.float64), wide, axis=1, mode="nearest")
    expected = ndimage.correlate1d(rows, wide, axis=0, mode="nearest")
    np.testing.assert_allclose(result, expected, rtol=1e-5)
