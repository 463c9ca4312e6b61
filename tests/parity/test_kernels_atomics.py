"""Atomics of every kind on each platform, against what they add up to."""

import numpy as np
import pytest

from tests.parity.kernel_cases import FEW_SIZES, SIZES, random
from tests.parity.kernel_library import Kernels, element


@pytest.mark.parametrize("kind", ["int32", "uint32", "uint64"])
@pytest.mark.parametrize("count", FEW_SIZES)
def test_integers_when_all_threads_meet(kernels: Kernels, kind: str, count: int) -> None:
    limits = np.iinfo(kind)
    values = random(count).integers(limits.min, limits.max, count, dtype=kind)
    results = np.zeros(6, kind)
    results[1:4] = limits.max, limits.min, ~np.zeros(1, kind)[0]
    kernels("integer_atomics", element(values), values, count, results)
    operations = (np.add, np.minimum, np.maximum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)
    expected = [operation.reduce(values, dtype=kind) for operation in operations]
    assert results.tolist() == [int(each) for each in expected]


@pytest.mark.parametrize(("threads", "times"), [(1, 1), (33, 3), (128, 5)])
def test_counters_when_they_wrap(kernels: Kernels, threads: int, times: int) -> None:
    counters = np.array([0, 0, 10_000], np.uint32)
    kernels("wrapping_atomics", counters, threads, times)
    done = threads * times
    assert counters.tolist() == [done % 10, (-done) % 7, 10_000 - 3 * done]


@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_tickets_when_threads_draw_them(kernels: Kernels, blocks: int) -> None:
    threads = 128 * blocks
    owners, seen = np.zeros(threads, np.int32), np.zeros(threads, np.int32)
    last = np.zeros(1, np.int32)
    kernels("tickets", blocks, owners, seen, last)
    assert np.array_equal(np.sort(owners), np.arange(threads))
    # Each exchange sees what another one left: all values but the last one's, and the first.
    assert sorted([*seen.tolist(), int(last[0])]) == list(range(-1, threads))


@pytest.mark.parametrize("count", FEW_SIZES)
def test_floats_when_bits_are_exchanged(kernels: Kernels, count: int) -> None:
    values = random(count).uniform(0, 9, count).astype(np.float32)
    largest, product = np.array([0.5], np.float32), np.array([2.0])
    kernels("made_atomics", values, count, largest, product)
    assert largest[0] == max(values.max(), np.float32(0.5))
    assert product[0] == pytest.approx(2 * np.prod(1 + values / 1024.0), rel=1e-5)


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize("count", [1, 65, 500])
def test_sums_when_blocks_share_them(kernels: Kernels, kind: str, count: int) -> None:
    values = random(count).integers(0, 1000, count).astype(kind)
    result = np.zeros(1, kind)
    kernels("shared_atomics", element(values), values, count, result)
    assert result[0] == values.sum()


@pytest.mark.parametrize("count", SIZES)
def test_sum_when_the_last_block_ends_it(kernels: Kernels, count: int) -> None:
    values = random(count).integers(-1000, 1000, count, dtype=np.int32)
    result = np.zeros(1, np.int32)
    kernels("last_block", values, count, result)
    assert result[0] == values.sum()
