"""printf in kernels on each platform: what arrives at the process's output."""

import numpy as np
import pytest

from tests.parity.kernel_library import Kernels


@pytest.mark.parametrize(("count", "threads"), [(1, 1), (10, 4), (70, 64)])
def test_lines_when_threads_print(
    kernels: Kernels, capfd: pytest.CaptureFixture[str], count: int, threads: int
) -> None:
    values = np.linspace(-2, 3, count)
    capfd.readouterr()
    kernels("print", values, count, threads)
    expected = [
        f"block {i // threads} thread {i % threads}: {value:.3f} {'odd' if i % 2 else 'even'} "
        f"{chr(ord('a') + i % 26)} {i:5d}|{i:<4d}|{i:04x} {1 << (32 + i % 8)} {value * 1e10:g} %"
        for i, value in enumerate(values.tolist())
    ]
    assert sorted(capfd.readouterr().out.splitlines()) == sorted(expected)


def test_result_when_a_thread_prints(kernels: Kernels, capfd: pytest.CaptureFixture[str]) -> None:
    result = np.zeros(1, np.int32)
    capfd.readouterr()
    kernels("print_result", result)
    assert capfd.readouterr().out == "1 and 2\n"
    # CUDA counts arguments (Programming Guide, formatted output), HIP characters as C does.
    assert result[0] == {"cuda": 2, "rocm": 8}[kernels.cell.platform]
