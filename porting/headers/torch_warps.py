"""Where code of a compat tree mixes PyTorch's wavefronts with the header's warps of 32 lanes."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.headers.codes import TORCH_WARPS
from porting.headers.includes import OLD_VOTES
from porting.headers.uses import Uses
from porting.rules import Unit
from porting.rules.torch_headers import rocm_header

_OF_TORCH: Final = (
    *("C10_WARP_SIZE", "at_warp_size", "WARP_BALLOT"),
    *("WARP_SHFL", "WARP_SHFL_UP", "WARP_SHFL_DOWN", "WARP_SHFL_XOR"),
)
_OF_CUDA: Final = re.compile(
    r"warpSize|__activemask|__(?:shfl|ballot|any|all|match|reduce)\w*_sync"
    rf"|{'|'.join(sorted(OLD_VOTES))}"
)
_TORCH_FOLDERS: Final = ("torch/", "ATen/", "c10/", "THC/")


def torch_warps(unit: Unit, uses: Uses) -> Iterator[Diagnostic]:
    """Yield where a file uses PyTorch's warps, when the tree uses CUDA's too.

    `uses`: of the whole tree, as code is called across files.
    """
    mixed = next((name for name in uses.names if _OF_CUDA.fullmatch(name)), None)
    includes = any(h.path.startswith(_TORCH_FOLDERS) for h in unit.headers)
    if mixed is None or not (includes or any(map(rocm_header, uses.headers))):
        return
    for name in _OF_TORCH:
        places = unit.where(name)
        if any(unit.tokens[number - 1].text == "define" for number in places):
            continue  # the file's own
        for number in places:
            yield unit.diagnose(
                TORCH_WARPS,
                unit.tokens[number],
                f"{name} counts in wavefronts, and {mixed} of the compat header in 32 lanes",
                help=f"use {mixed} and the functions of CUDA's everywhere, or PyTorch's alone;"
                " or port with --mode rename",
                symbol=name,
            )
