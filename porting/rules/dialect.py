"""Whether a file is written in HIP already."""

import re
from typing import Final

from porting.rules.unit import Unit

_HIP_HEADER: Final = re.compile(
    r"hip/|hip(?:cub|rand|blas|fft|sparse|solver)|roc(?:prim|rand|blas)"
)
_CUDA_HEADER: Final = re.compile(
    r"cu(?:da|blas|fft|rand|sparse|solver|dnn|b/)|cooperative_groups|mma\.h"
)


def is_hip_source(unit: Unit) -> bool:
    """Whether the file includes HIP's headers and none of CUDA's.

    Its device code was written for AMD's wavefronts, or was ported before.
    """
    live = [header.path for header in unit.headers if header.is_include]
    return any(map(_HIP_HEADER.match, live)) and not any(map(_CUDA_HEADER.match, live))
