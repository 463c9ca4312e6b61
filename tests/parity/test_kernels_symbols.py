"""Variables of the device, and kernels that share their names, on each platform."""

import numpy as np
import pytest

from tests.parity.kernel_library import Kernels


def test_kernels_when_another_file_has_their_names(kernels: Kernels) -> None:
    here, elsewhere = np.zeros(2, np.int32), np.zeros(2, np.int32)
    before = np.zeros(1, np.int32)
    kernels("set_launches", 7, before)
    kernels("twins_here", here)
    kernels("twins_elsewhere", elsewhere)
    assert here.tolist() == [1007, 1008]
    assert 2500 <= elsewhere[0] < 3000
    assert elsewhere[1] == 2 * elsewhere[0]


@pytest.mark.parametrize("calls", [1, 3])
def test_variable_when_kernels_count_in_it(kernels: Kernels, calls: int) -> None:
    before = np.zeros(1, np.int32)
    kernels("set_launches", 100, before)
    result = np.zeros(2, np.int32)
    for _ in range(calls):
        kernels("twins_here", result)
    kernels("set_launches", 0, before)
    assert result[0] == 1000 + 100 + calls - 1
    assert before[0] == 100 + calls


def test_variables_when_written_at_an_offset(kernels: Kernels) -> None:
    given = np.arange(1, 13, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    kernels("corners", given, sums)
    assert np.array_equal(sums, given.reshape(4, 3) @ [1, 10, 100])


def test_table_when_read_by_its_address(kernels: Kernels) -> None:
    by_kernel, by_address = np.zeros(10, np.int32), np.zeros(10, np.int32)
    size = np.zeros(1, np.int64)
    kernels("digits", by_kernel, by_address, size)
    assert by_kernel.tolist() == by_address.tolist() == [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    assert size[0] == 40
