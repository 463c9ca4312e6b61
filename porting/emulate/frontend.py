"""The commands that turn a unit's device code into an object for the processor."""

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from porting.emulate.toolkits import INCLUDE, Headers, tool
from porting.emulate.units import Unit
from porting.errors import ToolchainError
from porting.toolkits.clang import Clang

# Fused multiply-add in one instruction, as all GPUs have it; what older processors lack.
MACHINE = "-march=x86-64-v3"
_STANDARD = "-std=c++17"
# Device code as both vendors' compilers understand it, with a call at each load and store.
_READING = ("-O2", "-g", "-fPIC", MACHINE, "-S", "-emit-llvm", "-fno-discard-value-names")
# As on devices of both vendors: products are fused with sums, conversions saturate, no errno.
_DIALECT = (
    *("-fdeclspec", "-fsanitize=thread", "-ffp-contract=fast-honor-pragmas"),
    *("-fno-strict-float-cast-overflow", "-fno-math-errno", "-fexcess-precision=16", "-w"),
    # A frame that is larger than the guard below a stack does not reach past it.
    "-fstack-clash-protection",
)
_PRELUDES = {"cuda": "cuda_runtime.h", "hip": "eclosion/hip_prelude.h"}
_WHOLE = ("-Xclang", "-disable-llvm-passes")
# Loads wider than 16 bytes would get no call.
_OPTIMISING = (
    *("-x", "ir", "-O2", "-g", "-fPIC", MACHINE, "-femulated-tls", "-S", "-emit-llvm"),
    *("-fno-vectorize", "-fno-slp-vectorize", "-fno-discard-value-names"),
)
_CALLING = (
    *("-passes=tsan-module,function(tsan)", "-tsan-instrument-func-entry-exit=0"),
    *("-tsan-instrument-atomics=0", "-tsan-distinguish-volatile=1"),
)
_MAKING = (
    *("-x", "ir", "-O2", "-g", "-fPIC", MACHINE, "-femulated-tls"),
    *("-Xclang", "-disable-llvm-passes"),
    # Equal ends of two branches are two places: lanes of both would come together in one.
    *("-mllvm", "-enable-tail-merge=0"),
)
_SECONDS = 60
_CUDA_RELEASE = "-target-sdk-version=12.3"


@dataclass(frozen=True)
class Platform:
    """What device code is compiled as: the headers, the architecture, the lanes of a wave."""

    headers: Headers
    arch: str
    wave: int

    @property
    def language(self) -> str:
        """How clang calls the dialect."""
        return "cuda" if self.headers.platform == "cuda" else "hip"

    def macros(self) -> tuple[str, ...]:
        """Return the macros that compilers for this architecture have."""
        if self.language == "cuda":
            number = self.arch.removeprefix("sm_").rstrip("af")
            arch = ("-U__CUDA_ARCH__", f"-D__CUDA_ARCH__={number}0")
            return (*arch, f"-DECLOSION_WAVE_SIZE={self.wave}")
        family = self.arch.removeprefix("gfx")[:-2]
        return (
            "-D__HIP_PLATFORM_AMD__=1",
            "-D__HIP_DEVICE_COMPILE__=1",
            "-D__AMDGCN__=1",
            f"-D__{self.arch}__=1",
            f"-D__GFX{family}__=1",
            f"-D__AMDGCN_WAVEFRONT_SIZE={self.wave}",
            f"-D__AMDGCN_WAVEFRONT_SIZE__={self.wave}",
        )


def reading_command(clang: Clang, unit: Unit, platform: Platform, output: Path) -> list[str]:
    """Return the compiler's own command that reads a unit as device code for the processor.

    The driver knows no such target, so it is asked how it would compile plain C++, and the
    language of the answer is changed.  Raises ToolchainError when the driver refuses the flags.
    """
    standard = () if any(flag.startswith("-std=") for flag in unit.flags) else (_STANDARD,)
    # First of all: a build may name the vendor's headers itself.
    ours = ("-I", str(platform.headers.device), "-I", str(INCLUDE))
    vendor: tuple[str, ...] = ("-isystem", str(platform.headers.include))
    if platform.language == "cuda":  # as nvcc does by itself
        vendor += ("-isystem", str(platform.headers.include / "cccl"))
    prelude = ("-include", _PRELUDES[platform.language])
    words = (
        *(str(clang.path), "-###", "-x", "c++", *standard, *_READING, *_DIALECT, *_WHOLE),
        *(*prelude, *ours, *unit.flags, *vendor, *platform.macros()),
        *("-MD", "-MF", f"{output}.d", str(unit.source), "-o", str(output)),
    )
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=unit.folder, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise ToolchainError(
            f"{clang.path} did not say in {_SECONDS} s how it would compile {unit.source}; try "
            "again when the machine is less busy"
        ) from error
    command = shlex.split(done.stderr.strip().splitlines()[-1]) if done.stderr.strip() else []
    if done.returncode or "-cc1" not in command:
        raise ToolchainError(
            f"{clang.path} refuses the flags of {unit.source}: {done.stderr[:400]}"
        )
    language = len(command) - 1 - command[::-1].index("-x")
    command[language + 1] = platform.language
    command[2:2] = ["-fcuda-is-device", "-fcuda-allow-variadic-functions"]
    if platform.language == "cuda":
        command[2:2] = [_CUDA_RELEASE]
    return command


def optimising_command(clang: Clang, code: Path, output: Path) -> list[str]:
    """Return the command that optimises a unit's code, and writes it as text."""
    return [str(clang.path), *_OPTIMISING, str(code), "-o", str(output)]


def calling_command(clang: Clang, code: Path, output: Path) -> list[str]:
    """Return the command that puts a call before each load and store.  Raises ToolchainError."""
    return [str(tool(clang, "opt")), *_CALLING, str(code), "-o", str(output)]


def making_command(clang: Clang, code: Path, output: Path) -> list[str]:
    """Return the command that makes an object of a unit's code as it is."""
    return [str(clang.path), *_MAKING, "-c", str(code), "-o", str(output)]
