"""How a program is linked on one platform, as data: the source of every build fragment.

CUDA: the runtime statically, with what its archive needs.  ROCm: libamdhip64 shared, as no static
form of it exists, found through a RUNPATH.  On both, drivers and communication libraries are opened
at run time, so that a program starts where they are missing and shares the copy that is loaded.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from porting.config import Target
from porting.errors import UsageError
from porting.link.libraries import How, Library, Side, libraries

PLATFORMS: Final = ("cuda", "rocm")
# What libcudart_static.a needs; NVIDIA's documentation of static linking names the three.
_CUDA_SYSTEM: Final = ("rt", "pthread", "dl")
_CUDA_ARCH: Final = re.compile(r"[1-9]\d{1,2}[af]?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Linked:
    """One library in a plan: `name` is what -l is given, `soname` what is opened or needed."""

    library: Library
    how: How
    name: str
    soname: str
    package: str
    target: str
    pkg_config: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON form."""
        return {
            "library": self.library.id,
            "how": self.how.value,
            "name": self.name,
            "soname": self.soname,
            "cmake_package": self.package,
            "cmake_target": self.target,
            "pkg_config": self.pkg_config,
            "interface": self.library.interface.value or "none",
        }


@dataclass(frozen=True)
class LinkPlan:
    """How a program is linked on `platform`.

    `archs`: the processors of its device code.  `system`: libraries of the system.  `runpath`:
    folders below the toolkit's home.  `missing`: (CUDA library, advice) without counterpart.
    """

    platform: str
    rocm: str
    archs: tuple[str, ...]
    libraries: tuple[Linked, ...]
    system: tuple[str, ...]
    runpath: tuple[str, ...]
    defines: tuple[str, ...]
    missing: tuple[tuple[str, str], ...] = ()

    def linked(self, *ways: How) -> tuple[Linked, ...]:
        """Return the libraries that are linked in one of these ways."""
        return tuple(item for item in self.libraries if item.how in ways)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the JSON form."""
        return {
            "platform": self.platform,
            "rocm": self.rocm if self.platform == "rocm" else None,
            "archs": list(self.archs),
            "libraries": [item.to_json() for item in self.libraries],
            "system": list(self.system),
            "runpath": list(self.runpath),
            "defines": list(self.defines),
            "missing": [{"library": name, "help": advice} for name, advice in self.missing],
        }


def link_plan(
    platform: str,
    target: Target,
    uses: Mapping[str, How | None] | Iterable[str] | None = None,
    archs: tuple[str, ...] = (),
) -> LinkPlan:
    """Return the plan for a platform.

    `uses`: ids of libraries, with how they are reached where that is known; None: every library
    that is linked or opened on CUDA.  `archs`: for CUDA, where the target's are not.
    Raises UsageError for an unknown platform, library or CUDA architecture.
    """
    if platform not in PLATFORMS:
        raise UsageError(f"'{platform}' is no platform; one of {', '.join(PLATFORMS)} is needed")
    from porting.rules.strings.sonames import NO_DROP_INS  # late: the audit needs no rules

    chosen = _chosen(uses)
    linked: dict[str, Linked] = {}
    missing: list[tuple[str, str]] = []
    for library, how in chosen:
        item = _linked(platform, target, library, how)
        if item is None:
            advice = NO_DROP_INS.get(library.id, "ROCm has no library in its place")
            missing.append((library.id, advice))
        elif item.name not in linked or item.how is not How.DLOPEN:
            linked.setdefault(item.name, item)
    is_rocm = platform == "rocm"
    if not is_rocm:
        check_cuda_archs(archs)
    return LinkPlan(
        platform,
        target.rocm,
        target.archs if is_rocm else archs,
        tuple(linked.values()),
        ("dl",) if is_rocm else _CUDA_SYSTEM,
        ("lib",) if is_rocm else (),
        ("__HIP_PLATFORM_AMD__=1",) if is_rocm else (),
        tuple(missing),
    )


def check_cuda_archs(archs: Iterable[str]) -> None:
    """Raise UsageError for what nvcc's architectures are not written like."""
    for arch in archs:
        if not _CUDA_ARCH.fullmatch(arch):
            raise UsageError(f"'{arch}' is not a CUDA architecture; write it like 80 or 90a")


def _chosen(
    uses: Mapping[str, How | None] | Iterable[str] | None,
) -> list[tuple[Library, How | None]]:
    """Return the libraries of a plan in the table's order."""
    known = libraries()
    if uses is None:
        return [(item, None) for item in known.values() if item.cuda]
    asked = dict(uses) if isinstance(uses, Mapping) else dict.fromkeys(uses)
    if unknown := sorted(asked.keys() - known.keys()):
        raise UsageError(
            f"'{unknown[0]}' is no library of the link plan; it knows {', '.join(known)}"
        )
    return [(item, asked[name]) for name, item in known.items() if name in asked]


def _linked(platform: str, target: Target, library: Library, how: How | None) -> Linked | None:
    """Return a library's place in a plan, None when the platform has nothing in its place."""
    side = library.rocm if platform == "rocm" else library.cuda
    if side is None or side.how is How.NONE:
        return None
    how = _way(side, how)
    soname = library.soname(target.rocm) if platform == "rocm" else library.cuda_soname()
    is_static = how is How.STATIC and bool(side.static)
    return Linked(
        library,
        how,
        side.static if is_static else side.name,
        "" if how in (How.HEADERS, How.STATIC) else soname,
        side.package,
        f"CUDA::{side.static}" if is_static else side.target,
        side.pkg_config,
    )


def _way(side: Side, how: How | None) -> How:
    """Return how a side is reached: as the tree does it where it can, else as planned."""
    if how is How.DLOPEN and side.how in (How.SHARED, How.DLOPEN):
        return How.DLOPEN
    if how is How.SHARED and side.how is How.DLOPEN:
        return How.SHARED
    return side.how
