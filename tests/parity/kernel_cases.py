"""What the kernels' tests are given: sizes around those of warps and blocks, narrow floats."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
# None, one, either side of a warp of 32 and of 64, of a block of 128, and several blocks.
SIZES = (0, 1, 31, 32, 33, 63, 64, 65, 128, 129, 1000, 4097)
FEW_SIZES = (1, 33, 64, 129, 1000)


def random(seed: int) -> np.random.Generator:
    """Return the generator of a case, so that a case has the same numbers everywhere."""
    return np.random.default_rng(seed)


@dataclass(frozen=True)
class Floats:
    """A float type of the kernels: how numbers are stored in it, and how exact it is.

    `epsilon`: half the distance from 1 to the next number.
    """

    name: str
    epsilon: float

    def stored(self, values: Array) -> Array:
        """Return the numbers, rounded to the nearest of the type; bfloat16 as its bits."""
        if self.name == "bfloat16":
            return to_bfloat16(values.astype(np.float32))
        return values.astype(self.name)

    def widened(self, stored: Array) -> Array:
        """Return the numbers as doubles."""
        if self.name == "bfloat16":
            return from_bfloat16(stored).astype(np.float64)
        return stored.astype(np.float64)


FLOATS = (Floats("float32", 6e-8), Floats("float16", 4.9e-4), Floats("bfloat16", 3.9e-3))


def to_bfloat16(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """Round to the nearest bfloat16, halves to even; what is no number stays none."""
    bits = values.view(np.uint32)
    rounded = bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)
    kept = np.where(np.isnan(values), 0x7FFF, rounded >> 16)
    return kept.astype(np.uint16)


def from_bfloat16(bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.float32]:
    """Return the numbers of these bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def in_warps(values: Array, wave: int) -> Array:
    """Return the values with a row per warp."""
    return values.reshape(-1, wave)
