"""A ROCm tree for machines without ROCm: AMD's headers and device libraries, from wheels."""

from pathlib import Path

from porting.errors import ToolchainError
from porting.toolkits import clang as _clang
from porting.toolkits.clang import Clang
from porting.toolkits.sysroot.build import (
    NoHeadersError,
    build_tree,
    hip_version,
    recipe_for,
    tree_path,
    wheels_of,
)
from porting.toolkits.sysroot.manifest import Header, Origin, Sysroot, read_manifest
from porting.toolkits.sysroot.recipes import RECIPES
from porting.toolkits.wheels import Say

__all__ = [
    "RECIPES",
    "Header",
    "NoHeadersError",
    "Origin",
    "Sysroot",
    "create",
    "find",
    "installed",
    "recipe_for",
    "wheels_of",
]


def create(rocm: str, clang: Clang | None = None, say: Say = lambda _text: None) -> Sysroot:
    """Return the ROCm tree of a release, built from wheels on the package index unless cached.

    `clang` builds it, by default what `clang.find` finds; `say` gets a line per slow step.
    Raises NoHeadersError for a release that no wheel carries, else ToolchainError.
    """
    recipe = recipe_for(rocm)
    return read_manifest(build_tree(recipe, clang or _clang.find(), say))


def installed(home: Path, rocm: str) -> Sysroot:
    """Return a ROCm installation as a tree; all its headers are AMD's own of that release.

    Raises ToolchainError when it has no hip_version.h.
    """
    header = home / "include/hip/hip_version.h"
    if not header.is_file():
        raise ToolchainError(f"{home} has no include/hip/hip_version.h; it is no ROCm home")
    return Sysroot(home, rocm, hip_version(header), {})


def find(rocm: str, clang: Clang | None = None) -> Sysroot | None:
    """Return the cached tree of a release, or None.  Raises as `create` does."""
    path = tree_path(recipe_for(rocm), clang or _clang.find())
    return read_manifest(path) if path.is_dir() else None
