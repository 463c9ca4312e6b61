"""The toolkit that a tree is built against: an installed one, or the one from wheels."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from porting.config import Target, release_key
from porting.errors import ToolchainError
from porting.toolkits import clang, cuda, detect
from porting.toolkits import sysroot as sysroots
from porting.toolkits.detect import Candidate
from porting.toolkits.platforms import CUDA, PLATFORMS, ROCM, SELECTOR
from porting.toolkits.sysroot.manifest import MANIFEST
from porting.toolkits.wheels import Say

# What would speak louder than the toolkit that was chosen.
_OTHERS = (
    "HIP_PATH",
    "HIPCXX",
    "CUDACXX",
    "CUDAARCHS",
    "CMAKE_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "HIP_PLATFORM",
    "HIP_COMPILER",
    # of a make that runs this tool
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
)

_ROCM_NOTE = "against generated libraries, which answer as where no GPU is and compute nothing"
_CUDA_NOTE = "cudart is NVIDIA's, the libraries beside it are generated and compute nothing"


@dataclass(frozen=True)
class Toolset:
    """A platform, the home of its toolkit, and the architectures to build for.

    `libraries`: folders with libraries that this machine's loader does not know; `driver`: the one
    with link stubs of the driver's.  `python`: the interpreter for build scripts.  `release`: the
    toolkit's; `note`: what is generated in it, empty where it is installed.
    """

    platform: str
    home: Path
    archs: tuple[str, ...]
    libraries: tuple[Path, ...] = ()
    driver: Path | None = None
    python: str = sys.executable
    note: str = ""
    release: str = ""

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a build: this toolkit's, and nothing of another."""
        names = {name for platform in PLATFORMS for name in platform.variables}
        kept = {k: v for k, v in inherited.items() if k not in names.union(_OTHERS)}
        variables = next(p.variables for p in PLATFORMS if p.name == self.platform)
        kept |= dict.fromkeys(variables, str(self.home))
        path = inherited.get("PATH", os.defpath)
        kept["PATH"] = os.pathsep.join([str(self.home / "bin"), path])
        kept[SELECTOR] = self.platform
        kept["LC_ALL"] = "C"
        if self.archs:
            kept["PYTORCH_ROCM_ARCH"] = ";".join(self.archs)
        if self.driver:
            kept["LIBRARY_PATH"] = str(self.driver)  # where gcc looks for what -l names
        return kept

    def loading(self, environment: Mapping[str, str], *, driver: bool) -> dict[str, str]:
        """Return the environment in which what was built is loaded.

        `driver`: it links a library of the driver's, which no machine without a GPU has.
        """
        folders = [*self.libraries, *([self.driver] if driver and self.driver else [])]
        path = {"LD_LIBRARY_PATH": os.pathsep.join(map(str, folders))} if folders else {}
        return {**environment, **path}


def find(platform: str, target: Target, say: Say, environment: Mapping[str, str]) -> Toolset:
    """Return the toolkit of a platform: an installation of the target's release, else from wheels.

    Raises ToolchainError when there is neither.
    """
    if platform == ROCM.name:
        installed = detect.home(ROCM, environment)
        if installed is not None and installed.version == target.release:
            return _installed(installed, target)
        return _made(target, say)
    found: Candidate | cuda.CudaHome = detect.home(CUDA, environment) or cuda.create(say)
    libraries = found.path / "lib64"
    note = _CUDA_NOTE if cuda.is_ours(found.path) else ""
    places = (libraries,), libraries / "stubs"
    return Toolset(platform, found.path, (), *places, note=note, release=found.release)


def find_rocm(oldest: str, say: Say, environment: Mapping[str, str]) -> Toolset:
    """Return the ROCm that is installed, of whatever release from `oldest` on, else from wheels.

    Raises ToolchainError when all that is installed is older, and when there is neither.
    """
    table = replace(ROCM, oldest=max(release_key(oldest), ROCM.oldest))
    usable = detect.home(table, environment)
    if usable is None:
        places = detect.candidates(table, environment)
        if old := next((place for place in places if place.is_too_old), None):
            raise ToolchainError(old.reason)
        return _made(Target(), say)
    if not usable.version:
        raise ToolchainError(
            f"the ROCm at {usable.path} says its release in none of"
            f" {', '.join(name for name, _ in ROCM.version_files)}; install it anew, or set"
            f" {ROCM.variables[0]} to another"
        )
    return _installed(usable, Target(usable.release))


def _installed(found: Candidate, target: Target) -> Toolset:
    note = _ROCM_NOTE if (found.path / MANIFEST).is_file() else ""
    return Toolset(ROCM.name, found.path, target.archs, note=note, release=found.release)


def _made(target: Target, say: Say) -> Toolset:
    compiler = clang.find()
    if compiler.tool("clang-offload-bundler") is None:
        raise ToolchainError(
            f"clang-offload-bundler is not beside {compiler.path}; objects with device code cannot "
            f"be written without it: install clang-tools-{compiler.major}"
        )
    home = sysroots.create(target.rocm, compiler, say).path
    return Toolset(ROCM.name, home, target.archs, note=_ROCM_NOTE, release=target.rocm)
