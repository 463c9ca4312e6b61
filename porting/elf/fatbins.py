"""NVIDIA's fatbins: which processors the device code of a CUDA file is for.

Source: what NVIDIA publishes in fatbinary_section.h (the wrapper) and the layout of the container
as read by the public decoders of the Cricket and cuda-fatbin-decompression projects.
"""

import struct
from collections.abc import Iterator
from typing import Final

from porting.elf.view import View

MAGIC: Final = 0xBA55ED50
_HEAD = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQ12xI")  # kind, version, size of the header, size of the content, arch
_BYTES: Final = struct.pack("<I", MAGIC)
_PTX, _ELF = 1, 2
_PREFIX: Final = {_PTX: "compute_", _ELF: "sm_"}


def read_fatbins(view: View) -> Iterator[tuple[str, ...]]:
    """Yield the targets of every fatbin in a section: sm_90 is machine code, compute_90 PTX."""
    place = view.find(_BYTES)
    while place >= 0:
        _, _, head, size = view.unpack(_HEAD, place, "a fatbin")
        if head < _HEAD.size or place + head + size > view.size:
            raise view.damaged(f"the fatbin at {place:#x} claims {head} + {size} bytes")
        yield tuple(_targets(view, place + head, place + head + size))
        place = view.find(_BYTES, place + head + size)


def _targets(view: View, place: int, end: int) -> Iterator[str]:
    while place + _ENTRY.size <= end:
        kind, _, head, size, arch = view.unpack(_ENTRY, place, "an entry of a fatbin")
        if head < _ENTRY.size or place + head + size > end:
            raise view.damaged(f"the fatbin's entry at {place:#x} claims {head} + {size} bytes")
        if kind in _PREFIX:
            yield f"{_PREFIX[kind]}{arch}"
        place += head + size
