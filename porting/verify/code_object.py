"""What a compiled code object is for, read from its ELF header and not from an exit code."""

import struct
from pathlib import Path

from porting.toolkits.sysroot.processors import MACHINES

_MAGIC = b"\x7fELF\x02\x01"
_EM_AMDGPU = 224
_MACH = 0xFF
_NAMES = {number: arch for arch, number in MACHINES.items()}


def wrong(path: Path, arch: str) -> str:
    """Return why a file is no code object for `arch`, or "" when it is one."""
    try:
        with path.open("rb") as file:
            header = file.read(64)
    except OSError as error:
        return f"clang wrote no code object ({error.strerror})"
    if len(header) < 64 or not header.startswith(_MAGIC):  # noqa: PLR2004 - sizeof(Elf64_Ehdr)
        return "clang's output is no 64-bit ELF file"
    (machine,) = struct.unpack_from("<H", header, 18)
    if machine != _EM_AMDGPU:
        return f"clang's output is for ELF machine {machine}, not for an AMD GPU"
    (flags,) = struct.unpack_from("<I", header, 48)
    found = flags & _MACH
    if found == MACHINES.get(arch):
        return ""
    return f"the code object is for {_NAMES.get(found, f'processor 0x{found:x}')}, not for {arch}"
