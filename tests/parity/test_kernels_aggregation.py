"""Atomics that one lane does for its warp, on each platform: how many there are, and what of."""

import numpy as np
import pytest

from tests.parity.kernel_cases import SIZES, Array, random
from tests.parity.kernel_library import Kernels

WAYS = pytest.mark.parametrize("by_mask", [1, 0], ids=["mask", "group"])


def per_warp(values: Array, wave: int) -> list[Array]:
    """Return the pieces that warps have; the last one may be short."""
    return [values[start : start + wave] for start in range(0, values.size, wave)]


@WAYS
@pytest.mark.parametrize("count", SIZES)
def test_filter_when_half_is_kept(kernels: Kernels, by_mask: int, count: int) -> None:
    values = random(count).integers(0, 100, count, dtype=np.int32)
    kept = np.zeros(count, np.int32)
    totals = np.zeros(2, np.int32)
    kernels("filter", by_mask, values, count, 50, kept, totals)
    expected = np.sort(values[values >= 50])
    assert totals[0] == expected.size
    assert np.array_equal(np.sort(kept[: expected.size]), expected)


@WAYS
@pytest.mark.parametrize("limit", [0, 50, 97, 200])
def test_filter_when_atomics_are_counted(kernels: Kernels, by_mask: int, limit: int) -> None:
    values = random(limit).integers(0, 100, 1000, dtype=np.int32)
    totals = np.zeros(2, np.int32)
    kernels("filter", by_mask, values, values.size, limit, values.copy(), totals)
    busy = sum(bool((piece >= limit).any()) for piece in per_warp(values, kernels.wave))
    assert totals[1] == busy


@WAYS
def test_filter_when_lanes_keep_their_order(kernels: Kernels, by_mask: int) -> None:
    values = np.arange(kernels.wave, dtype=np.int32)
    kept = np.zeros(kernels.wave, np.int32)
    kernels("filter", by_mask, values, values.size, 5, kept, np.zeros(2, np.int32))
    assert np.array_equal(kept[: values.size - 5], values[5:])


@pytest.mark.parametrize("count", SIZES)
def test_keys_when_lanes_are_matched(kernels: Kernels, count: int) -> None:
    keys = random(count).integers(0, 6, count, dtype=np.int32)
    totals = np.zeros(6, np.int32)
    operations = np.zeros(1, np.int32)
    kernels("count_keys", keys, count, 6, totals, operations)
    assert np.array_equal(totals, np.bincount(keys, minlength=6))
    assert operations[0] == sum(np.unique(piece).size for piece in per_warp(keys, kernels.wave))
