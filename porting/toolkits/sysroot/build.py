"""Put a ROCm tree together from wheels: headers, bitcode, libamdhip64, CMake packages."""

import hashlib
import os
import re
import shutil
from pathlib import Path

from porting.errors import ToolchainError
from porting.toolkits import stub_library, wheels
from porting.toolkits.cachedir import build_once, cache_root
from porting.toolkits.clang import Clang
from porting.toolkits.stubs.write import write_headers
from porting.toolkits.sysroot.bitcode import write_control_libraries
from porting.toolkits.sysroot.cmake import write_library_packages, write_packages
from porting.toolkits.sysroot.hip_library import write_library
from porting.toolkits.sysroot.manifest import Header, Origin, Sysroot, write_manifest
from porting.toolkits.sysroot.programs import write_programs
from porting.toolkits.sysroot.recipes import RECIPES, TRITON_FOLDER, Recipe
from porting.toolkits.sysroot.stub_libraries import LIBRARIES, write_libraries
from porting.toolkits.wheels import Say, Wheel


class NoHeadersError(ToolchainError):
    """No wheel carries headers of the ROCm release that was asked for.

    Nothing can be compiled for it: what asked is `not verified`.  `nearest` is the release below
    it (or the oldest) that has headers; compiling with that one answers another question.
    """

    def __init__(self, rocm: str, nearest: str) -> None:
        super().__init__(
            f"no headers of ROCm {rocm} exist on the package index; nearest: {nearest}; "
            f"names are checked for {rocm}, compiling is possible for {', '.join(sorted(RECIPES))}"
        )
        self.rocm = rocm
        self.nearest = nearest


def recipe_for(rocm: str) -> Recipe:
    """Return the recipe of a release; raise NoHeadersError when there is none.

    A patch release has the API of its minor release: 7.1.2 is 7.1.
    """
    if recipe := RECIPES.get(".".join(rocm.split(".")[:2])):
        return recipe
    known = sorted(RECIPES, key=_release)
    older = [release for release in known if _release(release) <= _release(rocm)]
    raise NoHeadersError(rocm, older[-1] if older else known[0])


def tree_path(recipe: Recipe, clang: Clang) -> Path:
    """Return where the tree of a recipe belongs.

    The name changes with the recipe (whose repr must be the same in every process: no sets in it),
    with the names of the libraries that it has stand-ins for, with the code that builds it, and
    with the clang that wrote the bitcode, because an older clang cannot read it.
    """
    stubs = [(stub.soname(recipe.rocm), stub.target) for stub in LIBRARIES]
    digest = hashlib.sha256(repr((recipe, stubs)).encode())
    toolkits = Path(__file__).parents[1]
    patterns = ("sysroot/*.py", "stubs/*.py", "data/*.json", *stub_library.CODE)
    for file in sorted(path for pattern in patterns for path in toolkits.glob(pattern)):
        digest.update(file.read_bytes())
    name = f"rocm-{recipe.rocm}-clang{clang.major}-{digest.hexdigest()[:10]}"
    return cache_root() / "sysroot" / name


def build_tree(recipe: Recipe, clang: Clang, say: Say) -> Path:
    """Return the tree of a recipe, built unless it is there.  Raises ToolchainError."""
    path = tree_path(recipe, clang)
    return build_once(path, lambda place: _build(recipe, clang, place, say))


def _build(recipe: Recipe, clang: Clang, place: Path, say: Say) -> None:
    core = wheels.fetch(recipe.core, say) / TRITON_FOLDER
    headers = _copy_core(recipe, core, place / "include")
    headers |= _copy_overlay(recipe, place / "include", say)
    headers |= _generate(recipe, place / "include", say)
    version = hip_version(place / "include/hip/hip_version.h")
    say(f"building the ROCm {recipe.rocm} tree (HIP {version})")
    _write_version_files(place, version)
    bitcode = place / "amdgcn/bitcode"
    bitcode.mkdir(parents=True)
    for library in ("ocml.bc", "ockl.bc"):
        shutil.copyfile(core / "lib" / library, bitcode / library)
    write_control_libraries(clang, bitcode, os.cpu_count() or 1)
    (place / "lib").mkdir()
    write_programs(place, clang, version)
    write_library(clang, place / "include", place / "lib", version)
    write_packages(place, version)
    libraries = write_libraries(clang, place / "include", place / "lib", recipe.rocm)
    write_library_packages(place, libraries)
    used = tuple(_name(wheel) for wheel in wheels_of(recipe.rocm))
    write_manifest(Sysroot(place, recipe.rocm, version, headers, used))


def _copy_core(recipe: Recipe, core: Path, include: Path) -> dict[str, Header]:
    shutil.copytree(core / "include", include)
    source = _name(recipe.core)
    names = (p.relative_to(include).as_posix() for p in include.rglob("*") if p.is_file())
    return {name: Header(Origin.CORE, recipe.rocm, source) for name in names}


def _copy_overlay(recipe: Recipe, include: Path, say: Say) -> dict[str, Header]:
    if recipe.overlay is None:
        return {}
    folder = wheels.fetch(recipe.overlay, say) / TRITON_FOLDER / "include"
    for name in recipe.overlay_headers:
        shutil.copyfile(folder / name, include / name)
    header = Header(Origin.OVERLAY, recipe.overlay_rocm, _name(recipe.overlay))
    return dict.fromkeys(recipe.overlay_headers, header)


def _generate(recipe: Recipe, include: Path, say: Say) -> dict[str, Header]:
    headers: dict[str, Header] = {}
    for stubs in recipe.stubs:
        header = Header(Origin.GENERATED, stubs.rocm, _name(stubs.wheel))
        headers |= dict.fromkeys(write_headers(stubs, include, say), header)
    return headers


def _write_version_files(place: Path, version: str) -> None:
    """Write the files by which clang and hipconfig recognise a ROCm home."""
    parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."), strict=True)
    text = "".join(f"HIP_VERSION_{part}={value}\n" for part, value in parts)
    for name in ("bin/.hipVersion", "share/hip/version"):
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(text)


def hip_version(header: Path) -> str:
    """Return major.minor.patch that a hip_version.h states."""
    text = header.read_text()
    found = dict(re.findall(r"#define HIP_VERSION_(MAJOR|MINOR|PATCH) (\d+)", text))
    return f"{found['MAJOR']}.{found['MINOR']}.{found['PATCH']}"


def wheels_of(rocm: str) -> list[Wheel]:
    """Return the wheels that a release's tree is made of.  Raises NoHeadersError."""
    recipe = recipe_for(rocm)
    overlay = [recipe.overlay] if recipe.overlay else []
    return [recipe.core, *overlay, *(stubs.wheel for stubs in recipe.stubs)]


def _name(wheel: Wheel) -> str:
    return f"{wheel.pin} sha256:{wheel.sha256}"


def _release(rocm: str) -> tuple[int, ...]:
    return tuple(int(part) for part in rocm.split("."))
