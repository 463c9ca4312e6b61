"""Whether device code is there for every processor that was asked for."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.elf import DeviceCode
from porting.link.codes import MISSING_ARCH, UNKNOWN_ARCH
from porting.link.subject import Subject

# The processors that code for a generic one runs on.
# Source: LLVM's user guide of the AMDGPU backend, "Generic Processors".
_GENERIC: Final = {
    "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
    "gfx9-4-generic": ("gfx940", "gfx941", "gfx942", "gfx950"),
    "gfx10-1-generic": ("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
    "gfx10-3-generic": tuple(f"gfx103{number}" for number in range(7)),
    "gfx11-generic": (*(f"gfx110{n}" for n in range(4)), *(f"gfx115{n}" for n in range(4))),
    "gfx12-generic": ("gfx1200", "gfx1201"),
}
_ANY: Final = "amdgcnspirv"  # compiled on the user's machine
_NUMBER: Final = re.compile(r"(sm_|compute_)?(\d+)[af]?")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the processors that are missing, of a file that has device code at all."""
    codes = subject.file.device_code
    unread = [code for code in codes if code.unreadable]
    if unread:
        message = f"{len(unread)} of {len(codes)} bundles in {unread[0].section} cannot be read: "
        advice = "install libzstd, or use Python 3.14 or newer"
        yield subject.found(UNKNOWN_ARCH, message + unread[0].unreadable, advice)
    for arch in subject.question.archs:
        is_amd = arch.startswith("gfx")
        mine = [
            c for c in codes if c.platform == ("rocm" if is_amd else "cuda") and not c.unreadable
        ]
        lacking = _lacking_amd(mine, arch) if is_amd else _lacking_nvidia(mine, arch)
        if mine and lacking:
            yield _missing(subject, arch, mine, lacking)


def _missing(subject: Subject, arch: str, codes: list[DeviceCode], lacking: int) -> Diagnostic:
    has = sorted({target for code in codes for target in code.targets})
    many = f"{lacking} of {len(codes)} bundles" if len(codes) > 1 else "the bundle"
    verb = "have" if lacking > 1 else "has"
    message = f"{many} in {codes[0].section} {verb} no code for {arch}; there is {', '.join(has)}"
    flag = f"--offload-arch={arch}" if arch.startswith("gfx") else f"-gencode for {arch}"
    return subject.found(MISSING_ARCH, message, f"compile every source with {flag} too", arch)


def _lacking_amd(codes: list[DeviceCode], arch: str) -> int:
    """Return how many bundles lack an arch: each belongs to a source with kernels of its own."""
    return sum(1 for code in codes if not any(_runs(target, arch) for target in code.targets))


def _runs(target: str, arch: str) -> bool:
    """Whether code for a target, with or without features, runs on the processor asked for."""
    if target in (arch, _ANY):
        return True
    processor, _, features = target.partition(":")
    wanted, _, asked = arch.partition(":")
    if wanted in _GENERIC.get(processor, ()):
        return True
    return processor == wanted and (not asked or not features or asked == features)


def _lacking_nvidia(codes: list[DeviceCode], arch: str) -> int:
    """Return all or none: nvcc adds a fatbin of its own that has no kernels, so one is enough."""
    wanted = _capability(arch)
    targets = {target for code in codes for target in code.targets}
    fits = any(wanted is not None and _serves(target, wanted) for target in targets)
    return 0 if fits else len(codes)


def _serves(target: str, wanted: int) -> bool:
    number = _capability(target)
    if number is None:
        return False
    if target.startswith("compute_"):
        return number <= wanted
    return number // 10 == wanted // 10 and number <= wanted


def _capability(arch: str) -> int | None:
    match = _NUMBER.fullmatch(arch)
    return int(match[2]) if match else None
