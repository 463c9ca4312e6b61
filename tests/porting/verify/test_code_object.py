"""Code objects by their ELF header."""

import struct
import subprocess
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot
from porting.toolkits.sysroot.processors import MACHINES
from porting.verify.code_object import wrong

NONE = "clang wrote no code object: {} "


def elf(machine: int = 224, flags: int = 0x54C, sections: int = 0) -> bytes:
    """Return an ELF header; `sections`: where its table is, 0 for none."""
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<HH", header, 16, 3, machine)
    struct.pack_into("<Q", header, 40, sections)
    struct.pack_into("<I", header, 48, flags)
    return bytes(header)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (elf(), ""),
        (elf(flags=0x53F), "the code object is for gfx90a, not for gfx942"),
        (elf(flags=0xFF), "the code object is for processor 0xff, not for gfx942"),
        (elf(machine=62), "clang's output is for ELF machine 62, not for an AMD GPU"),
        (
            elf(sections=64),
            NONE + "is damaged: the first section header at 0x40 (64 bytes) ends outside the file's"
            " 64 bytes",
        ),
        (
            elf()[:60],
            NONE + "is damaged: the ELF header at 0x0 (64 bytes) ends outside the file's 60 bytes",
        ),
        (b"", NONE + "is no ELF file: it is empty"),
        (
            b"BC\xc0\xde" + bytes(80),
            NONE + r"is no ELF file: it begins with b'BC\xc0\xde" + 8 * r"\x00" + "'",
        ),
    ],
)
def test_file_when_checked_for_gfx942(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "k.co"
    path.write_bytes(data)
    assert wrong(path, "gfx942") == reason.format(path)


def test_file_when_missing(tmp_path: Path) -> None:
    path = tmp_path / "k.co"
    expected = f"clang wrote no code object: {path} cannot be read: no such file or directory"
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
