"""Sorts and selections on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import SIZES, Array, random
from tests.parity.kernel_library import Kernels, element

SORTED = (0, 1, 2, 33, 64, 255, 256, 257, 1000)


def drawn(kind: str, count: int) -> Array:
    """Return numbers that are spread over the type, with some that repeat."""
    if kind.startswith("float"):
        return random(count).normal(0, 1e5, count).astype(kind)
    limits = np.iinfo(kind)
    values = random(count).integers(limits.min, limits.max, count, dtype=kind)
    values[::5] = 7
    return values


@pytest.mark.parametrize("count", SORTED)
@pytest.mark.parametrize("kind", ["int32", "uint32", "float32"])
def test_bitonic_sort_when_ascending(kernels: Kernels, kind: str, count: int) -> None:
    values = drawn(kind, count)
    expected = np.sort(values)
    kernels("sort", element(values), values, count, 1)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("count", [3, 256, 600])
@pytest.mark.parametrize("kind", ["int64", "float64"])
def test_bitonic_sort_when_descending(kernels: Kernels, kind: str, count: int) -> None:
    values = drawn(kind, count)
    expected = np.sort(values)[::-1]
    kernels("sort", element(values), values, count, 0)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("order", ["sorted", "reversed", "equal"])
def test_bitonic_sort_when_there_is_an_order(kernels: Kernels, order: str) -> None:
    rising = np.arange(700, dtype=np.int32)
    values = {"sorted": rising, "reversed": rising[::-1].copy(), "equal": rising * 0}[order]
    expected = np.sort(values)
    kernels("sort", element(values), values, values.size, 1)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("count", [0, 1, 100, 256, 700])
def test_arg_sort_when_keys_repeat(kernels: Kernels, count: int) -> None:
    keys = random(count).integers(-9, 9, count, dtype=np.int32)
    places = np.zeros(count, np.int32)
    kernels("arg_sort", keys, count, places)
    assert np.array_equal(places, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("count", SIZES)
def test_radix_sort_when_keys_are_short(kernels: Kernels, count: int) -> None:
    keys = random(count).integers(0, 256, count, dtype=np.uint32)
    values = np.arange(count, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    expected = keys[order], values[order]
    kernels("radix_sort", keys, values, count, 8)
    assert np.array_equal(keys, expected[0])
    assert np.array_equal(values, expected[1])


def test_radix_sort_when_keys_have_all_bits(kernels: Kernels) -> None:
    keys = drawn("uint32", 300)
    values = np.arange(300, dtype=np.uint32)
    order = np.argsort(keys, kind="stable")
    expected = keys[order], values[order]
    kernels("radix_sort", keys, values, 300, 32)
    assert np.array_equal(keys, expected[0])
    assert np.array_equal(values, expected[1])


@pytest.mark.parametrize("k", [1, 4, 8, 16])
@pytest.mark.parametrize("columns", [16, 64, 65, 300])
def test_top_k_when_values_repeat(kernels: Kernels, columns: int, k: int) -> None:
    rows = random(columns).integers(0, 40, (3, columns)).astype(np.float32)
    best = np.zeros((3, k), np.float32)
    indices = np.zeros((3, k), np.int32)
    kernels("top_k", rows, 3, columns, k, best, indices)
    order = np.argsort(-rows, axis=1, kind="stable")[:, :k]
    assert np.array_equal(indices, order)
    assert np.array_equal(best, np.take_along_axis(rows, order, axis=1))


def test_top_k_when_k_is_unknown(kernels: Kernels) -> None:
    row = np.zeros((1, 20), np.float32)
    assert kernels.status("top_k", row, 1, 20, 5, row.copy(), np.zeros(20, np.int32)) == 1


@pytest.mark.parametrize("count", [1, 2, 127, 128, 1000])
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_selection_when_by_digits(kernels: Kernels, place: float, count: int) -> None:
    values = drawn("uint32", count)
    rank = int(place * (count - 1))
    result = np.zeros(1, np.uint32)
    kernels("select", values, count, rank, result)
    assert result[0] == np.partition(values, rank)[rank]
