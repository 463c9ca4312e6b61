"""Fourier transforms in shared memory on each platform, against NumPy."""

import numpy as np
import pytest

from tests.parity.kernel_cases import Array, random
from tests.parity.kernel_library import Kernels


def transformed(kernels: Kernels, rows: Array, *, inverse: bool) -> Array:
    result = np.zeros_like(rows)
    kernels("fourier", rows, result, *rows.shape, int(inverse))
    return result


def signal(size: int) -> Array:
    parts = random(size).normal(size=(2, size, 2)).astype(np.float32)
    return parts.view(np.complex64)[:, :, 0].copy()


@pytest.mark.parametrize("size", [2, 4, 32, 64, 128, 512])
def test_spectrum_when_signals_are_random(kernels: Kernels, size: int) -> None:
    rows = signal(size)
    expected = np.fft.fft(rows.astype(np.complex128), axis=1)
    found = transformed(kernels, rows, inverse=False)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6 * size)


@pytest.mark.parametrize("size", [8, 256])
def test_signal_when_transformed_back(kernels: Kernels, size: int) -> None:
    rows = signal(size)
    there = transformed(kernels, rows, inverse=False)
    np.testing.assert_allclose(transformed(kernels, there, inverse=True) / size, rows, atol=1e-5)


def test_spectrum_when_the_signal_is_a_tone(kernels: Kernels) -> None:
    tone = np.exp(2j * np.pi * 5 * np.arange(64) / 64).astype(np.complex64)[None]
    found = np.abs(transformed(kernels, tone, inverse=False)[0])
    assert found.argmax() == 5
    assert np.delete(found, 5).max() < 1e-4
