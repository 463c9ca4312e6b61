"""Streams, events, graphs and memory in the order of a stream, on each platform."""

import numpy as np
import pytest

from tests.parity.kernel_cases import random
from tests.parity.kernel_library import Kernels


@pytest.mark.parametrize(("count", "chunk"), [(1, 1), (100, 7), (1000, 128), (1000, 5000)])
def test_chunks_when_two_streams_take_turns(kernels: Kernels, count: int, chunk: int) -> None:
    values = random(count).uniform(0, 100, count)
    roots = np.zeros(count)
    kernels("square_roots", values, count, chunk, roots)
    assert np.array_equal(roots, np.sqrt(values))


@pytest.mark.parametrize("runners", [1, 2, 5])
def test_streams_when_they_wait_for_each_other(kernels: Kernels, runners: int) -> None:
    digits = random(runners).integers(0, 10, 17, dtype=np.int32)
    number = np.zeros(1, np.int64)
    kernels("relay", digits, digits.size, runners, number)
    assert number[0] == int("".join(map(str, digits)))


@pytest.mark.parametrize("start", [0, 12])
def test_host_function_when_it_comes_after_a_copy(kernels: Kernels, start: int) -> None:
    result = np.zeros(1, np.int64)
    kernels("host_function", start, result)
    assert result[0] == start * 10 + 7 + 1


@pytest.mark.parametrize(("count", "rounds"), [(1, 1), (300, 3)])
def test_memory_when_it_goes_with_the_stream(kernels: Kernels, count: int, rounds: int) -> None:
    values = random(count).uniform(0, 1e6, count)
    result = np.zeros(count)
    kernels("stream_memory", values, count, rounds, result)
    for _ in range(rounds):
        values = np.sqrt(values)
    assert np.array_equal(result, values)


@pytest.mark.parametrize("launches", [0, 1, 4])
def test_graph_when_recorded(kernels: Kernels, launches: int) -> None:
    values = np.arange(200, dtype=np.float32)
    expected = values.copy()
    for _ in range(launches):
        expected = (expected * 2 + 1) * np.float32(0.5) - 3
    kernels("recorded_graph", values, values.size, launches)
    assert np.array_equal(values, expected)


@pytest.mark.parametrize("launches", [1, 3])
def test_graph_when_it_forks_and_joins(kernels: Kernels, launches: int) -> None:
    values = np.arange(256, dtype=np.float32)
    expected = values.reshape(2, 128).copy()
    for _ in range(launches):
        expected[0] = (expected[0] + 1) * 2
        expected[1] = expected[1] * 6
    kernels("forked_graph", values, 128, launches)
    assert np.array_equal(values, expected.ravel())


@pytest.mark.parametrize("factors", [[2.0], [2.0, 0.5, -3.0, 1.25]])
def test_graph_when_a_node_gets_other_arguments(kernels: Kernels, factors: list[float]) -> None:
    values = np.arange(150, dtype=np.float32)
    expected = values * np.prod(factors).astype(np.float32)
    kernels("updated_graph", values, 150, np.array(factors, np.float32), len(factors))
    assert np.array_equal(values, expected)
