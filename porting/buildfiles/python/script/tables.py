"""The tables of a generated build script: what every script needs, and the modules' own defaults.

`generate` writes each name as a literal; those that depend on a tree and its target it replaces.
"""

from dataclasses import asdict
from typing import Any

from porting.buildfiles.cmake.versions import LEVEL
from porting.buildfiles.cmake_variables import SAME_FOR_HIP
from porting.buildfiles.flags import Rule, rules
from porting.buildfiles.libraries import link_names
from porting.config import DEFAULT_ARCHS
from porting.rules.strings import machine
from porting.toolkits import platforms

SELECTOR = platforms.SELECTOR
CHOICES = platforms.CHOICES
UNKNOWN_CHOICE = platforms.UNKNOWN_CHOICE
BOTH_FOUND = platforms.BOTH_FOUND
NOT_FOUND = platforms.NOT_FOUND
TOO_OLD = platforms.TOO_OLD
NO_FOLDER = platforms.NO_FOLDER
INCOMPLETE = platforms.INCOMPLETE
SAYS = platforms.SAYS
NO_END = platforms.NO_END
NO_ANSWER = platforms.NO_ANSWER
NO_WORDS = platforms.NO_WORDS
MOST_WORDS = platforms.MOST_WORDS
NO_HOME_THERE = platforms.NO_HOME_THERE
SILENT = platforms.SILENT
SILENT_HELP = platforms.SILENT_HELP
# The detection rule's places: variables, compiler on PATH, defaults; then what makes one usable.
PLATFORMS: dict[str, dict[str, Any]] = {p.name: asdict(p) for p in platforms.PLATFORMS}

# CUDA's folder where a script names it itself.
CUDA_FOLDER = machine.CUDA_FOLDER

# Sources of the tree stay CUDA's, and a ROCm build gives them HIP under CUDA's names.
COMPAT = False
ARCHITECTURES = DEFAULT_ARCHS
# The release whose interface HIP covers; scripts that ask for a minimum of CUDA go on.
CUDA_RELEASE = LEVEL

# Definitions for CMake that mean the same for HIP.
CMAKE_SAME = tuple(f"CMAKE_CUDA_{name}" for name in SAME_FOR_HIP)

# Files that scripts look for to see that CUDA is there, and those that say so of ROCm's folder.
RUNTIME_FILES = {
    "cuda.h": "include/hip/hip_runtime.h",
    "cuda_runtime.h": "include/hip/hip_runtime.h",
    "cuda_runtime_api.h": "include/hip/hip_runtime_api.h",
    "libcudart.so": "lib/libamdhip64.so",
    "libcudart_static.a": "lib/libamdhip64.so",
    "libcuda.so": "lib/libamdhip64.so",
}

# Libraries of ROCm's that sources need where CUDA's are all headers.
IMPLIED: tuple[str, ...] = ()

Rows = tuple[tuple[str, str, tuple[str, ...]], ...]


def rows_of(found: tuple[Rule, ...]) -> Rows:
    """Return the rules of one option as the script's rows: kind of value, pattern, replacements."""
    return tuple((_kind(rule), rule.when.pattern if rule.when else "", rule.to) for rule in found)


def _kind(rule: Rule) -> str:
    return "host" if rule.action == "unwrap" else rule.value


def options() -> dict[str, Rows]:
    """Return every option of nvcc that clang spells differently or does not take."""
    by_name: dict[str, list[Rule]] = {}
    for rule in rules():
        for name in rule.names:
            by_name.setdefault(name, []).append(rule)
    return {
        name: rows_of(tuple(found))
        for name, found in by_name.items()
        if name != "-l" and not all(_is_kept(name, rule) for rule in found)
    }


def _is_kept(name: str, rule: Rule) -> bool:
    """Whether clang takes an option in each form that nvcc takes it."""
    form = {"none": (name,), "one": (name, "{}"), "joined": (f"{name}{{}}",)}
    return rule.action == "keep" and rule.to == form.get(rule.value)


LIBRARIES: dict[str, tuple[str, ...]] = {
    name: link_names(name)[0] for name in ("cudart", "cudart_static", "cuda", "cublas")
}
# Each option of nvcc that clang does not take as it is.
OPTIONS: dict[str, Rows] = options()
