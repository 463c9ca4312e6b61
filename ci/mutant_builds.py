"""What has to be built in the copy before mutants can run in it, and again with each of them."""

import importlib.util
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ci.errors import ParityError
from ci.mutant_suite import Place, emulator, spawn

_SECONDS = 900.0
# One architecture of each vendor: what the emulator runs is compiled apart.
_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DECLOSION_GPU=cuda;rocm",
    "-DECLOSION_SHARED_RUNTIME=ON",
    "-DECLOSION_CUDA_ARCHS=80",
    "-DECLOSION_ROCM_ARCHS=gfx90a",
)


def prepare(place: Place, platforms: Iterable[str]) -> None:
    """Build everything once without a fault.  Raises ParityError with what the build said."""
    place.root.mkdir(parents=True, exist_ok=True)
    _copy_core(place)
    _require(_configure(place), place)
    restore(place, platforms)


def restore(place: Place, platforms: Iterable[str]) -> None:
    """Bring what was built up to date with the copy as it is."""
    for platform in platforms:
        if said := build(place, platform, "gpu"):
            raise ParityError(f"the {platform} module cannot be built without any fault:\n{said}")


def build(place: Place, platform: str, area: str) -> str:
    """Build what a fault of an area touches; return what was said when it failed, else nothing."""
    if area in ("gpu", "mappings"):
        target = f"_gpu_{platform}"
        words = [_tool("cmake"), "--build", str(place.root / "gpu"), "--target", target]
        status, said = spawn(words, place, _SECONDS)
        if status != 0:
            return said or "the build hung"
        for module in (place.build(platform) / "module").glob(f"{target}*.so"):
            shutil.copyfile(module, place.tree / "runtime" / module.name)
    status, said = spawn([*emulator(platform, place), "true"], place, _SECONDS)
    return "" if status == 0 else said or "the build hung"


def _configure(place: Place) -> Sequence[str]:
    words = [
        _tool("cmake"),
        "-S",
        str(place.tree),
        "-B",
        str(place.root / "gpu"),
        "-G",
        "Ninja",
    ]
    words += [*_OPTIONS, f"-DPython_EXECUTABLE={sys.executable}"]
    words += [f"-Dnanobind_DIR={_nanobind()}", f"-DCMAKE_MAKE_PROGRAM={_tool('ninja')}"]
    return words


def _require(words: Sequence[str], place: Place) -> None:
    status, said = spawn(words, place, _SECONDS)
    if status != 0:
        raise ParityError(f"{words[0]} ended with {status}:\n{said}")


def _copy_core(place: Place) -> None:
    """Take over the compiled module of the installed runtime, which no fault touches."""
    found = importlib.util.find_spec("runtime")
    for folder in (found.submodule_search_locations or ()) if found else ():
        for module in Path(folder).glob("_core*.so"):
            shutil.copyfile(module, place.tree / "runtime" / module.name)
            return
    raise ParityError("runtime._core is not installed; run `make setup`")


def _nanobind() -> str:
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        raise ParityError("nanobind is not installed; run `make setup`")
    return str(Path(found.origin).parent / "cmake")


def _tool(name: str) -> str:
    beside = Path(sys.executable).parent / name
    program = str(beside) if beside.exists() else shutil.which(name)
    if program is None:
        raise ParityError(f"{name} is not installed, and the GPU modules are built with it")
    return program
