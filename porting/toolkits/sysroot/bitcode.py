"""AMD's device libraries for clang: ocml and ockl from a wheel, the control libraries generated.

Clang links one small `oclc_*` library per choice (fast maths, wave size, ABI, processor).  Each
holds one constant that ocml and ockl read; the names and values are those documented in the ROCm
device libraries' `doc/OCML.md`, "Controls".
"""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from porting.toolkits.clang import Clang
from porting.toolkits.compiling import run_compiler
from porting.toolkits.sysroot.processors import MACHINES

_SWITCHES = {
    "finite_only": "__oclc_finite_only_opt",
    "unsafe_math": "__oclc_unsafe_math_opt",
    "correctly_rounded_sqrt": "__oclc_correctly_rounded_sqrt32",
    "wavefrontsize64": "__oclc_wavefrontsize64",
    "daz_opt": "__oclc_daz_opt",
}
_ABI_VERSIONS = (400, 500, 600)


def isa_version(arch: str) -> int:
    """Return the number ocml knows a processor by: gfx90a is 9, 0, 10, so 9010."""
    match = re.fullmatch(r"gfx(\d+)([0-9a-f])([0-9a-f])", arch)
    if match is None:
        message = f"'{arch}' is not an AMD GPU architecture"
        raise ValueError(message)
    return int(match[1]) * 1000 + int(match[2], 16) * 100 + int(match[3], 16)


def control_libraries() -> dict[str, tuple[str, str, int]]:
    """Return file stem -> (symbol, LLVM type, value) of every control library."""
    libraries: dict[str, tuple[str, str, int]] = {}
    for stem, symbol in _SWITCHES.items():
        libraries[f"oclc_{stem}_on"] = (symbol, "i8", 1)
        libraries[f"oclc_{stem}_off"] = (symbol, "i8", 0)
    for version in _ABI_VERSIONS:
        libraries[f"oclc_abi_version_{version}"] = ("__oclc_ABI_version", "i32", version)
    for arch in MACHINES:
        stem = f"oclc_isa_version_{arch.removeprefix('gfx')}"
        libraries[stem] = ("__oclc_ISA_version", "i32", isa_version(arch))
    # Clang insists on these two files, which hold OpenCL's and HIP's own functions: none is needed.
    libraries["opencl"] = ("__oclc_no_opencl", "i32", 0)
    libraries["hip"] = ("__oclc_no_hip", "i32", 0)
    return libraries


def write_control_libraries(clang: Clang, folder: Path, jobs: int) -> None:
    """Compile the control libraries into `folder`.  Raises ToolchainError when clang cannot."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        work = [
            pool.submit(_compile, clang, folder / f"{stem}.bc", *constant)
            for stem, constant in control_libraries().items()
        ]
        for future in work:
            future.result()


def _compile(clang: Clang, output: Path, symbol: str, kind: str, value: int) -> None:
    text = (
        'target triple = "amdgcn-amd-amdhsa"\n'
        f"@{symbol} = linkonce_odr hidden local_unnamed_addr addrspace(4) constant {kind} {value}\n"
    )
    command: list[str | Path] = [
        clang.path,
        "-w",
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-nostdlib",
    ]
    command += ["-emit-llvm", "-c", "-x", "ir", "-", "-o", output]
    run_compiler(command, text, output)
