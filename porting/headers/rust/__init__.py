"""Rust: the crates of a tree, what they use of CUDA, and the files that give it over HIP."""

from porting.headers.rust.codes import CODES
from porting.headers.rust.crates import CFG
from porting.headers.rust.reading import rust_sources
from porting.headers.rust.shim import BUILD, MODULE, SYMBOLS, Needs, Shim, check, concerns, generate
from porting.headers.rust.style import Bindings

__all__ = [
    "BUILD",
    "CFG",
    "CODES",
    "MODULE",
    "SYMBOLS",
    "Bindings",
    "Needs",
    "Shim",
    "check",
    "concerns",
    "generate",
    "rust_sources",
]
