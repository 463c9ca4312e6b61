"""Code objects by their ELF header."""

import struct
import subprocess
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot
from porting.toolkits.sysroot.processors import MACHINES
from porting.verify.code_object import wrong


def elf(machine: int = 224, flags: int = 0x54C) -> bytes:
    """Return an ELF header."""
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<H", header, 18, machine)
    struct.pack_into("<I", header, 48, flags)
    return bytes(header)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (elf(), ""),
        (elf(flags=0x53F), "the code object is for gfx90a, not for gfx942"),
        (elf(flags=0xFF), "the code object is for processor 0xff, not for gfx942"),
        (elf(machine=62), "clang's output is for ELF machine 62, not for an AMD GPU"),
        (elf()[:60], "clang's output is no 64-bit ELF file"),
        (b"", "clang's output is no 64-bit ELF file"),
        (b"BC\xc0\xde" + bytes(80), "clang's output is no 64-bit ELF file"),
    ],
)
def test_file_when_checked_for_gfx942(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "k.co"
    path.write_bytes(data)
    assert wrong(path, "gfx942") == reason


def test_file_when_missing(tmp_path: Path) -> None:
    expected = "clang wrote no code object (No such file or directory)"
    assert wrong(tmp_path / "k.co", "gfx942") == expected


def test_machines_when_asked_of_the_compiler(sysroot: Sysroot, tmp_path: Path) -> None:
    """Compile an empty kernel for every architecture that this clang knows."""
    text = "define amdgpu_kernel void @k() { ret void }\n"
    checked = 0
    for arch in MACHINES:
        output = tmp_path / f"{arch}.co"
        command = ["clang-19", "-w", "--target=amdgcn-amd-amdhsa", "-nogpulib", f"-mcpu={arch}"]
        command += ["-x", "ir", "-c", "-", "-o", str(output)]
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        if "invalid target ID" in done.stderr:
            continue
        assert wrong(output, arch) == ""
        checked += 1
    assert checked > 15
