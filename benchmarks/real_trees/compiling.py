"""Which units of a converted tree clang accepts, for the host and for gfx942, and what stops it."""

import os
import re
import subprocess
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, TypeVar

from benchmarks.real_trees.prefixes import Prefix, prefix_of
from benchmarks.real_trees.remembered import Outcome, Remembered
from benchmarks.real_trees.sources import Sources

ARCH = "gfx942"
# What torch.utils.cpp_extension passes in a ROCm build.
_TORCH_FLAGS = (
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
    "-DTORCH_API_INCLUDE_EXTENSION_H",
    "-DTORCH_EXTENSION_NAME=_C",
    # Thrust's headers are for complex numbers; its own CUDA back end must not be looked for.
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
)
# C++20's modules make clang compare host and device overloads of a precompiled header.
_PRECOMPILED: Final = ("-Xclang", "-fno-cxx-modules", "-fpch-instantiate-templates")
_GROUPS: Final = 4
_MISSING = re.compile(r"fatal error: '([^']+)' file not found")
_ERROR = re.compile(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_TIMEOUT = 1800
_T = TypeVar("_T")
_R = TypeVar("_R")


class Side(StrEnum):
    """Which half of a unit is compiled."""

    HOST = "host"
    DEVICE = "device"


@dataclass(frozen=True)
class Work:
    """One half of one unit of a tree; `flags` are those of the tree, `folders` its own headers."""

    root: Path
    unit: Path
    side: Side
    flags: tuple[str, ...]
    folders: tuple[Path, ...]

    @property
    def language(self) -> tuple[str, ...]:
        """The flags that say what is compiled."""
        general = ("-std=c++20", "-w", "-ferror-limit=1")
        if self.unit.suffix not in (".cu", ".hip"):
            return general
        side = f"--cuda-{self.side}-only"
        return (*general, "-x", "hip", f"--offload-arch={ARCH}", side, "-nogpulib")


@dataclass(frozen=True)
class _Read:
    """A unit that was preprocessed, and the name of its compilation."""

    work: Work
    key: str
    prefix: Prefix


@dataclass(frozen=True)
class Compiler:
    """A clang, a ROCm tree, where headers of others are, and what is known from earlier runs."""

    clang: str
    rocm: Path
    system: tuple[Path, ...]
    jobs: int
    remembered: Remembered
    sources: Sources

    def run(self, work: Sequence[Work]) -> list[Outcome]:
        """Check halves of units, in parallel; outcomes are in the same order."""
        read = self._all(self._read, work)
        unknown = {item.key: item for item in read if isinstance(item, _Read)}
        for key in list(unknown):
            if self.remembered.get(key) is not None:
                del unknown[key]
        self._compile_all(list(unknown.values()))
        return [self._outcome(item) for item in read]

    def _all(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))

    def _outcome(self, item: _Read | Outcome) -> Outcome:
        if isinstance(item, Outcome):
            return item
        known = self.remembered.get(item.key)
        if known is None:
            raise SystemExit(
                f"what clang said of {item.work.unit} is not in {self.remembered.folder}"
            )
        return known

    def _read(self, work: Work) -> _Read | Outcome:
        """Return a unit whose text is known, or preprocess it and find out what is missing."""
        before = self.sources.find(work.root, str(work.unit), self._identity(work))
        if before is not None and "key" not in before:
            return Outcome(**before)
        if before is not None and self.remembered.get(before["key"]) is not None:
            return _Read(work, before["key"], Prefix())
        return self._preprocess(work)

    def _preprocess(self, work: Work) -> _Read | Outcome:
        done = self._run([*self._command(work), str(work.unit), "-E", "-o", "-"], work.root)
        if done.returncode:
            failed = _failure(done.stderr)
            self._keep(work, done.stdout, asdict(failed))
            return failed
        text = done.stdout.replace(str(work.root).encode(), b"")
        text = text.replace(str(self.rocm).encode(), b"")
        key = self.remembered.key(text, (*work.language, *_TORCH_FLAGS))
        self._keep(work, done.stdout, {"key": key})
        known = self.remembered.get(key) is not None
        return _Read(work, key, Prefix() if known else prefix_of(done.stdout, str(work.root)))

    def _keep(self, work: Work, text: bytes, known: dict[str, str]) -> None:
        self.sources.keep(work.root, str(work.unit), self._identity(work), text, known)

    def _identity(self, work: Work) -> tuple[str, ...]:
        """Return the flags that decide, without the place of the tree."""
        folders = (str(folder.relative_to(work.root)) for folder in work.folders)
        return (self.clang, *work.language, *_TORCH_FLAGS, *work.flags, *folders)

    def _compile_all(self, units: list[_Read]) -> None:
        """Compile units, those with the same headers at their beginning together."""
        groups: dict[tuple[tuple[str, ...], tuple[str, ...], Prefix], list[_Read]]
        groups = defaultdict(list)
        for unit in units:
            groups[unit.work.language, unit.work.flags, unit.prefix].append(unit)
        with ThreadPoolExecutor(_GROUPS) as pool:
            list(pool.map(self._compile_group, groups.values()))

    def _compile_group(self, group: list[_Read]) -> None:
        with tempfile.TemporaryDirectory(prefix="precompiled-") as folder:
            shared = self._precompiled(group, Path(folder))
            self._all(lambda unit: self._compile(unit, shared), group)

    def _precompiled(self, group: list[_Read], folder: Path) -> tuple[str, ...]:
        """Return the flags that take the precompiled headers of a group; none when it has none."""
        prefix = group[0].prefix
        if len(group) == 1 or not prefix.headers:
            return ()
        source, made = folder / "prefix.cpp", folder / "prefix.pch"
        source.write_text("".join(f"#include {self._spelled(path)}\n" for path in prefix.headers))
        command = [*self._command(group[0].work), "--system-header-prefix=/"]
        if "-x" not in command:
            command += ["-x", "c++"]
        text = self._run([*command, str(source), "-E", "-o", "-"], folder)
        if text.returncode or prefix_of(text.stdout, str(folder)).digest != prefix.digest:
            return ()
        emit = ("-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang", str(made))
        if self._run([*command, *_PRECOMPILED, *emit, str(source)], folder).returncode:
            return ()
        return (*_PRECOMPILED, "-include-pch", str(made))

    def _spelled(self, path: str) -> str:
        """Return a header as an #include finds it, so that clang takes it for a system header."""
        for folder in self._places():
            if path.startswith(f"{folder}/"):
                return f"<{path[len(str(folder)) + 1 :]}>"
        return f'"{path}"'

    def _compile(self, unit: _Read, precompiled: tuple[str, ...]) -> None:
        work = unit.work
        command = [*self._command(work), *precompiled, str(work.unit), "-fsyntax-only"]
        done = self._run(command, work.root)
        self.remembered.put(unit.key, _failure(done.stderr) if done.returncode else Outcome())

    def _run(self, command: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
        with self._free:
            return subprocess.run(
                command, cwd=folder, capture_output=True, timeout=_TIMEOUT, check=False
            )

    @cached_property
    def _free(self) -> BoundedSemaphore:
        """Lets no more than `jobs` compilers run at a time, whatever asks for them."""
        return BoundedSemaphore(self.jobs)

    def _command(self, work: Work) -> list[str]:
        system = [f"--rocm-path={self.rocm}", *(f"-isystem{place}" for place in self._places())]
        own = [f"-I{place}" for place in work.folders]
        return [self.clang, *work.language, *_TORCH_FLAGS, *system, *work.flags, *own]

    def _places(self) -> tuple[Path, ...]:
        return (self.rocm / "include", *self.system, Path(sysconfig.get_path("include")))


def sides(unit: str) -> tuple[Side, ...]:
    """Return what of a unit is compiled: only CUDA sources have device code."""
    return (Side.HOST, Side.DEVICE) if unit.endswith(".cu") else (Side.HOST,)


def default_jobs() -> int:
    """Return the number of compilers to run at a time."""
    return len(os.sched_getaffinity(0))


def _failure(messages: bytes) -> Outcome:
    """Return what clang's messages say of a unit that it refused."""
    text = messages.decode(errors="replace")
    if missing := _MISSING.search(text):
        return Outcome(missing=missing[1])
    if first := _ERROR.search(text):
        return Outcome(error=f"{_short(first[1])}:{first[2]}: {first[3]}")
    return Outcome(error=text.strip()[:200] or "clang ended without a message")


def _short(path: str) -> str:
    parts = Path(path).parts
    return "/".join(parts[-3:])
