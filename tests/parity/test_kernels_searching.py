"""Searches and tables on each platform: graphs, words, the plane of complex numbers, bodies."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from tests.parity.kernel_cases import Array, random
from tests.parity.kernel_library import Kernels


@pytest.mark.parametrize(("nodes", "edges"), [(1, 0), (40, 60), (150, 400)])
def test_graph_when_searched_breadth_first(kernels: Kernels, nodes: int, edges: int) -> None:
    ends = random(nodes).integers(0, nodes, (2, edges))
    graph = sparse.csr_array((np.ones(edges), (ends[0], ends[1])), shape=(nodes, nodes))
    distances = np.zeros(nodes, np.int32)
    arrays = graph.indptr.astype(np.int32), graph.indices.astype(np.int32)
    kernels("graph_search", *arrays, nodes, graph.nnz, 0, distances)
    expected = csgraph.shortest_path(graph, unweighted=True, indices=0)
    assert np.array_equal(distances, np.where(np.isinf(expected), -1, expected))


def test_graph_when_it_is_a_chain(kernels: Kernels) -> None:
    starts = np.append(np.arange(20), 19).astype(np.int32)
    distances = np.zeros(20, np.int32)
    kernels("graph_search", starts, np.arange(1, 20, dtype=np.int32), 20, 19, 0, distances)
    assert distances.tolist() == list(range(20))


def edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            corner, row[j] = row[j], min(corner + (letter != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def words_of(words: list[str], stride: int) -> Array:
    return np.frombuffer("".join(w.ljust(stride) for w in words).encode(), np.uint8).copy()


def distances_of(kernels: Kernels, pairs: list[tuple[str, str]], stride: int) -> list[int]:
    first, second = (words_of([pair[side] for pair in pairs], stride) for side in (0, 1))
    lengths = np.array([[len(a), len(b)] for a, b in pairs], np.int32)
    found = np.zeros(len(pairs), np.int32)
    kernels("edit_distances", first, second, stride, lengths, len(pairs), found)
    return [int(each) for each in found]


def test_words_when_their_distance_is_known(kernels: Kernels) -> None:
    pairs = [("kitten", "sitting"), ("", "abc"), ("abc", ""), ("", ""), ("same", "same")]
    assert distances_of(kernels, pairs, 8) == [3, 3, 3, 0, 0]


@pytest.mark.parametrize("stride", [10, 64, 100])
def test_words_when_they_are_random(kernels: Kernels, stride: int) -> None:
    draw = random(stride)
    words = ["".join(draw.choice(list("abc"), draw.integers(1, stride + 1))) for _ in range(4)]
    pairs = [(words[0], words[1]), (words[2], words[3])]
    assert distances_of(kernels, pairs, stride) == [edit_distance(a, b) for a, b in pairs]


def escapes(x: float, y: float, step: float, shape: tuple[int, int], limit: int) -> Array:
    real = x + np.arange(shape[1]) * step
    imaginary = y + np.arange(shape[0]) * step
    a, b = np.zeros(shape), np.zeros(shape)
    counts = np.zeros(shape, np.int32)
    inside = np.ones(shape, bool)
    for _ in range(limit):
        inside &= a * a + b * b <= 4
        counts += inside
        following = a * a - b * b + real, 2 * a * b + imaginary[:, None]
        a, b = np.where(inside, following[0], a), np.where(inside, following[1], b)
    return counts


@pytest.mark.parametrize("limit", [1, 10, 60])
def test_plane_when_points_escape(kernels: Kernels, limit: int) -> None:
    counts = np.zeros((20, 30), np.int32)
    kernels("mandelbrot", -2.0, -1.0, 0.1, 30, 20, limit, counts)
    assert np.array_equal(counts, escapes(-2.0, -1.0, 0.1, (20, 30), limit))


@pytest.mark.parametrize("count", [1, 64, 100])
def test_bodies_when_all_pull(kernels: Kernels, count: int) -> None:
    bodies = random(count).uniform(0.1, 2, (count, 4)).astype(np.float32)
    pulls = np.zeros((count, 3), np.float32)
    kernels("gravity", bodies, count, 0.01, pulls)
    places, masses = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
    apart = places[None] - places[:, None]
    inverse = ((apart**2).sum(axis=2) + 0.01) ** -1.5
    expected = (apart * (inverse * masses)[:, :, None]).sum(axis=1)
    room = 1e-5 * (np.abs(apart) * (inverse * masses)[:, :, None]).sum(axis=1)
    assert (np.abs(pulls - expected) <= room + 1e-6).all()
