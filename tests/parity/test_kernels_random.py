"""Counter-based random numbers on each platform, against the generator's own rules."""

import numpy as np
import pytest

from tests.parity.kernel_cases import random
from tests.parity.kernel_library import Kernels

MASK = 0xFFFFFFFF
# Known answers of Philox 4x32-10: counter, key, result (Random123's kat_vectors).
KNOWN = [
    ([0, 0, 0, 0], 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
]


def philox(counter: list[int], key: int) -> list[int]:
    a, b, c, d = counter
    low, high = key & MASK, key >> 32
    for _ in range(10):
        first, second = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = second >> 32 ^ b ^ low, second & MASK, first >> 32 ^ d ^ high, first & MASK
        low, high = (low + 0x9E3779B9) & MASK, (high + 0xBB67AE85) & MASK
    return [a, b, c, d]


def signed(key: int) -> int:
    """Return the key as the signed number with its bits."""
    return key - 2**64 if key >> 63 else key


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_numbers_when_the_answer_is_known(
    kernels: Kernels, counter: list[int], key: int, expected: list[int]
) -> None:
    numbers = np.zeros(4, np.uint32)
    kernels("philox", np.array(counter, np.uint32), signed(key), 1, numbers)
    assert numbers.tolist() == expected


@pytest.mark.parametrize("count", [1, 64, 150])
def test_numbers_when_counters_are_random(kernels: Kernels, count: int) -> None:
    counters = random(count).integers(0, 2**32, (count, 4), dtype=np.uint32)
    key = 0x0123456789ABCDEF
    numbers = np.zeros_like(counters)
    kernels("philox", counters, key, count, numbers)
    assert numbers.tolist() == [philox(row, key) for row in counters.tolist()]


@pytest.mark.parametrize("points", [1, 1000, 5000])
def test_circle_when_points_are_drawn(kernels: Kernels, points: int) -> None:
    inside = np.zeros(1, np.uint64)
    kernels("circle", 77, points, inside)
    drawn = np.array([philox([i, 0, 0, 0], 77)[:2] for i in range(points)], np.uint32)
    at = (drawn >> 8).astype(np.float32) * np.float32(2**-24)
    squares = at[:, 0] * at[:, 0] + at[:, 1] * at[:, 1]
    assert inside[0] == (squares < 1).sum()
    if points == 5000:
        assert 4 * int(inside[0]) / points == pytest.approx(np.pi, abs=0.1)
