"""Clang's containers of device code: offload bundles, plain or compressed, and packages.

Source: clang's documentation "Clang Offload Bundler", with the compressed header of
llvm/lib/Object/OffloadBundle.cpp; llvm/include/llvm/Object/OffloadBinary.h for packages.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

from porting.elf.view import View, text_at
from porting.elf.zstd import ZstdUnavailable, decompress_start

PLAIN: Final = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED: Final = b"CCOB"
PACKAGE: Final = b"\x10\xff\x10\xad"

_COUNT = struct.Struct("<Q")
_ENTRY = struct.Struct("<QQQ")
_METHOD = struct.Struct("<4xHH")
# Version -> the rest of the header: (whole size,) uncompressed size, hash.
_SIZES = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_PACKAGE = struct.Struct("<4xIQQQ")
_IMAGE = struct.Struct("<HHIQQQQ")
_ZLIB, _ZSTD = 0, 1
_KINDS: Final = {2: "cuda", 3: "rocm", 4: "rocm"}  # OFK_Cuda; OFK_HIP, which LLVM 20 renumbered
_MOST_ENTRIES: Final = 4096
# The list of a bundle's entries stands at its beginning: no more is decompressed.
_START: Final = 1 << 18
_PARTS_OLD: Final = 5  # kind, architecture, vendor, system, target; newer: an environment before it


def read_bundles(view: View) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the targets of every bundle of a section, and why they cannot be told ("" if so).

    A linked section holds one bundle per compilation, each at its own alignment.
    """
    place = 0
    nearest = _Nearest(view)
    while (found := nearest.after(place)) >= 0:
        if view.begins(PLAIN, found):
            targets, end = _plain(view, found)
            yield targets, ""
        else:
            targets, why, end = _compressed(view, found)
            yield targets, why
        place = max(end, found + len(COMPRESSED))


class _Nearest:
    """Finds where the next bundle begins: compressed ones only where they can be aligned.

    What was found farther on is kept: a search for each bundle through all of a section takes
    minutes where there are some thousands.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._plain = self._packed = 0
        self._place = -1

    def after(self, place: int) -> int:
        """Return the first place from `place` on, which only grows; -1 for none."""
        if 0 <= self._plain < place or self._place < 0:
            self._plain = self._view.find(PLAIN, place)
        if 0 <= self._packed < place or self._place < 0:
            self._packed = self._find_packed(place)
        self._place = place
        found = [start for start in (self._plain, self._packed) if start >= 0]
        return min(found, default=-1)

    def _find_packed(self, place: int) -> int:
        packed = self._view.find(COMPRESSED, place)
        while packed >= 0 and not (packed % 8 == 0 and _is_header(self._view, packed)):
            packed = self._view.find(COMPRESSED, packed + 1)
        return packed


def _is_header(view: View, place: int) -> bool:
    if place + 20 > view.size:
        return False
    version, method = view.unpack(_METHOD, place, "a compressed bundle")
    return version in _SIZES and method in (_ZLIB, _ZSTD)


def _plain(view: View, place: int) -> tuple[tuple[str, ...], int]:
    """Return the targets of a bundle and where its last code object ends."""
    targets = []
    end = place
    for offset, size, name in _entries(view, place):
        end = max(end, place + offset + size)
        target = target_of(name)
        if target:
            targets.append(target)
    return tuple(targets), min(end, view.size)


def _entries(view: View, place: int) -> Iterator[tuple[int, int, str]]:
    (count,) = view.unpack(_COUNT, place + len(PLAIN), "the number of a bundle's entries")
    if count > _MOST_ENTRIES:
        raise view.damaged(f"the bundle at {place:#x} claims {count} entries")
    entry = place + len(PLAIN) + _COUNT.size
    for _ in range(count):
        offset, size, length = view.unpack(_ENTRY, entry, "an entry of a bundle")
        name = view.copy(entry + _ENTRY.size, length, "the name of a bundle's entry")
        yield offset, size, name.decode("latin-1")
        entry += _ENTRY.size + length


def _compressed(view: View, place: int) -> tuple[tuple[str, ...], str, int]:
    """Return the targets of a compressed bundle, why they are not known, and where it may end."""
    version, method = view.unpack(_METHOD, place, "a compressed bundle")
    sizes = view.unpack(_SIZES[version], place + _METHOD.size, "a compressed bundle")
    head = _METHOD.size + _SIZES[version].size
    whole = sizes[0] if version > 1 else view.size - place
    if not head < whole <= view.size - place:
        raise view.damaged(f"the compressed bundle at {place:#x} claims {whole} bytes")
    end = place + whole if version > 1 else place + head
    data = view.copy(place + head, whole - head, "a compressed bundle")
    try:
        plain = _inflate(data) if method == _ZLIB else decompress_start(data, _START)
    except ZstdUnavailable as error:
        return (), str(error), end
    except (zlib.error, ValueError) as error:
        raise view.damaged(f"the bundle at {place:#x} does not decompress: {error}") from error
    inner = View(plain, 0, len(plain), f"{view.name} (decompressed)")
    if not inner.begins(PLAIN):
        raise view.damaged(f"the compressed bundle at {place:#x} holds no bundle")
    names = (name for _, _, name in _entries(inner, 0))
    return tuple(target for target in map(target_of, names) if target), "", end


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _START)


def target_of(entry: str) -> str:
    """Return the processor of an entry such as hipv4-amdgcn-amd-amdhsa--gfx90a; "" for the host."""
    kind, _, rest = entry.partition("-")
    if not kind.startswith("hip"):
        return ""
    parts = rest.split("-", 4)
    if len(parts) == _PARTS_OLD and parts[3] in ("", "unknown", "gnu"):
        return parts[4]
    return "-".join(parts[3:])


def read_packages(view: View) -> Iterator[tuple[str, str]]:
    """Yield platform and target of every image in a section of clang's newer driver."""
    place = view.find(PACKAGE)
    while place >= 0:
        _, size, entry, _ = view.unpack(_PACKAGE, place, "an offload package")
        image = view.unpack(_IMAGE, place + entry, "an offload package's image")
        _, kind, _, strings, count, _, _ = image
        if count > _MOST_ENTRIES:
            raise view.damaged(f"the offload package at {place:#x} claims {count} names")
        whole = view.copy(place, min(size, view.size - place), "an offload package")
        for number in range(count):
            row = view.unpack(_PAIR, place + strings + number * _PAIR.size, "a name of a package")
            if text_at(whole, row[0]) == "arch" and kind in _KINDS:
                yield _KINDS[kind], text_at(whole, row[1])
        place = view.find(PACKAGE, place + max(size, len(PACKAGE)))


_PAIR = struct.Struct("<QQ")
