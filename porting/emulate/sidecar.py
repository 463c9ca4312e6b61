"""A sidecar library: the device code of a program's units, compiled for the processor."""

import hashlib
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from time import time_ns

from porting.emulate.alignment import with_checks
from porting.emulate.cache_limit import mark_used
from porting.emulate.frontend import (
    Platform,
    calling_command,
    making_command,
    optimising_command,
    reading_command,
)
from porting.emulate.kernel_entries import with_entries
from porting.emulate.ptx import with_ptx
from porting.emulate.toolkits import Say, compiler, silent, tool
from porting.emulate.unit_cache import dependencies, own_digest, place_of
from porting.emulate.units import Unit
from porting.errors import InputError
from porting.processes import scratch_folder
from porting.toolkits.clang import Clang

_SECONDS = 600
_UNDEFINED = "__emutls_v."
# The compiler's support library has a function of the first name, for threads of the host.
_SHARED = "__emutls_get_address=eclosion_shared_address"


def objects_of(units: Sequence[Unit], platform: Platform, say: Say = silent) -> list[Path]:
    """Return the object of each unit, compiled now or before; `say` is told of what takes time.

    Raises InputError with the compiler's words for one whose device code cannot be compiled.
    """
    clang = compiler()
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        return list(pool.map(lambda unit: _object(clang, unit, platform, say), units))


def link(
    units: Sequence[Unit],
    objects: Sequence[Path],
    platform: Platform,
    libraries: Path,
    output: Path,
) -> None:
    """Write the sidecar of units to `output`, of the objects in their order.

    `libraries`: the folder of the emulator's libraries.  Raises InputError with the linker's words.
    """
    clang = compiler()
    with scratch_folder("porting-emulate-") as scratch:
        table = scratch / "table.c"
        table.write_text(_table(units, objects, platform, clang))
        command = [str(clang.path), "-shared", "-fPIC", "-w", "-o", str(output)]
        command += ["-x", "c", str(table), "-x", "none", *map(str, objects)]
        command += ["-fuse-ld=lld", f"-L{libraries}", "-l:libeclosion_emulator.so.1", "-lm"]
        command += ["-Wl,-z,defs", "-Wl,--build-id"]
        _run(command, f"the sidecar of {len(units)} units")


def _object(clang: Clang, unit: Unit, platform: Platform, say: Say) -> Path:
    """Return the object of a unit, compiled now or before."""
    asked = reading_command(clang, unit, platform, Path("unit.ll"))
    place = place_of([clang.text, str(unit.folder), *asked], unit.source.stem, own_digest())
    if not place.is_valid():
        say(f"compiling the kernels of {unit.source}")
        begun = time_ns()
        with scratch_folder("porting-emulate-") as scratch:
            code = scratch / "unit.ll"
            _run(reading_command(clang, unit, platform, code), str(unit.source), unit.folder)
            made = place.object.with_name(f".{scratch.name}.o")
            _make(clang, unit, code, made)
            place.keep(made, dependencies(Path(f"{code}.d")), begun)
    mark_used(place.object)
    return place.object


def _make(clang: Clang, unit: Unit, code: Path, made: Path) -> None:
    """Make the object of a unit's code: with entries for its kernels, and names of its own."""
    name, what = unit_name(unit), str(unit.source)
    read = code.read_text()
    text = with_entries(with_ptx(read) if unit.language == "cuda" else read, name, what)
    entries = code.with_name("entries.ll")
    bound = entries
    if unit.is_relocatable:
        entries.write_text(text)
    else:
        # Units that are no relocatable device code do not share names.
        entries.write_text(
            text.replace("= externally_initialized", "= internal externally_initialized")
        )
        bound = code.with_name("bound.bc")
        passes = ("-passes=internalize,globaldce", f"-internalize-public-api-list={name}")
        _run([str(tool(clang, "opt")), *passes, str(entries), "-o", str(bound)], what)
    optimised, checked, called = (code.with_name(n) for n in ("fast.ll", "checked.ll", "calls.bc"))
    _run(optimising_command(clang, bound, optimised), what)
    checked.write_text(with_checks(optimised.read_text()))
    _run(calling_command(clang, checked, called), what)
    _run(making_command(clang, called, made), what)
    _run([str(tool(clang, "llvm-objcopy")), f"--redefine-sym={_SHARED}", str(made)], what)


def unit_name(unit: Unit) -> str:
    """Return the symbol of a unit's table."""
    read = "\n".join([str(unit.source), *unit.flags])
    return "eclosion_unit_" + hashlib.sha256(read.encode()).hexdigest()[:16]


def _table(units: Sequence[Unit], objects: Sequence[Path], platform: Platform, clang: Clang) -> str:
    """Return the C source of the sidecar's table, and of arrays whose size a launch gives."""
    names = [unit_name(unit) for unit in units]
    lines = ["#include <stdint.h>", "#include <stddef.h>"]
    lines += [f"extern const char {name}[];" for name in names]
    listed = ", ".join(names) or "NULL"
    lines.append(f"static const void* const units[] = {{{listed}}};")
    lines.append("struct record { uint64_t abi, wave; const void* const* units; uint64_t count; };")
    lines.append(
        f"const struct record eclosion_sidecar = {{1, {platform.wave}, units, {len(names)}}};"
    )
    lines.append("struct shared { size_t size, alignment; uintptr_t number; void* initial; };")
    for number, symbol in enumerate(sorted(_dynamic_arrays(objects, clang))):
        lines.append(
            f'struct shared dynamic_{number} __asm__("{symbol}") = {{0, 16, UINTPTR_MAX, NULL}};'
        )
    return "\n".join(lines) + "\n"


def _dynamic_arrays(objects: Sequence[Path], clang: Clang) -> set[str]:
    """Return the variables of blocks that no unit defines: `extern __shared__` arrays."""
    if not objects:
        return set()
    command = [str(tool(clang, "llvm-nm")), "--format=posix", *map(str, objects)]
    wanted: set[str] = set()
    defined: set[str] = set()
    for line in _run(command, "the objects").splitlines():
        name, _, rest = line.partition(" ")
        if name.startswith(_UNDEFINED):
            (wanted if rest.startswith("U") else defined).add(name)
    return wanted - defined


def _run(command: Sequence[str], what: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"device code of {what}: {Path(command[0]).name} was not done after {_SECONDS} s and "
            "was ended; make the unit smaller, or the machine less busy"
        ) from error
    if done.returncode:
        said = done.stderr.strip() or f"{command[0]} ended with {done.returncode}"
        raise InputError(f"device code of {what} cannot be compiled for the processor:\n{said}")
    return done.stdout
