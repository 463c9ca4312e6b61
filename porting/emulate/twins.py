"""A CUDA tree and its port, both built and run on emulated GPUs, and compared."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from porting.building.copying import copy_tree
from porting.building.toolset import Toolset, find
from porting.config import Target
from porting.emulate import libraries
from porting.emulate.comparison import Run
from porting.emulate.faults import numbered, without_those_of_others
from porting.emulate.launch import buffers_of, run
from porting.emulate.machine import Request, architecture, prepare
from porting.emulate.static_runtime import check
from porting.emulate.toolkits import Say, headers
from porting.errors import InputError, UsageError
from porting.processes import run as run_command
from porting.settings import load_settings

_SECONDS = 1800


@dataclass(frozen=True)
class Twins:
    """A CUDA tree, the program of its build to run, its arguments, and the machine.

    The request's `arch` and `wave` are those of the ROCm GPU; it names no builds.
    """

    source: Path
    program: str
    arguments: tuple[str, ...]
    request: Request


def both(twins: Twins, scratch: Path, say: Say) -> tuple[Run, Run]:
    """Return the runs of the tree and of its port; places of either are relative to the tree.

    Raises InputError when one of both cannot be ported or built.
    """
    # Who only runs a program does not wait for all rules to be imported.
    from porting.port import PortRequest, port

    if not (twins.source / "CMakeLists.txt").is_file():
        raise UsageError(
            f"{twins.source} has no CMakeLists.txt; only CMake's builds can be compared"
        )
    trees = {"cuda": scratch / "cuda", "rocm": scratch / "rocm"}
    settings = load_settings(twins.source)
    arch, wave = architecture("rocm", twins.request.arch, twins.request.wave)
    target = Target(archs=(arch,), hipify_launches=settings.hipify_launches)
    faults = {platform: _faults_of(twins.request.faults, platform, say) for platform in trees}
    copy_tree(twins.source, trees["cuda"])
    port(PortRequest(twins.source, trees["rocm"], target, settings, verify=False))
    machines = {
        "cuda": replace(twins.request, platform="cuda", arch="", wave=0, faults=faults["cuda"]),
        "rocm": replace(
            twins.request, platform="rocm", arch=arch, wave=wave, faults=faults["rocm"]
        ),
    }
    cuda, rocm = (
        _one(replace(twins, request=machines[platform]), trees[platform], target, say)
        for platform in trees
    )
    return cuda, rocm


def _faults_of(faults: str, platform: str, say: Say) -> str:
    """Return the faults of one build, by numbers; the other's errors are the other build's."""
    mine = without_those_of_others(faults, platform)
    return numbered(mine, headers(platform, say)) if mine else ""


def _one(twins: Twins, tree: Path, target: Target, say: Say) -> Run:
    platform = twins.request.platform
    say(f"building {platform}")
    built = tree.with_name(f"{platform}-build")
    _build(tree, built, platform, target, say)
    machine = prepare(replace(twins.request, builds=(built,)), say)
    program = built / twins.program
    if not program.is_file():
        raise UsageError(f"the {platform} build made no {twins.program}; name a file of its build")
    check(program, os.environ)
    results = tree.with_name(f"{platform}-results")
    results.mkdir()
    report, trace, output = (results / name for name in ("findings", "trace", "stdout"))
    say(f"running {platform}")
    outcome = run([str(program), *twins.arguments], machine, report, trace, output)
    findings = tuple(
        {**each, "at": _in_tree(each["at"], "file", tree)} for each in outcome.findings
    )
    buffers = tuple(_in_tree(each, "at", tree) for each in buffers_of(trace))
    return Run(platform, outcome.status, output.read_bytes(), findings, buffers)


def _in_tree(record: Mapping[str, Any], key: str, tree: Path) -> Mapping[str, Any]:
    """Return a record whose path does not begin with the tree's: that is gone when it is read."""
    return {**record, key: str(record[key]).removeprefix(f"{tree}/")}


def _build(tree: Path, folder: Path, platform: str, target: Target, say: Say) -> None:
    """Build a tree in a folder, with debug information."""
    toolset = find(platform, target, say, os.environ)
    configure = ["cmake", "-S", str(tree), "-B", str(folder), "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    configure += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_PREFIX_PATH={toolset.home}"]
    configure += [f"-DGPU_PLATFORM={platform}", *(_shared(say) if platform == "cuda" else ())]
    for command in (configure, ["cmake", "--build", str(folder), "--parallel"]):
        _run(command, toolset, tree)


def _shared(say: Say) -> Sequence[str]:
    """Return the settings by which CMake links cudart as a shared library, whatever a tree says."""
    emulated = libraries.build(headers("cuda", say), say) / "libcudart.so.13"
    return ("-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared", f"-DCUDA_cudart_static_LIBRARY={emulated}")


def _run(command: Sequence[str], toolset: Toolset, tree: Path) -> None:
    done = run_command(command, tree, toolset.environment(os.environ), _SECONDS)
    if done.code:
        raise InputError(f"{tree.name}: {' '.join(command)} failed:\n{done.output[-4000:]}")
