"""What an ELF file, an object or a static archive says, read with the standard library alone.

Not pyelftools: it reads every record as an object of its own, which takes minutes for an archive
of many sections, and it follows the counts of a damaged file wherever they lead.  The tests compare
this reader with it.
"""

from porting.elf.device import DeviceCode
from porting.elf.file import Binary, ElfFile, Other, Wanted, parse_binary, read_binary, read_machine
from porting.elf.layout import EM_AMDGPU, Kind, Section
from porting.elf.pic import FixedPlace
from porting.elf.symbols import Undefined
from porting.elf.view import ElfError

__all__ = [
    "EM_AMDGPU",
    "Binary",
    "DeviceCode",
    "ElfError",
    "ElfFile",
    "FixedPlace",
    "Kind",
    "Other",
    "Section",
    "Undefined",
    "Wanted",
    "parse_binary",
    "read_binary",
    "read_machine",
]
