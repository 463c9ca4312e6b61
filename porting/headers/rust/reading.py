"""Read the Rust sources and the manifests of a tree."""

from porting.headers.rust.shim import concerns
from porting.source import SourceFile
from porting.tree import Tree

_LARGEST = 4 << 20  # bindgen's text for all of CUDA is a fifth of it


def rust_sources(tree: Tree) -> tuple[SourceFile, ...]:
    """Return what `generate` and `check` look at."""
    return tree.read_others(concerns, _LARGEST)
