"""Which build files below the one that was run took no part: what they build was not built."""

import tomllib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from porting.building.products import Snapshot
from porting.building.systems import PRODUCTS, Build, System, files_below


def unused(build: Build, files: Iterable[str], place: Path, changed: Snapshot) -> tuple[str, ...]:
    """Return the build files of a system that its build did not come to, by what it left behind.

    `files`: those of the tree, relative to `place`.  `changed`: what the build added or replaced.
    """
    below = files_below(build, files)
    return tuple(file for file in below if not _is_used(build, file, place, changed))


def _is_used(build: Build, file: str, place: Path, changed: Snapshot) -> bool:
    products = place / build.folder / PRODUCTS
    inside = PurePosixPath(file).parent.relative_to(build.folder)
    if build.system is System.CMAKE:
        return (products / inside / "cmake_install.cmake").is_file()
    if build.system is System.MESON:
        return (products / inside).is_dir()
    if build.system is System.MAKE:
        folder = (place / file).parent
        return any(path.is_relative_to(folder) for path in changed)
    if build.system is System.CARGO:
        return _is_crate_built(place / file, products)
    return False  # a setup.py runs alone


def _is_crate_built(manifest: Path, products: Path) -> bool:
    """Whether cargo compiled a crate; a manifest of a workspace alone has none."""
    name = _crate(manifest)
    return not name or any(products.glob(f"*/.fingerprint/{name}-*"))


def _crate(manifest: Path) -> str:
    try:
        return str(tomllib.loads(manifest.read_text())["package"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
