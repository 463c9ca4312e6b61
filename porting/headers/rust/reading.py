"""Read the Rust sources and the manifests of a tree."""

from pathlib import Path

from porting.headers.rust.shim import concerns
from porting.source import SourceFile
from porting.tree import Kind, Tree

_LARGEST = 4 << 20  # bindgen's text for all of CUDA is a fifth of it


def rust_sources(tree: Tree) -> tuple[SourceFile, ...]:
    """Return what `generate` and `check` look at; a file that vanished meanwhile is left out."""
    found = []
    for entry in tree.entries:
        if entry.kind is Kind.FILE and concerns(entry.path):
            data = _read(tree.root / entry.path)
            if data is not None:
                found.append(SourceFile(entry.path, data))
    return tuple(source for source in found if not source.is_binary)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.stat().st_size <= _LARGEST else None
    except OSError:
        return None
