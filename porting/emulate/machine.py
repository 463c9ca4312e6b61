"""What a program is emulated with: the platform's libraries, its sidecar, its devices."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porting.emulate import libraries, sidecar
from porting.emulate.cache_limit import in_use, mark_used
from porting.emulate.faults import numbered
from porting.emulate.frontend import Platform
from porting.emulate.launch import Machine
from porting.emulate.toolkits import Say, headers, silent
from porting.emulate.unit_cache import digest_of_file
from porting.emulate.units import Unit, units_of
from porting.errors import InputError, UsageError
from porting.toolkits.cachedir import build_once, cache_root

# Lanes of a wave, by architecture: those that native/core/device.cpp has products of.
_WAVES = {
    "cuda": {"sm_80": 32, "sm_90": 32},
    "rocm": {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32},
}
_DEFAULTS = {("cuda", 32): "sm_90", ("rocm", 64): "gfx942", ("rocm", 32): "gfx1100"}
# Bytes of the arena that native/core/arena.h reserves at most.
MOST_MEMORY = 256 << 30
_SIDECAR = "sidecar.so"
_LANGUAGES = {"cuda": "cuda", "rocm": "hip"}


@dataclass(frozen=True)
class Request:
    """What was asked for; `arch` and `wave` may be left to each other, `platform` to the units."""

    builds: tuple[Path, ...] = ()
    sidecars: tuple[Path, ...] = ()
    platform: str = ""
    wave: int = 0
    arch: str = ""
    devices: int = 1
    memory: str = ""
    seed: int = 0
    delay_us: int = 0
    faults: str = ""
    leaks: bool = False


def prepare(request: Request, say: Say) -> Machine:
    """Build what a program needs to run emulated; see `build_sidecar`."""
    units = [unit for build in request.builds for unit in units_of(build)]
    name = platform_of(request, units)
    arch, wave = architecture(name, request.arch, request.wave)
    vendor = headers(name, say)
    faults = numbered(request.faults, vendor)
    platform = Platform(vendor, arch, wave)
    sidecars = list(request.sidecars)
    with in_use():
        built = libraries.build(vendor, say)
        if request.builds:
            sidecars.append(build_sidecar(units, platform, built, say))
    return Machine(
        built,
        tuple(path.absolute() for path in sidecars),
        arch,
        vendor.release,
        wave,
        request.devices,
        request.memory,
        request.seed,
        request.delay_us,
        faults,
        request.leaks,
    )


def build_sidecar(
    units: Sequence[Unit], platform: Platform, built: Path, say: Say = silent
) -> Path:
    """Return the sidecar of units, built unless it is there as it would be."""
    wanted = _LANGUAGES[platform.headers.platform]
    mine = [unit for unit in units if unit.language == wanted]
    if not mine:
        raise InputError(
            f"no unit with {wanted.upper()} kernels is in the build folder; name that of the "
            f"{platform.headers.platform} build"
        )
    objects = sidecar.objects_of(mine, platform, say)
    read = [
        f"{unit.source} {digest_of_file(str(made))}"
        for unit, made in zip(mine, objects, strict=True)
    ]
    label = "\n".join([platform.arch, str(platform.wave), str(built), *read])
    digest = hashlib.sha256(label.encode()).hexdigest()[:16]
    folder = build_once(
        cache_root() / "emulate" / "sidecars" / digest,
        lambda place: sidecar.link(mine, objects, platform, built, place / _SIDECAR),
    )
    mark_used(folder)
    return folder / _SIDECAR


def platform_of(request: Request, units: Sequence[Unit]) -> str:
    """Return the platform: as asked for, else that of the units."""
    if request.platform:
        return request.platform
    languages = {unit.language for unit in units}
    if len(languages) != 1:
        found = "units of both" if languages else "nothing that says which"
        raise UsageError(f"there is {found} platform to emulate; give --platform cuda or rocm")
    return "cuda" if languages == {"cuda"} else "rocm"


def architecture(platform: str, arch: str, wave: int) -> tuple[str, int]:
    """Return an architecture and the lanes of its waves, of which one may be missing."""
    if not arch:
        default = 64 if platform == "rocm" else 32
        found = _DEFAULTS.get((platform, wave or default))
        if found is None:
            raise UsageError(f"no GPU of {platform} has waves of {wave} lanes; leave --wave out")
        return found, wave or default
    known = _WAVES[platform]
    if arch not in known:
        raise UsageError(
            f"{arch} is no GPU of {platform} that is emulated; say {', '.join(known)} with --arch"
        )
    own = known[arch]
    if wave and wave != own:
        raise UsageError(f"{arch} has waves of {own} lanes, not {wave}; leave one of both out")
    return arch, own
