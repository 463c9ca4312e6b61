"""Cooperative groups on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import in_warps, random
from tests.parity.kernel_library import Kernels

THREADS = 128


@pytest.mark.parametrize(("size", "steps"), [(1, 1), (20, 3), (50, 12)])
def test_grid_when_it_meets_between_steps(kernels: Kernels, size: int, steps: int) -> None:
    matrix = random(size).uniform(0.1, 1, (size, size))
    vector, largest = np.ones(size), np.zeros(1)
    kernels("power_iteration", matrix, vector, size, steps, largest)
    expected, most = np.ones(size), 0.0
    for _ in range(steps):
        expected = matrix @ expected
        most = float(np.abs(expected).max())
        expected /= most
    np.testing.assert_allclose(vector, expected, rtol=1e-12)
    assert largest[0] == pytest.approx(most, rel=1e-12)


def test_grid_when_it_finds_an_eigenvalue(kernels: Kernels) -> None:
    half = random(6).uniform(0, 1, (12, 12))
    symmetric = half + half.T
    vector, largest = np.ones(12), np.zeros(1)
    kernels("power_iteration", symmetric, vector, 12, 60, largest)
    assert largest[0] == pytest.approx(np.linalg.eigvalsh(symmetric)[-1], rel=1e-9)


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_tiles_when_they_exchange(kernels: Kernels, size: int, blocks: int) -> None:
    count = blocks * THREADS
    values = random(size).integers(0, 100, count, dtype=np.int32)
    results = np.zeros((3, count), np.int32)
    kernels("tiles", size, values, blocks, results)
    tiles = values.reshape(-1, size)
    assert np.array_equal(results[0], np.repeat(tiles.sum(axis=1), size))
    assert np.array_equal(results[1], np.tile(np.arange(THREADS), blocks))
    below = np.concatenate([tiles[:, :1], tiles[:, :-1]], axis=1)
    assert np.array_equal(results[2], (below - tiles[:, :1]).ravel())


@pytest.mark.parametrize("blocks", [1, 2])
def test_groups_when_they_reduce(kernels: Kernels, blocks: int) -> None:
    count = blocks * THREADS
    values = random(blocks).normal(size=count).astype(np.float32)
    sums, largest = np.zeros(count, np.float32), np.zeros(count, np.float32)
    kernels("group_reduce", values, blocks, sums, largest)
    tiles = values.reshape(-1, 16)
    expected = np.repeat(tiles.sum(axis=1, dtype=np.float64), 16)
    np.testing.assert_allclose(sums, expected, rtol=1e-5, atol=1e-5)
    assert np.array_equal(largest, np.repeat(tiles.max(axis=1), 16))


@pytest.mark.parametrize("odd_in_ten", [0, 1, 5, 10])
def test_lanes_when_they_make_a_group(kernels: Kernels, odd_in_ten: int) -> None:
    odd = random(odd_in_ten).integers(0, 10, THREADS) < odd_in_ten
    values = odd.astype(np.int32)
    ranks, sizes = np.zeros(THREADS, np.int32), np.zeros(THREADS, np.int32)
    kernels("coalesced", values, 1, ranks, sizes)
    rows = in_warps(odd, kernels.wave)
    numbers = rows.cumsum(axis=1) - 1
    assert np.array_equal(ranks, np.where(odd, numbers.ravel(), -1))
    totals = np.repeat(rows.sum(axis=1), kernels.wave)
    assert np.array_equal(sizes, np.where(odd, totals, 0))


@pytest.mark.parametrize("blocks", [1, 2])
def test_tiles_when_they_vote(kernels: Kernels, blocks: int) -> None:
    count = blocks * THREADS
    values = random(blocks).integers(0, 10, count, dtype=np.int32)
    values[:16] = [3] * 8 + [0, 1, 2, 3, 4, 5, 6, 7]
    tiles = values.reshape(-1, 8)
    bits = 1 << np.arange(8)
    masks = np.where((tiles == 3).any(axis=1), ((tiles > 4) * bits).sum(axis=1), 0)
    masks |= np.where((tiles < 9).all(axis=1), 1 << 31, 0)
    matches = ((tiles[:, :, None] == tiles[:, None, :]) * bits).sum(axis=2)
    eighths = tiles // 8
    is_same = (eighths == eighths[:, :1]).all(axis=1)
    same = np.where(is_same, 0xFF + (1 << 16), 0)
    expected = np.stack([np.repeat(masks, 8), matches.ravel(), np.repeat(same, 8)])
    results = np.zeros((3, count), np.uint32)
    kernels("tile_votes", values, blocks, results)
    assert np.array_equal(results, expected.astype(np.uint32))
