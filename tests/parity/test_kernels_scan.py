"""Scans and stream compaction on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import SIZES, random
from tests.parity.kernel_library import Kernels, element

SUM, MAXIMUM = range(2)


@pytest.mark.parametrize("count", [*SIZES, 128 * 128 + 5])
def test_inclusive_scan_when_integers_wrap(kernels: Kernels, count: int) -> None:
    values = random(count).integers(-(2**31), 2**31, count, dtype=np.int32)
    results = np.zeros(count, np.int32)
    kernels("scan", SUM, element(values), 1, values, count, results)
    assert np.array_equal(results, values.cumsum(dtype=np.int32))


@pytest.mark.parametrize("count", SIZES)
def test_exclusive_scan_when_numbers_are_wide(kernels: Kernels, count: int) -> None:
    values = random(count).integers(0, 2**40, count, dtype=np.int64)
    results = np.zeros(count, np.int64)
    kernels("scan", SUM, element(values), 0, values, count, results)
    assert np.array_equal(results, values.cumsum() - values)


@pytest.mark.parametrize("count", [1, 33, 129, 1000])
@pytest.mark.parametrize(("kind", "tolerance"), [("float32", 1e-5), ("float64", 1e-13)])
def test_scan_when_floats_grow(kernels: Kernels, kind: str, tolerance: float, count: int) -> None:
    values = random(count).uniform(0, 1, count).astype(kind)
    results = np.zeros(count, kind)
    kernels("scan", SUM, element(values), 1, values, count, results)
    np.testing.assert_allclose(results, values.cumsum(dtype=np.float64), rtol=tolerance)


@pytest.mark.parametrize("kind", ["int32", "uint32", "float32"])
def test_running_maximum_when_it_rises_late(kernels: Kernels, kind: str) -> None:
    values = random(5).integers(0, 1000, 700).astype(kind)
    results = np.zeros(700, kind)
    kernels("scan", MAXIMUM, element(values), 1, values, 700, results)
    assert np.array_equal(results, np.maximum.accumulate(values))


@pytest.mark.parametrize("count", SIZES)
def test_single_pass_scan_when_blocks_look_back(kernels: Kernels, count: int) -> None:
    values = random(count).integers(-1000, 1000, count, dtype=np.int32)
    results = np.zeros(count, np.int32)
    kernels("scan_single_pass", values, count, results)
    assert np.array_equal(results, values.cumsum(dtype=np.int32))


@pytest.mark.parametrize("count", [1, 2, 3, 16, 17, 64, 100, 512, 1000])
def test_tree_scan_when_the_count_is_no_power_of_two(kernels: Kernels, count: int) -> None:
    values = random(count).integers(0, 9, count).astype(np.float32)
    results = np.zeros(count, np.float32)
    kernels("scan_tree", values, count, results)
    assert np.array_equal(results, values.cumsum() - values)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("limit", [-10.0, 0.25])
def test_compaction_when_some_are_dropped(kernels: Kernels, count: int, limit: float) -> None:
    values = random(count).normal(size=count).astype(np.float32)
    kept = np.zeros(count, np.float32)
    number = np.zeros(1, np.int32)
    kernels("compact", values, count, limit, kept, number)
    expected = values[values > np.float32(limit)]
    assert number[0] == expected.size
    assert np.array_equal(kept[: expected.size], expected)
    assert not kept[expected.size :].any()
