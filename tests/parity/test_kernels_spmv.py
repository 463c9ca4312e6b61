"""Sparse matrices times vectors on each platform, against SciPy."""

import numpy as np
import pytest
from scipy import sparse

from tests.parity.kernel_cases import Array, random
from tests.parity.kernel_library import Kernels, element

WAYS = {"thread": 0, "warp": 1, "tiles of 4": 4, "tiles of 8": 8, "tiles of 16": 16}
KINDS = pytest.mark.parametrize(("kind", "tolerance"), [("float32", 2e-6), ("float64", 1e-14)])


def matrix(rows: int, columns: int, density: float, kind: str) -> sparse.csr_array:
    """Return a matrix of which some rows are empty and one is full."""
    draw = random(rows)
    dense = draw.normal(size=(rows, columns)) * (draw.uniform(size=(rows, columns)) < density)
    dense[rows // 2] = draw.normal(size=columns)
    dense[rows // 3] = 0
    return sparse.csr_array(dense.astype(kind))


def assert_product(found: Array, of: sparse.csr_array, vector: Array, tolerance: float) -> None:
    wide = of.astype(np.float64)
    room = tolerance * (abs(wide) @ np.abs(vector.astype(np.float64)))
    assert (np.abs(found - wide @ vector.astype(np.float64)) <= room).all()


@KINDS
@pytest.mark.parametrize("shape", [(1, 1), (40, 30), (70, 200)])
@pytest.mark.parametrize("way", WAYS)
def test_rows_when_compressed(
    kernels: Kernels, way: str, shape: tuple[int, int], kind: str, tolerance: float
) -> None:
    given = matrix(*shape, 0.15, kind)
    vector = random(shape[1]).normal(size=shape[1]).astype(kind)
    result = np.full(shape[0], np.nan, kind)
    kernels(
        *("spmv_csr", WAYS[way], element(vector)),
        *(given.indptr.astype(np.int32), given.indices.astype(np.int32), given.data),
        *(*shape, given.nnz, vector, result),
    )
    assert_product(result, given, vector, tolerance)


@KINDS
@pytest.mark.parametrize("density", [0.0, 0.05, 0.5])
def test_coordinates_when_added_atomically(
    kernels: Kernels, density: float, kind: str, tolerance: float
) -> None:
    given = matrix(50, 60, density, kind)
    vector = random(60).normal(size=60).astype(kind)
    result = np.full(50, np.nan, kind)
    at = given.tocoo()
    kernels(
        *("spmv_coordinates", element(vector)),
        *(at.row.astype(np.int32), at.col.astype(np.int32), at.data),
        *(at.nnz, 50, 60, vector, result),
    )
    assert_product(result, given, vector, tolerance)


@KINDS
@pytest.mark.parametrize("density", [0.02, 0.3])
def test_rows_when_padded(kernels: Kernels, density: float, kind: str, tolerance: float) -> None:
    given = matrix(45, 50, density, kind)
    lengths = np.diff(given.indptr)
    columns = np.full((45, lengths.max()), -1, np.int32)
    values = np.zeros(columns.shape, kind)
    for row, (start, length) in enumerate(zip(given.indptr, lengths, strict=False)):
        columns[row, :length] = given.indices[start : start + length]
        values[row, :length] = given.data[start : start + length]
    vector = random(50).normal(size=50).astype(kind)
    result = np.full(45, np.nan, kind)
    by_place = columns.T.copy(), values.T.copy()
    kernels("spmv_padded", element(vector), *by_place, *columns.shape, 50, vector, result)
    assert_product(result, given, vector, tolerance)
