"""Transpositions on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import Array, random
from tests.parity.kernel_library import Kernels

SHAPES = [(1, 1), (1, 40), (16, 16), (17, 15), (33, 64), (100, 3), (0, 5)]
KINDS = ["uint8", "float16", "float32", "float64", "complex128"]


def transposed(kernels: Kernels, values: Array) -> Array:
    result = np.zeros(values.shape[::-1], values.dtype)
    kernels("transpose", values.itemsize, values, result, *values.shape)
    return result


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_transposition_when_tiles_are_cut(
    kernels: Kernels, kind: str, shape: tuple[int, int]
) -> None:
    values = random(sum(shape)).integers(0, 250, shape).astype(kind)
    assert np.array_equal(transposed(kernels, values), values.T)


@pytest.mark.parametrize("kind", KINDS)
def test_transposition_when_done_twice(kernels: Kernels, kind: str) -> None:
    values = random(3).integers(0, 250, (35, 50)).astype(kind)
    once = transposed(kernels, values)
    assert np.array_equal(once, values.T)
    assert np.array_equal(transposed(kernels, once), values)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 40])
def test_square_when_transposed_in_place(kernels: Kernels, size: int) -> None:
    values = random(size).normal(size=(size, size))
    expected = values.T.copy()
    kernels("transpose_square", values, size)
    assert np.array_equal(values, expected)
