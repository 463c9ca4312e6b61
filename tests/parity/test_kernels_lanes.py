"""Votes, shuffles and divergence on each platform, for the width that its warps have."""

import numpy as np
import pytest

from tests.parity.kernel_cases import Array, in_warps, random
from tests.parity.kernel_library import Kernels, element

BLOCKS = pytest.mark.parametrize("blocks", [1, 3])
THREADS = 128


def masks(flags: Array, wave: int) -> Array:
    """Return a number with a bit for each lane whose flag is set, for every lane."""
    lanes = np.uint64(1) << np.arange(wave, dtype=np.uint64)
    bits = (in_warps(flags, wave).astype(np.uint64) * lanes).sum(axis=1, dtype=np.uint64)
    return np.repeat(bits, wave)


def test_warps_when_asked_for_their_size(kernels: Kernels) -> None:
    sizes = np.zeros(2, np.int32)
    kernels("warp_size", sizes[:1], sizes[1:])
    assert sizes.tolist() == [kernels.wave, kernels.wave]


@BLOCKS
def test_votes_when_lanes_differ(kernels: Kernels, blocks: int) -> None:
    count = blocks * THREADS
    values = random(blocks).integers(0, 98, count, dtype=np.int32)
    ballots = np.zeros(count, np.uint64)
    found, every, before = (np.zeros(count, np.int32) for _ in range(3))
    kernels("votes", values, blocks, ballots, found, every, before)
    odd = values % 2 != 0
    rows = in_warps(values, kernels.wave)
    assert np.array_equal(ballots, masks(odd, kernels.wave))
    assert np.array_equal(in_warps(found, kernels.wave)[:, 0], (rows > 90).any(axis=1))
    assert np.array_equal(in_warps(every, kernels.wave)[:, -1], (rows < 97).all(axis=1))
    counted = in_warps(odd, kernels.wave).cumsum(axis=1) - in_warps(odd, kernels.wave)
    assert np.array_equal(before, counted.ravel())


@pytest.mark.parametrize("last", [90, 91, 97])
def test_votes_when_one_lane_decides(kernels: Kernels, last: int) -> None:
    values = np.zeros(THREADS, np.int32)
    values[-1] = last
    ballots = np.zeros(THREADS, np.uint64)
    found, every, before = (np.zeros(THREADS, np.int32) for _ in range(3))
    kernels("votes", values, 1, ballots, found, every, before)
    in_last = np.arange(THREADS) >= THREADS - kernels.wave
    assert np.array_equal(found, in_last & (last > 90))
    assert np.array_equal(every, ~in_last | (last < 97))


@BLOCKS
@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "float64"])
def test_shuffles_when_lanes_exchange(kernels: Kernels, kind: str, blocks: int) -> None:
    count, wave = blocks * THREADS, kernels.wave
    values = (random(blocks).normal(size=count) * 2**27).astype(kind)
    sources = random(9).integers(0, wave, count, dtype=np.int32)
    results = np.zeros((4, count), kind)
    kernels("shuffles", element(values), values, sources, blocks, results)
    rows, lanes = in_warps(values, wave), np.arange(wave)
    picked = np.take_along_axis(rows, in_warps(sources, wave).astype(np.int64), axis=1)
    up = rows[:, np.where(lanes >= 3, lanes - 3, lanes)]
    down = rows[:, np.where(lanes + 5 < wave, lanes + 5, lanes)]
    for found, expected in zip(results, (picked, up, down, rows[:, lanes ^ 9]), strict=True):
        assert np.array_equal(in_warps(found, wave), expected)


@pytest.mark.parametrize("width", [4, 8, 16])
def test_shuffles_when_in_parts_of_a_warp(kernels: Kernels, width: int) -> None:
    values = random(width).integers(-100, 100, THREADS, dtype=np.int32)
    sums, firsts = np.zeros(THREADS, np.int32), np.zeros(THREADS, np.int32)
    kernels("narrow_shuffles", values, 1, width, sums, firsts)
    parts = values.reshape(-1, width)
    assert np.array_equal(sums, np.repeat(parts.sum(axis=1), width))
    assert np.array_equal(firsts, np.repeat(parts[:, 0], width))


@BLOCKS
def test_lanes_when_they_reduce(kernels: Kernels, blocks: int) -> None:
    values = random(blocks).integers(0, 2**32, blocks * THREADS, dtype=np.uint32)
    results = np.zeros((3, values.size), np.uint32)
    kernels("warp_reductions", values, blocks, results)
    rows = in_warps(values, kernels.wave)
    expected = [rows.sum(axis=1, dtype=np.uint32), rows.min(axis=1), rows.max(axis=1)]
    assert np.array_equal(results, np.repeat(expected, kernels.wave, axis=1))


@BLOCKS
def test_branches_when_lanes_part(kernels: Kernels, blocks: int) -> None:
    count = blocks * THREADS
    values = random(blocks).integers(0, 50, count, dtype=np.int32)
    present = np.zeros(count, np.uint64)
    sums = np.zeros(count, np.int32)
    kernels("divergence", values, blocks, present, sums)
    taken = values % 3 == 0
    expected = np.where(taken, masks(taken, kernels.wave), masks(~taken, kernels.wave))
    assert np.array_equal(present, expected)
    numbers = np.bitwise_count(expected).astype(np.int32)
    assert np.array_equal(sums, np.where(taken, numbers, -numbers))


@BLOCKS
def test_loops_when_lanes_leave_early(kernels: Kernels, blocks: int) -> None:
    count = blocks * THREADS
    starts = random(blocks).integers(1, 60, count, dtype=np.int32)
    steps, longest = np.zeros(count, np.int32), np.zeros(count, np.int32)
    kernels("collatz", starts, blocks, steps, longest)
    expected = np.array([collatz(int(start)) for start in starts])
    assert np.array_equal(steps, expected)
    most = in_warps(expected, kernels.wave).max(axis=1)
    assert np.array_equal(longest, np.repeat(most, kernels.wave))


def collatz(number: int) -> int:
    steps = 0
    while number > 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return steps
