"""A ROCm tree for machines without ROCm: AMD's headers and device libraries, from wheels."""

from porting.toolkits import clang as _clang
from porting.toolkits.sysroot.build import NoHeadersError, build_tree, recipe_for, tree_path
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
    "recipe_for",
]


def create(rocm: str = "7.1", clang: str = "", say: Say = lambda _text: None) -> Sysroot:
    """Return the ROCm tree of a release, built from wheels on the package index unless cached.

    `clang` names the compiler to build with, as in `clang.find`; `say` gets a line per slow step.
    Raises NoHeadersError for a release that no wheel carries, else ToolchainError.
    """
    recipe = recipe_for(rocm)
    return read_manifest(build_tree(recipe, _clang.find(clang), say))


def find(rocm: str = "7.1", clang: str = "") -> Sysroot | None:
    """Return the cached tree of a release, or None.  Raises as `create` does."""
    path = tree_path(recipe_for(rocm), _clang.find(clang))
    return read_manifest(path) if path.is_dir() else None
