"""Command lines of nvcc as those of clang for HIP, in a generated build script."""
# The text must run on Python 3.8; its paths are strings, as in the flags they stand in.
# ruff: noqa: PTH100, PTH113, PTH118, PTH120, UP006, UP035

from __future__ import annotations

import os
import re
import sys
from typing import Iterable, Iterator, Tuple

from porting.buildfiles.python.script.platform import compiler, rocm_home
from porting.buildfiles.python.script.tables import (
    ARCHITECTURES,
    CMAKE_SAME,
    COMPAT,
    CUDA_FOLDER,
    CUDA_RELEASE,
    IMPLIED,
    LIBRARIES,
    OPTIONS,
    PLATFORMS,
    SELECTOR,
)

# What kind of value an option of nvcc takes, a pattern of values, and clang's options for them.
Row = Tuple[str, str, Tuple[str, ...]]

_LIBRARY_FOLDER = re.compile(r"(?:/targets/[^/]+)?/lib(?:64)?(?:/stubs)?/?")
_PATH_OPTION = re.compile(r"(-L|-I|-isystem=?|-Wl,(?:-rpath|--rpath|-R)[,=])?(.+)", re.DOTALL)
_STOPS_BEFORE_LINKING = frozenset(("-c", "-E", "-S", "-M", "-MM", "-dc", "--compile", "-ptx"))
_ASKS_FOR_VERSION = frozenset(("-V", "--version"))


def rocm_command(words: list[str]) -> list[str]:
    """Return a command line of nvcc as one of clang for HIP; the first word is nvcc.

    Where the version of nvcc is asked for, the command prints the CUDA release HIP stands in for.
    """
    arguments = words[1:]
    if _ASKS_FOR_VERSION.intersection(arguments):
        answer = f"release {CUDA_RELEASE}, V{CUDA_RELEASE}.0 (what HIP stands in for)"
        return [sys.executable, "-c", f"print('Cuda compilation tools, {answer}')"]
    line = [*compiler(), "-isystem", os.path.join(rocm_home(), "include"), *header_flags()]
    line += [f"--offload-arch={name}" for name in architectures()]
    if _STOPS_BEFORE_LINKING.isdisjoint(arguments):
        line += [f"-L{library_folder()}", rpath()]
        arguments = [*arguments, "-lamdhip64", *(f"-l{name}" for name in IMPLIED)]
    return [*line, *_name_language(rocm_flags(arguments))]


def rocm_cmake_option(option: str) -> str:
    """Return a definition of CUDA's for CMake as HIP's; what HIP has none of names the platform."""
    name, _, value = option[2:].partition("=")
    name = name.partition(":")[0]
    new = name.replace("CUDA", "HIP")
    if name == "CMAKE_CUDA_ARCHITECTURES":
        return f"-D{new}={';'.join(architectures())}"
    if name.startswith("CMAKE_CUDA_FLAGS"):
        return f"-D{new}={' '.join(rocm_flags(value.split()))}"
    if name in CMAKE_SAME:
        return f"-D{new}={value}"
    clang = os.path.join(rocm_home(), "llvm", "bin", "clang++")
    if name == "CMAKE_CUDA_COMPILER" and os.path.isfile(clang):
        return f"-D{new}={clang}"
    return f"-D{SELECTOR}=rocm"


def library_folder() -> str:
    """Return the folder of ROCm's shared libraries."""
    return os.path.join(rocm_home(), "lib")


def rpath() -> str:
    """Return the option that lets what is linked find ROCm's shared libraries."""
    return f"-Wl,-rpath,{library_folder()}"


def architectures() -> list[str]:
    """Return the architectures to build for: PYTORCH_ROCM_ARCH, else those of the port."""
    said = os.environ.get("PYTORCH_ROCM_ARCH", "").strip()
    return re.split(r"[;,\s]+", said) if said else list(ARCHITECTURES)


def header_flags() -> list[str]:
    """Return the options that give sources HIP under CUDA's names; none where they were ported."""
    if not COMPAT:
        return []
    folder = os.path.dirname(os.path.abspath(__file__))
    header = os.path.join(folder, "cuda_to_hip.h")
    return ["-include", header, "-isystem", os.path.join(folder, "include")]


def rocm_flags(options: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return options of nvcc as clang's: translated, left out, or as they are."""
    return list(_rocm_flags([os.fspath(option) for option in options]))


def _rocm_flags(rest: list[str]) -> Iterator[str]:
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name not in OPTIONS and word[:2] in OPTIONS:
            name, equals, value = word[:2], "joined", word[2:]
        if name in OPTIONS:
            words = [word]
            if not equals and _takes_value(OPTIONS[name], rest):
                value = rest.pop(0)
                words.append(value)
            new = list(_replaced(OPTIONS[name], value, word))
            is_same = OPTIONS[name][0][0] == "joined" and "".join(new) == "".join(words)
            yield from words if is_same else new
        elif word.startswith("-l"):
            yield from (f"-l{library}" for library in LIBRARIES.get(word[2:], (word[2:],)))
        else:
            yield rocm_option(word)


def _takes_value(rows: Iterable[Row], rest: list[str]) -> bool:
    kind = next(iter(rows))[0]
    if not rest or kind == "none":
        return False
    if kind == "optional":
        return any(row[1] and re.fullmatch(row[1], rest[0]) for row in rows)
    return kind != "bool" or rest[0] in ("true", "false")


def _replaced(rows: Iterable[Row], value: str, word: str) -> Iterator[str]:
    """Yield what stands for an option: by the first row whose pattern the value matches."""
    kind = next(iter(rows))[0]
    for part in value.split(",") if kind in ("list", "host") else (value,):
        if kind == "host":
            yield rocm_option(part.strip("'\""))
            continue
        row = next((row for row in rows if not row[1] or re.fullmatch(row[1], part)), None)
        if row is None:
            yield word
            continue
        match = re.fullmatch(row[1], part)
        group = match[1] if match and match.re.groups else ""
        for template in row[2]:
            text = template.replace("{1}", group)
            yield text.replace("{}", part) if part else text.replace("={}", "").replace("{}", "")


def _name_language(words: list[str]) -> list[str]:
    """Name the language of each .cu file, which clang takes for CUDA by itself."""
    if "-x" in words:
        return words
    named: list[str] = []
    for word in words:
        is_source = word.endswith(".cu") and not word.startswith("-")
        named += ["-x", "hip", word, "-x", "none"] if is_source else [word]
    return named


def rocm_option(option: str) -> str:
    """Return an option with the folders of CUDA in it changed to ROCm's."""
    match = _PATH_OPTION.fullmatch(option)
    return f"{match[1] or ''}{rocm_path(match[2])}" if match else option


def rocm_path(path: str) -> str:
    """Return a folder or file of CUDA as ROCm's, and any other path as it is."""
    root = rocm_home()
    roots = [root, *filter(None, map(os.environ.get, PLATFORMS["cuda"]["variables"]))]
    below = next((path[len(r) :] for r in roots if path == r or path.startswith(f"{r}/")), None)
    if below is None:
        match = re.match(rf"{CUDA_FOLDER}(?![^/])", path)
        if match is None:
            return path
        below = path[match.end() :]
    return os.path.join(root, "lib") if _LIBRARY_FOLDER.fullmatch(below) else f"{root}{below}"


def rocm_libraries(names: Iterable[str]) -> list[str]:
    """Return names of libraries as ROCm's, each once; what has no counterpart is left out."""
    return unique(library for name in names for library in LIBRARIES.get(name, (name,)))


def unique(items: Iterable[str]) -> list[str]:
    """Return items in order, each once."""
    return list(dict.fromkeys(items))
