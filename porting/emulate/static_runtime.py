"""Programs that carry CUDA's runtime in themselves: no library of ours can take its place."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from porting.elf import ElfError, ElfFile, read_binary
from porting.errors import UsageError
from porting.link.follows import WANTED, has_static_cudart
from porting.link.libraries import vendor_file


def check(program: Path, environment: Mapping[str, str]) -> None:
    """Raise UsageError when a program, or a library of its own that it loads, has a static cudart.

    What is no ELF file, such as a script, is not looked into; nor are libraries of the system's or
    a vendor's.
    """
    seen: set[Path] = set()
    waiting = [program]
    while waiting:
        path = waiting.pop().resolve()
        if path in seen:
            continue
        seen.add(path)
        for file in _files(path):
            if has_static_cudart(file):
                raise UsageError(_refusal(path))
            waiting += _own_libraries(path, file, environment)


def _refusal(path: Path) -> str:
    return (
        f"{path} has CUDA's runtime linked in, which drives the GPU by itself and cannot be "
        "emulated; link it with -cudart shared (CMake: set CMAKE_CUDA_RUNTIME_LIBRARY to Shared "
        "and link CUDA::cudart)"
    )


def _files(path: Path) -> tuple[ElfFile, ...]:
    try:
        return tuple(read_binary(path, WANTED).members)
    except (ElfError, OSError):
        return ()


def _own_libraries(path: Path, file: ElfFile, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the libraries that a file needs and that lie in its run path or LD_LIBRARY_PATH."""
    run_path = file.runpath or file.rpath or ()
    folders = [*run_path, *environment.get("LD_LIBRARY_PATH", "").split(":")]
    for name in (name for name in file.needed if vendor_file(name) is None):
        for folder in filter(None, folders):
            own = folder.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", str(path.parent))
            found = Path(os.path.normpath(own)) / name
            if found.is_file():
                yield found
                break
