"""Fixtures for the tests of build files: files that are converted, and trees to build."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.buildfiles import BuildContext, BuildFiles, convert_files
from porting.config import Mode, Target
from porting.source import SourceFile
from porting.toolkits.platforms import CUDA, PLATFORMS, ROCM, Platform
from porting.toolkits.sysroot import Sysroot

Contents = Mapping[str, str | bytes]


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


@pytest.fixture
def convert() -> Callable[..., BuildFiles]:
    """Return a function that converts path -> content for gfx90a and gfx942."""

    def done(files: Contents, mode: Mode = Mode.RENAME) -> BuildFiles:
        sources = [SourceFile(path, _bytes(content)) for path, content in files.items()]
        target = Target("7.1", ("gfx90a", "gfx942"))
        return convert_files(sources, BuildContext(target, mode, frozenset(files)))

    return done


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Contents, BuildFiles], Path]:
    """Return a function that writes an input with what was converted over it."""

    def written(files: Contents, done: BuildFiles) -> Path:
        contents = {path: _bytes(content) for path, content in files.items()} | done.outputs
        contents |= {path: text.encode() for path, text in done.generated.items()}
        for path, data in contents.items():
            place = tmp_path / "tree" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return tmp_path / "tree"

    return written


@pytest.fixture
def hipcc(sysroot: Sysroot, tmp_path: Path) -> Path:
    """Return a compiler of HIP as ROCm has it: clang that knows its tree."""
    path = tmp_path / "hipcc"
    path.write_text(f'#!/bin/sh\nexec clang++-19 --rocm-path={sysroot.path} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def rocm_environment(sysroot: Sysroot, hipcc: Path) -> dict[str, str]:
    """Return an environment in which ROCm is what a build finds."""
    gone = {variable for platform in PLATFORMS for variable in platform.variables}
    kept = {name: value for name, value in os.environ.items() if name not in gone}
    chosen = {"GPU_PLATFORM": "rocm", "ROCM_PATH": str(sysroot.path), "HIPCC": str(hipcc)}
    return {**kept, **chosen, "CXX": "clang++-19"}


def _home(folder: Path, platform: Platform, version: str = "") -> Path:
    for name in (platform.headers[0], platform.libraries[0]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    if version:
        (folder / ".info").mkdir()
        (folder / ".info/version").write_text(f"{version}-66\n")
    return folder


def _script(folder: Path, name: str, text: str) -> str:
    path = folder / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path.parent)


@pytest.fixture
def wrapped_compilers(tmp_path: Path) -> dict[str, dict[str, str]]:
    """Return environments with a compiler on PATH that has no toolkit beside it."""
    root = tmp_path / "wrapped"
    rocm = _home(root / "real/rocm", ROCM, "7.1.0")
    old = _home(root / "real/old", ROCM, "6.1.2")
    cuda = _home(root / "real/cuda", CUDA)
    for name in ("rocm/lib/llvm/bin", "old/llvm/bin", "cuda/bin", "llvm/bin"):
        (root / "real" / name).mkdir(parents=True)
    scripts = {
        "top": ("nvcc", f"echo '#$ _HERE_={root}'; echo '#$ TOP={cuda}/bin/..' >&2; exit 1"),
        "here": ("nvcc", f"echo '#$ TOP=/no/such'; echo '#$ _HERE_={cuda}/bin' >&2"),
        "installed": ("hipcc", f"echo HIP version: 7; echo 'InstalledDir: {rocm}/lib/llvm/bin'"),
        "too old": ("hipcc", f"echo 'InstalledDir: {old}/llvm/bin'"),
        "leaves": ("nvcc", f"/bin/sleep 25 & echo '#$ TOP={cuda}'"),
        "escaped": ("hipcc", "echo 'bad \\\\d ${PATH} path'; exit 3"),
        "alone": ("nvcc", f"echo '#$ TOP={root}/alone'"),
        "split": ("hipcc", f"echo 'InstalledDir: {root}/real/llvm/bin'"),
        "neither": ("hipcc", f"echo 'InstalledDir: {root}/real/llvm/bin'"),
        "dumb": ("nvcc", "exit 3"),
        "wordy": ("hipcc", "echo 'no  module; [is] loaded' >&2; echo \"$*\"; exit 5"),
        "long": ("nvcc", "echo " + "word " * 100),
    }
    paths = {name: _script(root / name, *script) for name, script in scripts.items()}
    _script(root / "split", "hipconfig", f'[ "$*" = --rocmpath ] && printf %s "{rocm}"')
    _script(root / "escaped", "hipconfig", f"echo {root}")
    _script(root / "neither", "hipconfig", "echo /no/such; exit 4")
    return {
        **{name: {"PATH": path} for name, path in paths.items()},
        "named": {"PATH": paths["dumb"], "CUDA_HOME": str(cuda)},
        "named in vain": {"PATH": paths["dumb"], "CUDA_HOME": str(root / "dumb")},
        "both": {"PATH": f"{paths['installed']}:{paths['top']}"},
    }
