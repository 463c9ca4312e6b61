"""Libraries that a ROCm build links although the CUDA build names none for them."""

from porting.buildfiles.libraries import library
from porting.buildfiles.model import BuildContext

# What a source includes for a library of CUDA's that is all headers -> that library.
_HEADERS = {"nvtx3/": "nvtx3", "nvToolsExt.h": "nvtx3"}


def implied_libraries(context: BuildContext) -> tuple[str, ...]:
    """Return the names for -l that the tree's sources ask for by what they include."""
    wanted = {name for text, name in _HEADERS.items() if context.mentions(text)}
    found = (library(name) for name in sorted(wanted))
    return tuple(name for row in found if row is not None for name in row.link)
