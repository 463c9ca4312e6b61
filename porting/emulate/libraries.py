"""The emulator's libraries, built once from their sources by the compiler that is here.

The core is one library.  Each vendor's front needs that vendor's headers, so it is built when its
platform is asked for.
"""

import fcntl
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from time import time_ns

from porting.emulate import unimplemented
from porting.emulate.cache_limit import in_use, mark_used
from porting.emulate.frontend import MACHINE
from porting.emulate.toolkits import INCLUDE, NATIVE, Headers, Say, compiler, silent
from porting.emulate.unit_cache import dependencies, digest_of_file, merged, place_of
from porting.errors import ToolchainError
from porting.processes import scratch_folder
from porting.toolkits.cachedir import build_once, cache_root
from porting.toolkits.sysroot import hip_library

CORE = "libeclosion_emulator.so.1"
_SECONDS = 600
_FLAGS = (
    *("-std=c++20", "-O2", "-g", "-fPIC", MACHINE, "-w"),
    *("-fvisibility-inlines-hidden", "-ftls-model=initial-exec"),
)
# Whether a header has changed is asked of its content, not of its time.
_PRECOMPILED = ("-x", "c++-header", "-Xclang", "-fno-pch-timestamp")
# Worker threads live as long as the process, so the code that they run must too.
_LINKED = ("-shared", "-Wl,-z,nodelete", "-Wl,-z,defs", "-Wl,-rpath,$ORIGIN", "-fuse-ld=lld")


@dataclass(frozen=True)
class Library:
    """One of a front's libraries: its name, its sources' pattern, and what it is linked with."""

    soname: str
    sources: tuple[str, ...]
    needs: tuple[str, ...] = (CORE,)
    flags: tuple[str, ...] = ()
    # The version nodes of its symbols: our file, or "" for those measured on real ROCm's.
    versions: str | None = None


FRONTS = {
    "cuda": (
        Library("libcuda.so.1", ("cuda/driver_*.cpp",)),
        Library(
            "libcudart.so.13",
            ("cuda/runtime_*.cpp",),
            (CORE, "libcuda.so.1"),
            versions="cuda/libcudart.map",
        ),
    ),
    "rocm": (
        Library(
            "libamdhip64.so.7", ("hip/*.cpp",), flags=("-D__HIP_PLATFORM_AMD__=1",), versions=""
        ),
    ),
}


def build(headers: Headers, say: Say = silent) -> Path:
    """Return the folder of the emulator's libraries for a platform, built unless it is there.

    `say` is told once, before the first of the sources that is compiled.
    """
    with in_use():
        folder = _built(headers, say)
        mark_used(folder)
    return folder


def _built(headers: Headers, say: Say) -> Path:
    tell = _once(say, f"building the emulator for {headers.platform}, which is kept")
    core = Library(CORE, ("core/*.cpp", "core/*.S"), ())
    with _one_at_a_time():
        made = {
            library: _objects(library, headers, tell)
            for library in (core, *FRONTS[headers.platform])
        }
    digests = {str(path): digest_of_file(str(path)) for paths in made.values() for path in paths}
    own = (__file__, unimplemented.__file__, *map(str, NATIVE.rglob("*.map")))
    real = (_vendors_own(library, headers) for library in FRONTS[headers.platform])
    own += tuple(str(path) for path in real if path)
    own += (hip_library.__file__, *(str(path) for path in _declaring(headers)))
    digests |= {path: digest_of_file(path) for path in own} | {"compiler": compiler().text}
    folder = cache_root() / "emulate" / "libraries" / f"{headers.platform}-{merged(digests)[:16]}"

    def link(place: Path) -> None:
        for library, objects in made.items():
            _link(place, library, objects, headers)

    return build_once(folder, link)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let other processes wait, which would compile the same; the kernel ends a dead one's turn."""
    place = cache_root() / "emulate" / ".objects.lock"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _once(say: Say, text: str) -> Callable[[], None]:
    """Return what says a text the first time that it is called, by any thread."""
    left = [text]

    def tell() -> None:
        with suppress(IndexError):
            say(left.pop())

    return tell


def _objects(library: Library, headers: Headers, tell: Callable[[], None]) -> list[Path]:
    sources = sorted(path for pattern in library.sources for path in NATIVE.glob(pattern))
    folder = sources[0].parent
    flags = ["-iquote", str(NATIVE / "core"), "-iquote", str(folder), "-I", str(INCLUDE)]
    if library.soname != CORE:
        flags += ["-isystem", str(headers.include), *library.flags]
    # Half of the time would go into the standard library's headers and the vendor's.
    precompiled = _made(folder / "precompiled.h", [*flags, *_PRECOMPILED], tell)
    known = ["-include-pch", str(precompiled)]

    def compiled(source: Path) -> Path:
        return _made(source, [*flags, *(known if _may_know(source) else ()), "-c"], tell)

    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        return list(pool.map(compiled, sources))


def _may_know(source: Path) -> bool:
    """Whether headers may be parsed before a source: C++ that sets no macro for them."""
    before, found, _ = source.read_text().partition("#include")
    return source.suffix == ".cpp" and bool(found) and "#define" not in before


def _made(source: Path, flags: Sequence[str], tell: Callable[[], None]) -> Path:
    """Return what the compiler makes of a source, now or before."""
    command = [str(compiler().path), *_FLAGS, *flags, str(source)]
    place = place_of([compiler().text, *command], source.stem, "")
    if not place.is_valid():
        tell()
        begun = time_ns()
        with scratch_folder("porting-emulate-") as scratch:
            read = scratch / "read.d"
            made = place.object.with_name(f".{scratch.name}.o")
            _run([*command, "-MD", "-MF", str(read), "-o", str(made)])
            place.keep(made, dependencies(read), begun)
    mark_used(place.object)
    return place.object


def _link(folder: Path, library: Library, objects: Sequence[Path], headers: Headers) -> None:
    output = folder / library.soname
    command = [str(compiler().path), *_LINKED, f"-Wl,-soname,{library.soname}", "-o", str(output)]
    with scratch_folder("porting-emulate-") as scratch:
        if library.soname != CORE:
            command += _rest(scratch, library, objects, headers)
        command += [*map(str, objects), f"-L{folder}", *(f"-l:{need}" for need in library.needs)]
        _run([*command, "-lpthread", "-ldl"])


def _declaring(headers: Headers) -> list[Path]:
    """Return the vendor's headers that say what its libraries export."""
    exports = [unimplemented.EXPORTS[library.soname] for library in FRONTS[headers.platform]]
    names = {name for each in exports for name in (*each.headers, each.prototypes) if name}
    return sorted(headers.include / name for name in names)


def _vendors_own(library: Library, headers: Headers) -> Path | None:
    """Return the vendor's library that a front stands for, where the toolkit has it."""
    places = (headers.home / folder / library.soname for folder in ("lib", "lib64"))
    return next((path for path in places if path.is_file()), None)


def _rest(scratch: Path, library: Library, objects: Sequence[Path], headers: Headers) -> list[str]:
    """Return what a front is linked with besides: what it does not emulate, its version nodes."""
    reading = [str(compiler().path), "-x", "c", "-w", "-fPIC", "-O1"]
    reading += ["-isystem", str(headers.include), *unimplemented.EXPORTS[library.soname].flags]
    source, made, script = (scratch / name for name in ("rest.c", "rest.o", "versions.map"))
    unimplemented.write(library.soname, objects, reading, source, _vendors_own(library, headers))
    _run([*reading, "-c", str(source), "-o", str(made)])
    if library.versions is None:
        return [str(made)]
    if library.versions:
        return [str(made), f"-Wl,--version-script={NATIVE / library.versions}"]
    header = _run([*reading, "-E", "-P", "-include", "hip/hip_runtime_api.h", "/dev/null"])
    script.write_text(hip_library.version_script(hip_library.exported(header)))
    return [str(made), f"-Wl,--version-script={script}", "-Wl,--undefined-version"]


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(
            f"the emulator cannot be built: {command[0]} was not done after {_SECONDS} s and was "
            "ended; try again when the machine is less busy"
        ) from error
    if done.returncode:
        message = (
            f"the emulator cannot be built: {done.stderr.strip()[:2000]}; "
            "this is a defect of porting or of its compiler, please report it"
        )
        raise ToolchainError(message)
    return done.stdout
