"""What this machine has for porting: every tool, where it is, and why not."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from porting.errors import ToolchainError
from porting.toolkits import clang as clangs
from porting.toolkits import detect, wheels
from porting.toolkits import sysroot as sysroots
from porting.toolkits.cachedir import cache_root
from porting.toolkits.clang import Clang
from porting.toolkits.detect import Candidate, State
from porting.toolkits.platforms import PLATFORMS, ROCM, SELECTOR

# Debian's HIP headers, which an unguarded -I/usr/include would put before the right ones.
_SYSTEM_HIP = Path("/usr/include/hip/hip_version.h")


@dataclass(frozen=True)
class Row:
    """One finding: what was looked for, its state, where or why, and what to do about it."""

    name: str
    state: State
    detail: str
    help: str = ""


def examine(environment: Mapping[str, str] = os.environ) -> list[Row]:
    """Return what was found, in the order of the stages that need it.

    Nothing is downloaded or built.  Only `verify` needs clang, lld and a ROCm tree; porting itself
    needs none of them.
    """
    rows = [*_platforms(environment)]
    compiler, compiler_rows = _compiler(environment)
    rows += compiler_rows
    if compiler is not None:
        rows += _tools(compiler)
        rows += _trees(compiler)
    rows += [_pip(), _cache()]
    if _SYSTEM_HIP.is_file():
        rows.append(_system_headers())
    return rows


def to_json(rows: list[Row]) -> list[dict[str, str]]:
    """Return rows as plain values."""
    return [
        {"name": r.name, "state": r.state.value, "detail": r.detail, "help": r.help} for r in rows
    ]


def _platforms(environment: Mapping[str, str]) -> Iterator[Row]:
    for platform in PLATFORMS:
        for candidate in detect.candidates(platform, environment):
            name = f"{platform.title} home ({candidate.source})"
            help_ = candidate.help if candidate.silent else ""
            yield Row(name, candidate.state, _home_told(candidate), help_)
    try:
        choice = detect.choose(environment)
    except ToolchainError as error:
        yield Row(SELECTOR, State.UNUSABLE, str(error))
        return
    said = "set" if environment.get(SELECTOR) else "not set, detected"
    yield Row(SELECTOR, State.USABLE, f"{choice.platform} ({said})")


def _home_told(candidate: Candidate) -> str:
    if candidate.state is not State.USABLE:
        return candidate.reason
    asked = f"; {candidate.asked}" if candidate.asked else ""
    return f"{candidate.release} at {candidate.path}{asked}"


def _compiler(environment: Mapping[str, str]) -> tuple[Clang | None, list[Row]]:
    homes = (c for c in detect.candidates(ROCM, environment) if c.state is State.USABLE)
    home = next(homes, None)
    paths = clangs.candidates(home.path if home else None)
    clang, refused = clangs.search(paths)
    rows = [Row("clang", State.UNUSABLE, f"{r.path}: {r.reason}") for r in refused]
    if clang is not None:
        return clang, [Row("clang", State.USABLE, f"{clang.text} ({clang.path})"), *rows]
    wanted = f"install clang-{clangs.TESTED} and lld-{clangs.TESTED}, or set ECLOSION_CLANG"
    return None, rows or [Row("clang", State.ABSENT, "no clang++ on PATH", wanted)]


def _tools(clang: Clang) -> Iterator[Row]:
    wanted = {
        "ld.lld": ("code objects", f"install lld-{clang.major}"),
        "clang-offload-bundler": ("objects with host and device code", _bundler(clang)),
        "llvm-objdump": ("reading code objects by hand", f"install llvm-{clang.major}"),
    }
    for name, (purpose, help_) in wanted.items():
        path = clang.tool(name)
        if path is None:
            yield Row(
                name, State.ABSENT, f"none of clang {clang.major}; needed for {purpose}", help_
            )
        else:
            yield Row(name, State.USABLE, str(path))


def _bundler(clang: Clang) -> str:
    return f"install clang-tools-{clang.major}; verify does without it"


def _trees(clang: Clang) -> Iterator[Row]:
    for rocm in sorted(sysroots.RECIPES):
        name = f"ROCm {rocm} tree"
        try:
            tree = sysroots.find(rocm, clang)
        except ToolchainError as error:
            yield Row(name, State.UNUSABLE, str(error))
            continue
        if tree is None:
            help_ = f"porting sysroot create --rocm {rocm}"
            yield Row(name, State.ABSENT, _missing_wheels(rocm), help_)
        else:
            yield Row(name, State.USABLE, f"HIP {tree.version} at {tree.path}")


def _missing_wheels(rocm: str) -> str:
    missing = [wheel.pin for wheel in sysroots.wheels_of(rocm) if not wheels.cached(wheel)]
    return f"not created; to download: {', '.join(missing)}" if missing else "not created"


def _pip() -> Row:
    try:
        return Row("pip", State.USABLE, wheels.pip_version())
    except ToolchainError as error:
        return Row("pip", State.ABSENT, str(error))


def _cache() -> Row:
    root = cache_root()
    there = [w for r in sysroots.RECIPES for w in sysroots.wheels_of(r)]
    held = sorted({wheel.pin for wheel in there if wheels.cached(wheel)})
    if not root.is_dir():
        return Row("cache", State.ABSENT, f"{root} does not exist yet")
    if not os.access(root, os.W_OK):
        return Row("cache", State.UNUSABLE, f"{root} cannot be written", "set ECLOSION_CACHE")
    return Row("cache", State.USABLE, f"{root}: {', '.join(held) or 'no wheels'}")


def _system_headers() -> Row:
    detail = f"{_SYSTEM_HIP.parent} has HIP headers of the system; verify puts its own before them"
    return Row(
        "system HIP headers", State.USABLE, detail, "remove libamdhip64-dev if builds pick them"
    )
