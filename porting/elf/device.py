"""The device code that a host file carries, by format: what it was compiled for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.elf import bundles, fatbins
from porting.elf.layout import SHF_ALLOC, Layout, Section

HIP_FATBIN: Final = ".hip_fatbin"
NV_FATBIN: Final = ".nv_fatbin"
# The host file of a -fgpu-rdc compilation holds one section per target, named after it.
_BUNDLE_PREFIX: Final = "__CLANG_OFFLOAD_BUNDLE__"
_NVIDIA: Final = (NV_FATBIN, "__nv_relfatbin", ".nvFatBin")


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """One bundle of device code: a compilation's, or a linked one.

    `targets`: "gfx90a:xnack+" for AMD; "sm_90" (machine code) and "compute_90" (PTX) for NVIDIA.
    `unreadable`: why they are not known, "" when they are.
    """

    section: str
    platform: str
    targets: tuple[str, ...]
    unreadable: str = ""


def read_device_code(layout: Layout) -> tuple[DeviceCode, ...]:
    """Return every bundle of device code in a file, in its order.  Raises ElfError."""
    return tuple(code for section in layout.sections for code in _in(layout, section))


def _in(layout: Layout, section: Section) -> Iterator[DeviceCode]:
    name = section.name
    if name == HIP_FATBIN or (name.startswith(HIP_FATBIN) and section.flags & SHF_ALLOC):
        if name != f"{HIP_FATBIN}Segment":
            yield from (
                DeviceCode(name, "rocm", targets, why)
                for targets, why in bundles.read_bundles(layout.content(section))
            )
    elif name in _NVIDIA:
        yield from (
            DeviceCode(name, "cuda", targets)
            for targets in fatbins.read_fatbins(layout.content(section))
        )
    elif name.startswith(_BUNDLE_PREFIX):
        target = bundles.target_of(name.removeprefix(_BUNDLE_PREFIX))
        if target:
            yield DeviceCode(name, "rocm", (target,))
    elif name == ".llvm.offloading":
        yield from (
            DeviceCode(name, platform, (target,))
            for platform, target in bundles.read_packages(layout.content(section))
        )
