"""What the emulator is built and compiled with: clang, LLVM's tools, a vendor's headers."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from porting.building.toolset import find
from porting.config import Target
from porting.errors import ToolchainError
from porting.toolkits import clang as clangs
from porting.toolkits.clang import Clang

INCLUDE = Path(__file__).with_name("include")
NATIVE = Path(__file__).with_name("native")
Say = Callable[[str], None]


def silent(_: str) -> None:
    """Tell nobody of a slow step."""


# The headers of this folder stand before the vendors' of the same names.
_NAMES = {"cuda": "cuda", "rocm": "hip"}


@dataclass(frozen=True)
class Headers:
    """A platform's API headers: where they are and the release that they are of."""

    platform: str
    home: Path
    release: str

    @property
    def include(self) -> Path:
        """The vendor's own headers."""
        return self.home / "include"

    @property
    def device(self) -> Path:
        """Our headers under the vendor's names."""
        return INCLUDE / _NAMES[self.platform]


def headers(platform: str, say: Say) -> Headers:
    """Return the headers of a platform: of what is installed, else of a tree from wheels."""
    found = find(platform, Target(), say, os.environ)
    return Headers(platform, found.home, found.release)


def compiler() -> Clang:
    """Return the clang that compiles kernels for the processor."""
    return clangs.find()


def tool(clang: Clang, name: str) -> Path:
    """Return a tool of LLVM, of the compiler's release.  Raises ToolchainError without it."""
    found = clang.tool(name)
    if found is None:
        message = (
            f"{name} of LLVM {clang.major} is missing, which makes kernels into a library; "
            f"install llvm-{clang.major}"
        )
        raise ToolchainError(message)
    return found
