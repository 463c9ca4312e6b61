"""Which build systems a tree has, and the commands that build it with each."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from porting.building.toolset import Toolset
from porting.generated import FOLDER


class System(StrEnum):
    """A build system that can be run here."""

    CMAKE = "CMake"
    MAKE = "Make"
    MESON = "Meson"
    SETUPTOOLS = "setuptools"
    CARGO = "Cargo"


_FILES: Mapping[str, System] = {
    "CMakeLists.txt": System.CMAKE,
    "Makefile": System.MAKE,
    "makefile": System.MAKE,
    "GNUmakefile": System.MAKE,
    "meson.build": System.MESON,
    "setup.py": System.SETUPTOOLS,
    "Cargo.toml": System.CARGO,
}
BUILD_FILES = tuple(_FILES)
# What else a build system reads, by the whole name or its end.
_PARTS: Mapping[System, tuple[str, ...]] = {
    System.CMAKE: (".cmake",),
    System.MAKE: (".mk", ".make"),
    System.CARGO: ("build.rs",),
}
PRODUCTS = f"{FOLDER}-build"
INSTALLED = f"{FOLDER}-install"


@dataclass(frozen=True)
class Build:
    """One build of a tree: the system, and the file that it starts from, relative to the tree."""

    system: System
    file: str

    @property
    def folder(self) -> str:
        """The folder of that file, relative to the tree."""
        return str(PurePosixPath(self.file).parent)

    def has_part(self, path: str) -> bool:
        """Whether a file of the tree is one that this build reads to know what to do."""
        name = PurePosixPath(path).name
        is_read = _FILES.get(name) is self.system or name.endswith(_PARTS.get(self.system, ()))
        return is_read and PurePosixPath(path).is_relative_to(self.folder)


@dataclass(frozen=True)
class Step:
    """A command of a build; `program` is what must be on PATH, and `what` says what it does."""

    what: str
    command: tuple[str, ...]

    @property
    def program(self) -> str:
        """The program that runs."""
        return self.command[0]


def builds(paths: Iterable[str]) -> list[Build]:
    """Return the builds of a tree: of each system, those files that no other includes.

    A build file below a folder with one of the same system belongs to that one.  Folders that start
    with a dot, and those of generated files, are not looked at.
    """
    found: dict[System, list[PurePosixPath]] = {}
    for path, system in _files(paths):
        known = found.setdefault(system, [])
        if not any(path.parent.is_relative_to(other.parent) for other in known):
            known.append(path)
    return [Build(system, str(path)) for system in System for path in found.get(system, ())]


def files_below(build: Build, paths: Iterable[str]) -> list[str]:
    """Return the build files of the same system in folders below that of a build."""
    folder = PurePosixPath(build.folder)
    return [
        str(path)
        for path, system in _files(paths)
        if system is build.system and path.parent != folder and path.is_relative_to(folder)
    ]


def _files(paths: Iterable[str]) -> Iterator[tuple[PurePosixPath, System]]:
    for path in sorted(map(PurePosixPath, paths), key=lambda path: (len(path.parts), path)):
        system = _FILES.get(path.name)
        if system and not any(part.startswith((".", FOLDER)) for part in path.parts[:-1]):
            yield path, system


def steps(build: Build, toolset: Toolset, jobs: int) -> tuple[Step, ...]:
    """Return the commands of a build, run in its folder; products go to the folder PRODUCTS.

    Make puts them where its file says.  What is installed goes to INSTALLED: CMake writes another
    RUNPATH into it.
    """
    make = {
        System.CMAKE: _cmake,
        System.MAKE: _make,
        System.MESON: _meson,
        System.SETUPTOOLS: _setuptools,
        System.CARGO: _cargo,
    }
    return make[build.system](toolset, jobs)


def _cmake(toolset: Toolset, jobs: int) -> tuple[Step, ...]:
    configure = ["cmake", "-S", ".", "-B", PRODUCTS, "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DCMAKE_PREFIX_PATH={toolset.home}", f"-DGPU_PLATFORM={toolset.platform}"]
    return (
        Step("configure", tuple(configure)),
        Step("build", ("cmake", "--build", PRODUCTS, "--parallel", str(jobs))),
        Step("install", ("cmake", "--install", PRODUCTS, "--prefix", INSTALLED)),
    )


def _make(toolset: Toolset, jobs: int) -> tuple[Step, ...]:
    command = ("make", f"--jobs={jobs}", f"GPU_PLATFORM={toolset.platform}")
    return (Step("build", command),)


def _meson(_toolset: Toolset, jobs: int) -> tuple[Step, ...]:
    return (
        Step("configure", ("meson", "setup", PRODUCTS)),
        Step("build", ("meson", "compile", "-C", PRODUCTS, "-j", str(jobs))),
    )


def _setuptools(toolset: Toolset, _jobs: int) -> tuple[Step, ...]:
    places = ("--build-lib", f"{PRODUCTS}/lib", "--build-temp", f"{PRODUCTS}/temp")
    return (Step("build", (toolset.python, "setup.py", "--quiet", "build_ext", *places)),)


def _cargo(_toolset: Toolset, jobs: int) -> tuple[Step, ...]:
    options = ("--workspace", "--offline", "--jobs", str(jobs), "--target-dir", PRODUCTS)
    return (Step("build", ("cargo", "build", "--all-targets", *options)),)
