"""Build the programs of the folder planted, for CUDA and as their port, and emulate them."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porting.emulate.launch import findings_of
from tests.porting.conftest import REPOSITORY

SOURCES = Path(__file__).with_name("planted")
SOURCE = SOURCES / "smoothing.cu"
_BUILDS = REPOSITORY / "build" / "planted"
_TARGET = "gfx942"
_SECONDS = 500


@dataclass(frozen=True)
class Emulated:
    """How a program under `porting emulate` went."""

    status: int
    output: str
    errors: str
    findings: list[dict[str, Any]]

    @property
    def places(self) -> set[tuple[str, str, int]]:
        """The code, the file's name and the line of each place that the findings name."""
        return {
            (found["code"], Path(place["file"]).name, place["line"])
            for found in self.findings
            for place in (found["at"], *found["also"])
        }


@dataclass(frozen=True)
class Planted:
    """The built programs of a platform."""

    platform: str
    home: Path
    build: Path

    def emulate(self, program: str, folder: Path, *options: str) -> Emulated:
        """Run a program to its end; its report is written into `folder`."""
        return self.emulate_without(program, folder, "--build-dir", str(self.build), *options)

    def emulate_without(self, program: str, folder: Path, *options: str) -> Emulated:
        """Run a program whose kernels nobody has named."""
        report = folder / f"{self.platform}-{program}.jsonl"
        words = ["emulate", "--platform", self.platform, "--report", str(report)]
        words += [*options, "--", str(self.build / "planted"), program]
        done = porting(self.platform, self.home, words)
        findings = [dict(found) for found in findings_of(report)]
        return Emulated(done.returncode, done.stdout, done.stderr, findings)


def porting(
    platform: str, home: Path, words: list[str], folder: Path = REPOSITORY
) -> "subprocess.CompletedProcess[str]":
    """Run the command with a platform's toolkit to its end."""
    return subprocess.run(
        [sys.executable, "-m", "porting", *words],
        cwd=folder,
        env=_environment(platform, home),
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )


def line_of(fault: str) -> int:
    """Return the line of the source that a fault is planted at; the port keeps lines."""
    lines = SOURCE.read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if f"// planted: {fault}" in line)


def built(platform: str, home: Path) -> Planted:
    """Return the programs of a platform; the first process builds them, others wait for it."""
    folder = _BUILDS / platform
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = folder / "digest.txt"
        digest = _digest(platform, home)
        if not stamp.is_file() or stamp.read_text() != digest:
            stamp.unlink(missing_ok=True)
            _build(platform, home, folder)
            stamp.write_text(digest)
    build = folder / "build"
    # What is compiled is told at the first run, and tests look at what else is said.
    words = ["emulate", "--platform", platform, "--build-dir", str(build), "--", "true"]
    said = porting(platform, home, words)
    assert said.returncode == 0, said.stdout + said.stderr
    return Planted(platform, home, build)


def _digest(platform: str, home: Path) -> str:
    """Return what changes with the sources, and for a port with the tool that makes it."""
    files = sorted(SOURCES.iterdir())
    if platform == "rocm":
        emulator = REPOSITORY / "porting" / "emulate"
        tool = sorted((REPOSITORY / "porting").rglob("*"))
        files += [p for p in tool if p.suffix in {".py", ".tsv"} and emulator not in p.parents]
    found = hashlib.sha256(f"{home}\n".encode())
    for path in files:
        found.update(f"{path.name}\n".encode() + path.read_bytes())
    return found.hexdigest()


def _build(platform: str, home: Path, folder: Path) -> None:
    source, target = SOURCES, folder / "build"
    shutil.rmtree(target, ignore_errors=True)
    if platform == "cuda":
        options = [f"-DCMAKE_CUDA_COMPILER={home}/bin/nvcc", f"-DCUDAToolkit_ROOT={home}"]
    else:
        source = folder / "ported"
        words = ["port", str(SOURCES), "-o", str(source), "--no-verify", "--force"]
        said = porting(platform, home, [*words, "--arch", _TARGET])
        assert said.returncode == 0, said.stdout + said.stderr
        options = [f"-DCMAKE_HIP_COMPILER={home}/llvm/bin/clang++", f"-DCMAKE_PREFIX_PATH={home}"]
        options += [
            f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={home}",
            f"-DCMAKE_HIP_ARCHITECTURES={_TARGET}",
        ]
    configure = ["cmake", "-S", str(source), "-B", str(target), *options]
    configure.append("-DCMAKE_BUILD_TYPE=RelWithDebInfo")
    for command in (configure, ["cmake", "--build", str(target), "--parallel"]):
        done = subprocess.run(
            command,
            env=_environment(platform, home),
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def _environment(platform: str, home: Path) -> dict[str, str]:
    others = ("CUDA_HOME", "CUDA_PATH", "CUDACXX", "CUDAFLAGS", "ROCM_HOME", "LD_LIBRARY_PATH")
    inherited = {name: text for name, text in os.environ.items() if name not in others}
    name = "CUDA_HOME" if platform == "cuda" else "ROCM_PATH"
    return {**inherited, name: str(home), "PYTHONPATH": str(REPOSITORY)}
