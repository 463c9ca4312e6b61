"""Compile device code for the processor, and run its kernels without a host program."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from porting.emulate import libraries, sidecar
from porting.emulate.frontend import Platform
from porting.emulate.launch import Machine, environment_of, findings_of
from porting.emulate.toolkits import Headers
from porting.emulate.units import Unit

Array = npt.NDArray[Any]

_RUN = Path(__file__).with_name("launched.py")
_SECONDS = 120
# The architecture that has waves of so many lanes.
_ARCHITECTURES = {("cuda", 32): "sm_90", ("rocm", 32): "gfx1100", ("rocm", 64): "gfx942"}
_FRONTS = {"cuda": ("cuda", "libcudart.so.13"), "rocm": ("hip", "libamdhip64.so.7")}
_KERNEL = re.compile(r"extern \"C\" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(")


@dataclass(frozen=True)
class Launch:
    """A launch: arrays are given to the kernel as addresses, and come back."""

    kernel: str
    arguments: tuple[Array | np.generic, ...]
    block: tuple[int, int, int] = (64, 1, 1)
    grid: tuple[int, int, int] = (1, 1, 1)
    shared: int = 0
    is_cooperative: bool = False


@dataclass(frozen=True)
class Ran:
    """How launches went: the arguments of each after it, what was printed, the findings."""

    arguments: list[list[Array]]
    output: str
    errors: str
    status: int
    findings: list[dict[str, Any]]


@dataclass(frozen=True)
class Device:
    """A platform's compiler of device code and its emulator."""

    headers: Headers
    wave: int
    folder: Path
    # Whose libraries are linked, where those headers are of another release.
    linked: Headers | None = None

    @property
    def platform(self) -> Platform:
        """The platform, as the emulator compiles for it."""
        return Platform(self.headers, _ARCHITECTURES[self.headers.platform, self.wave], self.wave)

    def compile(self, source: str, *flags: str, name: str = "unit") -> Path:
        """Return the sidecar of a source.  Raises InputError with the compiler's words."""
        ending = "cu" if self.headers.platform == "cuda" else "hip"
        path = self.folder / f"{name}.{ending}"
        path.write_text(source)
        unit = Unit(path, self.folder, self.platform.language, flags)
        output = self.folder / f"{name}.so"
        built = libraries.build(self.linked or self.headers)
        objects = sidecar.objects_of([unit], self.platform)
        sidecar.link([unit], objects, self.platform, built, output)
        return output

    def run(self, source: str, launches: Sequence[Launch], *flags: str) -> Ran:
        """Compile a source and launch its kernels, which are extern "C", one after the other."""
        library = self.compile(source, *flags)
        kernels = _KERNEL.findall(source)
        return self._launched(library, kernels, launches)

    def _launched(self, library: Path, kernels: list[str], launches: Sequence[Launch]) -> Ran:
        built = libraries.build(self.headers)
        prefix, front = _FRONTS[self.headers.platform]
        request = {
            "library": str(built / front),
            "prefix": prefix,
            "kernels": kernels,
            "launches": [
                {
                    "kernel": one.kernel,
                    "arguments": len(one.arguments),
                    "block": one.block,
                    "grid": one.grid,
                    "shared": one.shared,
                    "is_cooperative": one.is_cooperative,
                }
                for one in launches
            ],
        }
        arrays = [np.asarray(value) for one in launches for value in one.arguments]
        asked, given, result = (self.folder / name for name in ("ask.json", "in.npz", "out.npz"))
        asked.write_text(json.dumps(request))
        np.savez(given, *arrays)
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        machine = Machine(built, (library,), self.platform.arch, self.headers.release, self.wave)
        done = subprocess.run(
            [sys.executable, str(_RUN), str(asked), str(given), str(result)],
            env=environment_of(machine, report, os.environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        after: list[list[Array]] = []
        if done.returncode == 0:
            with np.load(result) as values:
                flat = iter([values[name] for name in values.files])
            after = [[next(flat) for _ in one.arguments] for one in launches]
        findings = [dict(finding) for finding in findings_of(report)]
        return Ran(after, done.stdout, done.stderr, done.returncode, findings)


def device_on(request: pytest.FixtureRequest, platform: str, wave: int, folder: Path) -> Device:
    """Return a platform's device with the toolkit that the tests have of it."""
    if platform == "cuda":
        home = request.getfixturevalue("cuda_home")
        return Device(Headers("cuda", home.path, home.release), wave, folder)
    tree = request.getfixturevalue("sysroot")
    return Device(Headers("rocm", tree.path, tree.rocm), wave, folder)
