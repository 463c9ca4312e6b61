"""Put a CUDA home together from wheels: compiler, headers, static and shared cudart, link stubs."""

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porting.errors import ToolchainError
from porting.toolkits import partial, stub_library, wheels
from porting.toolkits.cachedir import build_once, cache_root
from porting.toolkits.cuda.recipe import (
    DRIVER_LIBRARIES,
    EXCERPTS,
    LIBRARIES,
    RELEASE,
    WHEEL_HOME,
    WHEELS,
)
from porting.toolkits.stub_library import StubLibrary
from porting.toolkits.wheels import Say

SCHEMA_VERSION = 1
_TARGET = "targets/x86_64-linux"
_COMPILERS = ("gcc", "cc")
_PROGRAMS = ("bin/*", "nvvm/bin/*")


@dataclass(frozen=True)
class CudaHome:
    """A CUDA home: what CUDA_HOME is set to, and NVIDIA's release."""

    path: Path
    release: str

    @property
    def nvcc(self) -> Path:
        """The compiler."""
        return self.path / "bin/nvcc"

    @property
    def stubs(self) -> Path:
        """The folder with link stubs of the driver's libraries."""
        return self.path / "lib/stubs"

    def to_json(self) -> dict[str, Any]:
        """Return what `porting sysroot create --platform cuda --format json` prints."""
        return {
            "schema_version": SCHEMA_VERSION,
            "platform": "cuda",
            "path": str(self.path),
            "include": str(self.path / "include"),
            "version": self.release,
            "wheels": [item.pin for item in (*WHEELS, *EXCERPTS)],
        }


def create(say: Say = lambda _text: None) -> CudaHome:
    """Return the CUDA home, built from wheels on the package index unless cached.

    The compiler, the headers, libcudart (static and shared) and libnvvm are NVIDIA's.  The math
    libraries, NCCL and the driver are stubs with the right symbols and SONAMEs, which answer that
    nothing is initialized.  Raises ToolchainError.
    """
    return CudaHome(build_once(_place(), lambda place: _build(place, say)), RELEASE)


def find() -> CudaHome | None:
    """Return the cached CUDA home, or None."""
    return CudaHome(_place(), RELEASE) if _place().is_dir() else None


def is_ours(home: Path) -> bool:
    """Whether a CUDA home is one that `create` made."""
    return home.resolve() == _place().resolve()


def _place() -> Path:
    """Return where the home belongs: the name changes with the recipe and the code."""
    content = hashlib.sha256(repr((WHEELS, EXCERPTS, LIBRARIES, DRIVER_LIBRARIES)).encode())
    toolkits = Path(__file__).parents[1]
    for file in (Path(__file__), *(toolkits / name for name in stub_library.CODE)):
        content.update(file.read_bytes())
    return cache_root() / "sysroot" / f"cuda-{RELEASE}-{content.hexdigest()[:10]}"


def _build(place: Path, say: Say) -> None:
    compiler = _host_compiler()
    for wheel in WHEELS:
        _merge(wheels.fetch(wheel, say) / WHEEL_HOME, place)
    for excerpt in EXCERPTS:
        root = partial.fetch(excerpt, say) / "nvidia"
        for include in sorted(root.glob("*/include")):
            _merge(include, place / "include")
    say(f"building the CUDA {RELEASE} home")
    for pattern in _PROGRAMS:
        for program in filter(Path.is_file, place.glob(pattern)):
            program.chmod(0o755)
    _link_names(place)
    _write_stubs(LIBRARIES, compiler, place, place / "lib")
    (place / "lib/stubs").mkdir()
    _write_stubs(DRIVER_LIBRARIES, compiler, place, place / "lib/stubs")
    version = {"cuda": {"name": "CUDA SDK", "version": RELEASE}}
    (place / "version.json").write_text(json.dumps(version, indent=1) + "\n")


def _host_compiler() -> str:
    """Return the C compiler, which nvcc needs too."""
    for name in _COMPILERS:
        if found := shutil.which(name):
            return found
    raise ToolchainError("no C compiler (gcc or cc) is on PATH, which nvcc needs; install gcc")


def _merge(source: Path, target: Path) -> None:
    """Add a cached folder to the home; as links, since the compiler takes 400 MB."""
    ignore = shutil.ignore_patterns(".*")
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=ignore, copy_function=_link)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def _link_names(place: Path) -> None:
    """Add the names that programs look for: lib64, and each library without its version.

    Meson looks for headers and libraries in the folder of the target alone.
    """
    (place / "lib64").symlink_to("lib")
    target = place / _TARGET
    target.mkdir(parents=True)
    for name in ("include", "lib"):
        (target / name).symlink_to(f"../../{name}")
    for library in sorted((place / "lib").glob("*.so.*")):
        name = library.name.partition(".so.")[0]
        (place / "lib" / f"{name}.so").symlink_to(library.name)


def _write_stubs(
    libraries: Sequence[tuple[StubLibrary, str]], compiler: str, place: Path, folder: Path
) -> None:
    for library, soname in libraries:
        command = (compiler, "-x", "c", "-w", f"-I{place / 'include'}")
        stub_library.write(library, soname, command, folder)
