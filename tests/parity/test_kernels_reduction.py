"""Reductions of the CUDA library on each platform, against NumPy."""

from itertools import pairwise

import numpy as np
import pytest

from tests.parity.kernel_cases import FEW_SIZES, SIZES, random
from tests.parity.kernel_library import Kernels, element

SUM, PRODUCT, MINIMUM, MAXIMUM = range(4)


@pytest.mark.parametrize("count", SIZES)
def test_sum_when_integers_wrap(kernels: Kernels, count: int) -> None:
    values = random(count).integers(-(2**31), 2**31, count, dtype=np.int32)
    result = np.zeros(1, np.int32)
    kernels("reduce", SUM, element(values), values, count, result)
    assert result[0] == values.sum(dtype=np.int32)


@pytest.mark.parametrize("count", FEW_SIZES)
@pytest.mark.parametrize("kind", ["uint32", "int64"])
def test_sum_when_types_are_wide(kernels: Kernels, kind: str, count: int) -> None:
    values = random(count).integers(0, 2**32 - 1, count).astype(kind)
    result = np.zeros(1, kind)
    kernels("reduce", SUM, element(values), values, count, result)
    assert result[0] == values.sum(dtype=kind)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(("kind", "tolerance"), [("float32", 1e-5), ("float64", 1e-14)])
def test_sum_when_floats_cancel(kernels: Kernels, kind: str, tolerance: float, count: int) -> None:
    values = random(count).normal(size=count).astype(kind)
    result = np.zeros(1, kind)
    kernels("reduce", SUM, element(values), values, count, result)
    room = tolerance * np.abs(values, dtype=np.float64).sum()
    assert result[0] == pytest.approx(values.sum(dtype=np.float64), abs=room)


@pytest.mark.parametrize("count", FEW_SIZES)
def test_product_when_numbers_are_near_one(kernels: Kernels, count: int) -> None:
    values = random(count).uniform(0.99, 1.01, count)
    result = np.zeros(1)
    kernels("reduce", PRODUCT, element(values), values, count, result)
    assert result[0] == pytest.approx(np.prod(values), rel=1e-12)


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "float32", "float64"])
@pytest.mark.parametrize(("operation", "numpy"), [(MINIMUM, np.min), (MAXIMUM, np.max)])
def test_extremes_when_in_the_last_element(
    kernels: Kernels, operation: int, numpy: np.ufunc, kind: str
) -> None:
    values = random(7).integers(1000, 2000, 1025).astype(kind)
    values[-1] = 3 if operation == MINIMUM else 4000
    result = np.zeros(1, kind)
    kernels("reduce", operation, element(values), values, values.size, result)
    assert result[0] == numpy(values) == values[-1]


@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "float32"])
def test_extremes_when_there_is_nothing(kernels: Kernels, kind: str) -> None:
    nothing = np.zeros(0, kind)
    result = np.zeros(2, kind)
    kernels("reduce", MINIMUM, element(nothing), nothing, 0, result[:1])
    kernels("reduce", MAXIMUM, element(nothing), nothing, 0, result[1:])
    limits = np.finfo(kind) if kind == "float32" else np.iinfo(kind)
    expected = (np.inf, -np.inf) if kind == "float32" else (limits.max, limits.min)
    assert tuple(result) == expected


def test_extremes_when_some_are_no_numbers(kernels: Kernels) -> None:
    values = random(3).normal(size=500).astype(np.float32)
    values[::7] = np.nan
    result = np.zeros(2, np.float32)
    kernels("reduce", MINIMUM, element(values), values, values.size, result[:1])
    kernels("reduce", MAXIMUM, element(values), values, values.size, result[1:])
    assert tuple(result) == (np.nanmin(values), np.nanmax(values))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 127, 128, 515, 4099])
def test_vectorised_sum_when_the_count_is_no_multiple(kernels: Kernels, count: int) -> None:
    values = random(count).normal(size=count).astype(np.float32)
    result = np.zeros(1)
    kernels("sum_vectorized", values, count, result)
    assert result[0] == pytest.approx(values.sum(dtype=np.float64), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("count", FEW_SIZES)
@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_variance_when_the_mean_is_far_away(kernels: Kernels, count: int, mean: float) -> None:
    values = random(count).normal(mean, 2.0, count).astype(np.float32)
    result = np.zeros(1)
    kernels("variance", values, count, result)
    assert result[0] == pytest.approx(values.var(dtype=np.float64), rel=1e-11)


@pytest.mark.parametrize("count", [1, 2, 63, 65, 1000])
def test_arg_max_when_values_repeat(kernels: Kernels, count: int) -> None:
    values = random(count).integers(0, 5, count).astype(np.float32)
    result = np.zeros(1, np.int32)
    kernels("arg_max", values, count, result)
    assert result[0] == values.argmax()


@pytest.mark.parametrize("lengths", [[5], [0, 3, 0], [1, 31, 32, 33, 64, 65, 200], [2] * 300])
def test_segmented_sum_when_lengths_differ(kernels: Kernels, lengths: list[int]) -> None:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    values = random(len(lengths)).integers(-50, 50, offsets[-1]).astype(np.float32)
    sums = np.zeros(len(lengths), np.float32)
    kernels("segmented_sum", values, values.size, offsets, len(lengths), sums)
    pieces = [values[a:b].sum() for a, b in pairwise(offsets)]
    assert sums.tolist() == pieces


def test_reduction_when_its_operation_is_unknown(kernels: Kernels) -> None:
    values = np.zeros(4, np.float32)
    assert kernels.status("reduce", 9, element(values), values, 4, np.zeros(1, np.float32)) == 1
