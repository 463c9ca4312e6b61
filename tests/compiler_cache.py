"""Unchanged sources are compiled once for all builds of a checkout: nanobind's, above all."""

import shutil
from pathlib import Path

_CACHE = Path(__file__).resolve().parents[1] / "build" / "ccache"


def settings() -> dict[str, str]:
    """Return the variables that let CMake's builds of C++ use ccache, none where it is missing."""
    if shutil.which("ccache") is None:
        return {}
    return {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DIR": str(_CACHE)}
