"""What a compiled code object is for, read from its ELF header and not from an exit code."""

from pathlib import Path

from porting.elf import EM_AMDGPU, ElfError, read_machine
from porting.toolkits.sysroot.processors import MACHINES

_MACH = 0xFF
_NAMES = {number: arch for arch, number in MACHINES.items()}


def wrong(path: Path, arch: str) -> str:
    """Return why a file is no code object for `arch`, or "" when it is one."""
    try:
        machine, flags = read_machine(path)
    except ElfError as error:
        return f"clang wrote no code object: {str(error).partition(';')[0]}"
    if machine != EM_AMDGPU:
        return f"clang's output is for ELF machine {machine}, not for an AMD GPU"
    found = flags & _MACH
    if found == MACHINES.get(arch):
        return ""
    return f"the code object is for {_NAMES.get(found, f'processor 0x{found:x}')}, not for {arch}"
