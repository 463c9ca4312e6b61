"""Histograms on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import FEW_SIZES, SIZES, random
from tests.parity.kernel_library import Kernels


@pytest.mark.parametrize("count", SIZES)
def test_bytes_when_counted(kernels: Kernels, count: int) -> None:
    values = random(count).integers(0, 256, count, dtype=np.uint8)
    totals = np.zeros(256, np.uint32)
    kernels("byte_histogram", values, count, totals)
    assert np.array_equal(totals, np.bincount(values, minlength=256))


@pytest.mark.parametrize("value", [0, 255])
def test_bytes_when_all_are_equal(kernels: Kernels, value: int) -> None:
    values = np.full(3000, value, np.uint8)
    totals = np.zeros(256, np.uint32)
    kernels("byte_histogram", values, values.size, totals)
    assert totals[value] == totals.sum() == values.size


@pytest.mark.parametrize("count", FEW_SIZES)
@pytest.mark.parametrize("bins", [1, 10, 64])
def test_floats_when_in_equal_bins(kernels: Kernels, bins: int, count: int) -> None:
    # Away from the edges of bins, where roundings decide.
    values = random(count).integers(0, bins, count) + random(bins).uniform(0.1, 0.9, count)
    scaled = (values * 0.5 - 3).astype(np.float32)
    totals = np.zeros(bins, np.uint64)
    kernels("float_histogram", scaled, count, -3.0, bins * 0.5 - 3, bins, totals)
    assert np.array_equal(totals, np.histogram(scaled, bins, (-3.0, bins * 0.5 - 3))[0])


def test_floats_when_outside_or_no_numbers(kernels: Kernels) -> None:
    values = np.array([-0.5, 0.5, 1.5, 2.0, 9.0, np.nan, np.inf, -np.inf], np.float32)
    totals = np.zeros(2, np.uint64)
    kernels("float_histogram", values, values.size, 0.0, 2.0, 2, totals)
    assert totals.tolist() == [1, 1]


@pytest.mark.parametrize("count", FEW_SIZES)
def test_weights_when_summed_by_key(kernels: Kernels, count: int) -> None:
    keys = random(count).integers(-2, 12, count, dtype=np.int32)
    weights = random(count + 1).integers(0, 100, count).astype(np.float32)
    totals = np.zeros(10, np.float32)
    kernels("weighted_histogram", keys, weights, count, 10, totals)
    inside = (keys >= 0) & (keys < 10)
    expected = np.bincount(keys[inside], weights[inside], minlength=10)
    assert np.array_equal(totals, expected)
