"""Memory of other kinds on each platform: pitched, mapped, registered, managed, shared."""

import numpy as np
import pytest

from tests.parity.kernel_cases import random
from tests.parity.kernel_library import Kernels

COUNTS = pytest.mark.parametrize("count", [1, 64, 1000])


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (20, 33)])
def test_rows_when_they_have_a_pitch(kernels: Kernels, shape: tuple[int, int]) -> None:
    plane = random(sum(shape)).integers(-100, 100, shape, dtype=np.int32)
    expected = plane + 7 * (np.arange(shape[0], dtype=np.int32) + 1)[:, None]
    pitch = np.zeros(1, np.int64)
    kernels("pitched_rows", plane, *shape, 7, pitch)
    assert np.array_equal(plane, expected)
    assert pitch[0] >= 4 * shape[1]


@COUNTS
@pytest.mark.parametrize("kind", ["mapped", "registered", "managed"])
def test_memory_when_both_sides_reach_it(kernels: Kernels, kind: str, count: int) -> None:
    values = random(count).integers(-100, 100, count, dtype=np.int32)
    result = np.zeros(count, np.int32)
    kernels(f"{kind}_memory", values, count, result)
    assert np.array_equal(result, values[::-1])


@pytest.mark.parametrize("kib", [1, 48, 60])
def test_shared_memory_when_a_block_asks_for_much(kernels: Kernels, kib: int) -> None:
    values = np.arange(256 * kib, dtype=np.int32)
    expected = np.roll(values, -5)
    kernels("large_shared_memory", values, values.size, 5)
    assert np.array_equal(values, expected)
