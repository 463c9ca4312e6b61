"""The runtime's GPU module for a cell: built from bindings/gpu, and found as part of `runtime`."""

import sys
from pathlib import Path

import nanobind

import runtime
from tests import compiler_cache
from tests.parity.kernel_library import ROOT, Cell, _locked, _program, _run

BUILDS = ROOT / "build" / "parity" / "modules"


def project(of: Cell) -> Path:
    """Return the build folder of the module's own project, built as the sources are now."""
    folder = BUILDS / f"{of.platform}-{of.target}"
    with _locked(folder):
        _run(
            [
                *(_program("cmake"), "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"),
                *(f"-DCMAKE_MAKE_PROGRAM={_program('ninja')}", "-DCMAKE_BUILD_TYPE=Release"),
                *(
                    f"-DPython_EXECUTABLE={sys.executable}",
                    f"-Dnanobind_DIR={nanobind.cmake_dir()}",
                ),
                *(f"-DECLOSION_GPU={of.platform}", "-DECLOSION_SHARED_RUNTIME=ON"),
                _architecture(of),
            ],
            _environment(of),
        )
        _run(
            [_program("cmake"), "--build", str(folder), "--target", f"_gpu_{of.platform}"],
            _environment(of),
        )
    return folder / "gpu" / of.platform / "build"


def find(of: Cell) -> None:
    """Let `runtime` find the module that was built for a cell."""
    folder = str(BUILDS / f"{of.platform}-{of.target}" / "gpu" / of.platform / "build" / "module")
    if folder not in runtime.__path__:
        runtime.__path__.append(folder)


def _architecture(of: Cell) -> str:
    if of.platform == "cuda":
        return f"-DECLOSION_CUDA_ARCHS={of.target.removeprefix('sm_')}"
    return f"-DECLOSION_ROCM_ARCHS={of.target}"


def _environment(of: Cell) -> dict[str, str]:
    # What was compiled how is what the emulator starts from.
    told = {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON", **compiler_cache.settings()}
    if of.home:
        told["CUDA_HOME" if of.platform == "cuda" else "ROCM_PATH"] = of.home
    return told
