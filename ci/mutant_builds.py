"""What has to be built in the copy before mutants can run in it, and again with each of them."""

import importlib.util
import re
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


class BuildError(Exception):
    """Something cannot be built; the text is what was said."""


def prepare(place: Place, platforms: Iterable[str]) -> None:
    """Build everything once without a fault.  Raises ParityError with what the build said."""
    place.root.mkdir(parents=True, exist_ok=True)
    _copy_core(place)
    status, said = spawn(_configure(place), place, _SECONDS)
    if status != 0:
        raise ParityError(f"the GPU modules cannot be configured:\n{said}")
    kept = restore(place, platforms)
    _clean(place).write_text("\n".join(map(str, kept)), encoding="utf-8")


def restore(place: Place, platforms: Iterable[str]) -> list[Path]:
    """Build all for the copy as it is; return the emulator's libraries.  Raises ParityError."""
    try:
        return [found for platform in platforms for found in _all(place, platform)]
    except BuildError as error:
        raise ParityError(f"what has no fault cannot be built:\n{error}") from error


def _all(place: Place, platform: str) -> list[Path]:
    build_module(place, platform)
    return build_emulator(place, platform)


def build_module(place: Place, platform: str) -> None:
    """Build a GPU module.  Raises BuildError."""
    target = f"_gpu_{platform}"
    words = [_tool("cmake"), "--build", str(place.root / "gpu"), "--target", target]
    status, said = spawn(words, place, _SECONDS)
    if status != 0:
        raise BuildError(said or "the build hung")


def build_emulator(place: Place, platform: str) -> list[Path]:
    """Build the emulator and the modules' kernels; return its folder.  Raises BuildError."""
    words = [*emulator(platform, place), "sh", "-c", 'echo "libraries: $LD_LIBRARY_PATH"']
    status, said = spawn(words, place, _SECONDS)
    if status != 0:
        raise BuildError(said or "the build hung")
    found = re.search(r"^libraries: ([^:\n]+)", said, re.MULTILINE)
    return [Path(found[1])] if found else []


def forget(place: Place, folders: Iterable[Path]) -> None:
    """Remove the emulator's libraries that have a fault: each mutant would leave some behind."""
    clean = _clean(place)
    kept = clean.read_text(encoding="utf-8").splitlines() if clean.is_file() else []
    for folder in folders:
        if folder.parent.name == "libraries" and str(folder) not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _clean(place: Place) -> Path:
    return place.root / "libraries.txt"


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
