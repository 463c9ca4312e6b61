"""What verification needs on this machine: a clang, its linker, a ROCm tree."""

import os
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from porting.config import release_key
from porting.errors import ToolchainError
from porting.toolkits import clang as clangs
from porting.toolkits import detect
from porting.toolkits import sysroot as sysroots
from porting.toolkits.clang import Clang
from porting.toolkits.platforms import ROCM
from porting.toolkits.sysroot import Sysroot
from porting.toolkits.wheels import Say

_NO_WAVEFRONT_MACRO = 22


@dataclass(frozen=True)
class Toolchain:
    """A compiler with the ROCm tree it compiles against; `linker` is lld of the same release."""

    clang: Clang
    sysroot: Sysroot
    linker: Path | None

    @property
    def system_includes(self) -> tuple[Path, ...]:
        """Folders searched without being asked: the ROCm tree's and the compiler's own."""
        return (self.sysroot.include, *_default_folders(self.clang.path))

    def why_not(self, arch: str) -> str:
        """Return why no code can be made for an architecture, or ""."""
        if arch not in self.clang.archs:
            return f"clang {self.clang.major} cannot target {arch}"
        # HIP before 7.0 reads __AMDGCN_WAVEFRONT_SIZE, which clang 22 no longer defines.
        if self.clang.major >= _NO_WAVEFRONT_MACRO and self.sysroot.rocm.startswith("6."):
            return f"the headers of ROCm {self.sysroot.rocm} need a clang before 22"
        return ""


def find(rocm: str, say: Say = lambda _text: None) -> Toolchain:
    """Return the toolchain for a ROCm release, making its tree if need be.

    A ROCm of that release on this machine is used as it is.  Raises NoHeadersError when no headers
    of the release exist, else ToolchainError.
    """
    home = detect.home(ROCM, os.environ)
    if home is not None and home.version == release_key(rocm):
        compiler = clangs.find(home.path)
        tree = sysroots.installed(home.path, rocm)
    else:
        sysroots.recipe_for(rocm)  # the cheaper answer first: no compiler helps without headers
        compiler = clangs.find()
        tree = sysroots.create(rocm, compiler, say)
    return Toolchain(compiler, tree, compiler.tool("ld.lld"))


@lru_cache(maxsize=8)
def _default_folders(clang: Path) -> tuple[Path, ...]:
    """Return the folders that clang searches for <...> in C++ by itself."""
    done = subprocess.run(
        [clang, "-E", "-x", "c++", "-v", "-", "-o", "/dev/null"],
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    listed = re.search(r"search starts here:\n((?: .+\n)+)End of search list", done.stderr)
    if done.returncode or listed is None:
        message = f"{clang} does not say where it looks for headers: {done.stderr.strip()[-300:]}"
        raise ToolchainError(message)
    return tuple(Path(line.strip()) for line in listed[1].splitlines())
