"""What a compiled code object is for, read from its ELF header and not from an exit code."""

import struct
from pathlib import Path

_MAGIC = b"\x7fELF\x02\x01"
_EM_AMDGPU = 224
_MACH = 0xFF
# EF_AMDGPU_MACH values.  Source: LLVM's AMDGPU backend user guide, "AMDGPU ELF Header e_flags".
MACHINES = {
    "gfx900": 0x2C,
    "gfx906": 0x2F,
    "gfx908": 0x30,
    "gfx90a": 0x3F,
    "gfx942": 0x4C,
    "gfx950": 0x4F,
    "gfx1010": 0x33,
    "gfx1030": 0x36,
    "gfx1031": 0x37,
    "gfx1032": 0x38,
    "gfx1034": 0x3E,
    "gfx1035": 0x3D,
    "gfx1036": 0x45,
    "gfx1100": 0x41,
    "gfx1101": 0x46,
    "gfx1102": 0x47,
    "gfx1103": 0x44,
    "gfx1150": 0x43,
    "gfx1151": 0x4A,
    "gfx1152": 0x55,
    "gfx1153": 0x58,
    "gfx1200": 0x48,
    "gfx1201": 0x4E,
    "gfx1250": 0x49,
}
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
