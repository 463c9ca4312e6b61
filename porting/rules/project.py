"""Facts about the whole input tree that one file cannot know, and how they are collected."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from porting.rules.own_functions import OwnFunctions
from porting.rules.pasting import Paste


@dataclass(frozen=True)
class Project:
    """What the rules know about the tree around a file.

    `declared`: names that some file of the tree declares itself and that only look like CUDA's.
    `files`: every path of the tree, relative and posix.  `renamed`: input path -> output path
    where they differ.  `platform_macros`: macros, besides the known ones, that the project defines
    in ROCm builds.  `runtime_headers`: headers of the tree that bring the GPU runtime's header.
    `bare_headers`: those that use the runtime and rely on their includer for it.
    `c_headers`: C headers that .cu files had from nvcc and need, by their paths.
    `looks_up_symbols`: some file finds functions by their names at run time.  `pastes`: names that
    macros join from pieces.  `handle_members`, `handle_functions`: members and functions of headers
    that hold or return an integer handle, and their CUDA type.  `counts_in_32`: some file writes a
    warp's 32 lanes as a number.  `asks_warp_size`: some file's device code asks warpSize.
    `lane_masks`: functions and macros whose value is a lane mask, in a tree that asks warpSize and
    does not count in 32.  `met_by_masks`: names that lane masks are combined with there.
    `calculating_macros`: macros that calculate with parameters of these numbers.
    `own_functions`: functions of the tree's classes and namespaces that are named like CUDA's.
    `uses_bfloat16`: some file names CUDA's bfloat16.  `bfloat_aliases`: other names that the tree
    has for it and for the pair, and their CUDA type.
    `redirected`: HIP names that some file defines as macros for functions of the tree.
    `defines`: macros that the build defines for every unit, as NAME or NAME=VALUE.
    `include_dirs`: folders in which the compiler looks for headers, in that order, where known.
    """

    declared: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    platform_macros: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    runtime_headers: frozenset[str] = frozenset()
    bare_headers: frozenset[str] = frozenset()
    c_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    looks_up_symbols: bool = False
    pastes: tuple[Paste, ...] = ()
    handle_members: Mapping[str, str] = field(default_factory=dict)
    handle_functions: Mapping[str, str] = field(default_factory=dict)
    counts_in_32: bool = False
    asks_warp_size: bool = False
    lane_masks: frozenset[str] = frozenset()
    met_by_masks: frozenset[str] = frozenset()
    calculating_macros: Mapping[str, frozenset[int]] = field(default_factory=dict)
    own_functions: OwnFunctions = field(default_factory=OwnFunctions)
    uses_bfloat16: bool = False
    bfloat_aliases: Mapping[str, str] = field(default_factory=dict)
    redirected: frozenset[str] = frozenset()
    include_dirs: tuple[str, ...] = ()

    @cached_property
    def renamed_names(self) -> frozenset[str]:
        """The file names of what gets another path."""
        return frozenset(map(posixpath.basename, self.renamed))

    @cached_property
    def _by_basename(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def beside(self, includer: str, header: str) -> str | None:
        """Return the tree's file that `#include "header"` finds from its own folder, or None."""
        folder, slash, _ = includer.rpartition("/")
        path = header if header.startswith("/") else _normal(f"{folder}{slash}{header}")
        return path if path in self.files else None

    def by_suffix(self, header: str) -> str | None:
        """Return the tree's file that some include folder would give for `header`, or None."""
        for folder in self.include_dirs:
            path = _normal(f"./{folder}/{header}")
            if path in self.files:
                return path
        wanted = _normal(header)
        for path in self._by_basename.get(wanted[wanted.rfind("/") + 1 :], ()):
            if path == wanted or path.endswith("/" + wanted):
                return path
        return None


def _normal(path: str) -> str:
    """Return a path without `.`, `..` and empty parts; nearly all have none."""
    return posixpath.normpath(path) if "./" in path or "//" in path else path
