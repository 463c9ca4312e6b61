"""What stands for NVIDIA's files, tools, libraries and variables on an AMD machine."""

import re
from dataclasses import dataclass

from porting.buildfiles.vendor_paths.codes import (
    VENDOR_FILE,
    VENDOR_LIBRARY,
    VENDOR_TOOL,
    VENDOR_VARIABLE,
)
from porting.diagnostics import Code
from porting.rules.strings import machine
from porting.rules.strings.machine import FILES, PROGRAMS
from porting.rules.strings.sonames import ANY_NAME, DROP_INS, NO_DROP_INS

ROCM = re.compile(
    r"(?i)rocm|\bamd|(?:^|[^a-z])hip(?:[^a-z]|cc|_|$)|/dev/kfd|/dev/dri|\bkfd\b|radeon|gfx\d|\brccl"
)
_FILE = re.compile(rf"({machine.FILE.pattern})\S*")
_LIBRARY = re.compile(rf"(?<![\w-])lib({ANY_NAME})(?:\.so(?:\.[\d.]+)?|\.dylib)?(?![\w-])")


@dataclass(frozen=True)
class Found:
    """What a text has of NVIDIA's: the kind, the word, and what to do about it."""

    code: Code
    word: str
    message: str
    help: str


def file_in(text: str) -> Found | None:
    """Return the first path of NVIDIA's in a text."""
    match = _FILE.search(text)
    if match is None:
        return None
    word = match[0].rstrip("'\"),;]}")
    message = f"{word} exists only where NVIDIA's software is installed"
    return Found(VENDOR_FILE, word, message, f"on an AMD machine look at {FILES[match[1]]}")


def tool(word: str) -> Found | None:
    """Return what to say of a program that is run, by its name or path."""
    name = word.rpartition("/")[2]
    if name not in PROGRAMS:
        return None
    message = f"{name} is run, which a ROCm machine does not have"
    return Found(VENDOR_TOOL, name, message, f"use {PROGRAMS[name]} there")


def library_in(text: str) -> Found | None:
    """Return the first library of CUDA's that a text names by its file."""
    match = _LIBRARY.search(text)
    if match is None:
        return None
    file, name = match[0], match[1]
    if name not in DROP_INS:
        message = f"{file} is a library of NVIDIA's, and ROCm has none with its functions"
        return Found(VENDOR_LIBRARY, file, message, NO_DROP_INS[name])
    message = f"{file} is a library of CUDA's, and ROCm's is lib{DROP_INS[name].rocm.name}.so"
    return Found(VENDOR_LIBRARY, file, message, "choose the name by the platform")


def variable(name: str) -> Found | None:
    """Return what to say of an environment variable."""
    known = machine.variable(name)
    if known is None:
        return None
    return Found(VENDOR_VARIABLE, name, f"{name}: {known.advice}", "")
