"""Compile every unit of a ported tree for the host and for each architecture."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.errors import InputError, ToolchainError
from porting.processes import scratch_folder
from porting.reports import Outcome, Stage, Verdict
from porting.toolkits.sysroot import NoHeadersError
from porting.verify import database
from porting.verify import toolchain as toolchains
from porting.verify.commands import Compiler, Flags
from porting.verify.findings import Origin, diagnostics
from porting.verify.results import (
    DEVICE,
    HOST,
    Job,
    Result,
    headers_used,
    judge,
    not_compiled,
    not_possible,
)
from porting.verify.run import Runner
from porting.verify.sources import Language, SourceTree, Unit
from porting.verify.summary import STAGES, release_note, stages, verdicts
from porting.verify.toolchain import Toolchain

_NO_UNIT = "no unit of C, C++ or HIP is there to compile"
# The host side is the same for every architecture; this one is known to every clang in use.
_ANY_ARCH = "gfx90a"

Progress = Callable[[int, int, str], None]


def _same(file: str, line: int) -> tuple[str, int]:
    return file, line


def _silent(_done: int, _total: int, _path: str) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class VerifyRequest:
    """What to compile, for what, and how.

    `root` is a ported tree or one file of it.  `flags` holds further include folders, macros and
    compiler flags.  `origin` maps a file and line of the output to those of the input.  `timeout`
    is for one compilation, in seconds.
    """

    root: Path
    target: Target = field(default_factory=Target)
    flags: Flags = field(default_factory=Flags)
    origin: Origin = _same
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    timeout: float = 600.0


@dataclass(frozen=True)
class Verification:
    """The stages with their counts, the verdicts per unit, and the findings.

    Paths of `verdicts` are the output's, those of `diagnostics` the input's.
    """

    stages: tuple[Stage, ...]
    verdicts: Mapping[str, tuple[Verdict, ...]]
    diagnostics: tuple[Diagnostic, ...]


def verify(request: VerifyRequest, progress: Progress = _silent) -> Verification:
    """Compile the units of a tree; never raises for what a unit or a toolchain lacks.

    `progress` gets (done, total, path) after each compilation, and (0, 0, text) for a slow step
    before the first, such as a download.
    Without a compiler or a ROCm tree both stages are unavailable, with the reason; when no headers
    of the release exist, every unit is not verified.  Raises InputError for a missing root.
    """
    tree = _tree(request.root)
    archs = request.target.archs
    try:
        toolchain = toolchains.find(request.target.rocm, lambda text: progress(0, 0, text))
    except NoHeadersError as error:
        jobs = _jobs(tree.units(), archs)
        return _summary(request, tree, [not_possible(job, str(error)) for job in jobs])
    except ToolchainError as error:
        return _summary(request, tree, [], dict.fromkeys(STAGES, str(error)))
    unavailable = {}
    if toolchain.linker is None:
        major = toolchain.clang.major
        unavailable[DEVICE] = f"ld.lld of clang {major} is missing; install lld-{major}"
    session = _Session(request, tree, toolchain, () if unavailable else archs, progress)
    try:
        results = session.run()
    except OSError as error:  # no place for temporary files, no process to be had
        reason = f"{error}; compilers need room in {tempfile.gettempdir()}: set TMPDIR"
        return _summary(request, tree, [], dict.fromkeys(STAGES, reason))
    done = _summary(request, tree, results, unavailable, toolchain)
    if not results:
        return _noted(done, _NO_UNIT)
    return _noted(done, database.unused(tree.root, session.database))


def _noted(done: Verification, note: str) -> Verification:
    def told(stage: Stage) -> Stage:
        return replace(stage, note="; ".join(filter(None, (stage.note, note))))

    return replace(done, stages=tuple(map(told, done.stages)))


def _summary(
    request: VerifyRequest,
    tree: SourceTree,
    results: Sequence[Result],
    unavailable: Mapping[str, str] = MappingProxyType({}),
    toolchain: Toolchain | None = None,
) -> Verification:
    note = release_note(request.target.rocm) if toolchain else ""
    return Verification(
        stages(results, unavailable, note),
        verdicts(results, toolchain.sysroot if toolchain else None),
        tuple(diagnostics(results, tree.root, request.target, request.origin)),
    )


def _tree(root: Path) -> SourceTree:
    path = root.absolute()
    if path.is_dir():
        return SourceTree(path)
    if path.is_file():
        return SourceTree(path.parent, path.name)
    message = f"{root} does not exist; give a ported tree or a file of one"
    raise InputError(message)


def _jobs(units: Iterable[Unit], archs: Sequence[str]) -> list[Job]:
    jobs: list[Job] = []
    for unit in units:
        jobs.append(Job(unit, HOST))
        if unit.language is Language.HIP:
            jobs += [Job(unit, DEVICE, arch) for arch in archs]
    return jobs


class _Session:
    """The compilations of one run: they share a scratch folder and a pool of threads."""

    def __init__(
        self,
        request: VerifyRequest,
        tree: SourceTree,
        toolchain: Toolchain,
        archs: Sequence[str],
        progress: Progress,
    ) -> None:
        self._request = request
        self._tree = tree
        self._toolchain = toolchain
        self._archs = archs
        self._progress = progress
        self.database = database.load(tree.root)
        self._compiler = Compiler(toolchain, tree, request.flags, self.database)
        able = [arch for arch in request.target.archs if not toolchain.why_not(arch)]
        self._done = self._total = 0
        self._host_arch = able[0] if able else _ANY_ARCH

    def run(self) -> list[Result]:
        """Compile the units, then the headers that none of them reaches."""
        units = [self._with_language(unit) for unit in self._tree.units()]
        with scratch_folder("porting-verify-") as scratch:
            self._runner = Runner(self._request.timeout, scratch)
            lonely = [] if self._tree.only else self._tree.lonely_headers(units)
            jobs = _jobs(units, self._archs)
            self._total = len(jobs) + len(lonely)
            results = self._all(jobs, scratch)
            alone = self._parallel([Job(unit, HOST) for unit in lonely], scratch)
        results = [_plain(result, self._tree) for result in results]
        return [*results, *(_alone(result) for result in alone)]

    def _all(self, jobs: Sequence[Job], scratch: Path) -> list[Result]:
        """Run jobs in parallel; device code only of units whose headers the host side found."""
        hosts = self._parallel([job for job in jobs if job.stage == HOST], scratch)
        missing = {r.job.unit: r for r in hosts if r.missing_headers}
        devices = [job for job in jobs if job.stage == DEVICE]
        skipped = [
            replace(missing[job.unit], job=job, headers=())
            for job in devices
            if job.unit in missing
        ]
        self._total -= len(skipped)
        left = [job for job in devices if job.unit not in missing]
        return [*hosts, *skipped, *self._parallel(left, scratch)]

    def _parallel(self, jobs: Sequence[Job], scratch: Path) -> list[Result]:
        pool = ThreadPoolExecutor(max_workers=self._request.jobs)
        running: list[Future[Result]] = []
        try:
            for number, job in enumerate(jobs):
                output = scratch / f"{number}.{job.arch or HOST[:4]}"
                running.append(pool.submit(self._one, job, output))
            for future in as_completed(running):
                self._done += 1
                self._progress(self._done, self._total, future.result().job.unit.path)
        except BaseException:
            # Not by leaving a `with`: that waits for compilers that nobody wants any more.
            self._runner.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return [future.result() for future in running]

    def _one(self, job: Job, output: Path) -> Result:
        """Compile one job.  Runs in a thread of the pool."""
        if job.stage == DEVICE and (reason := self._toolchain.why_not(job.arch)):
            return not_possible(job, reason)
        if job.stage == DEVICE:
            command = self._compiler.device(job.unit, job.arch, output)
        else:
            command = self._compiler.host(job.unit, self._host_arch, output)
        done = self._runner.run(command, self._tree.root)
        result = judge(job, done, output, self._request.timeout)
        if job.stage == HOST:
            result = replace(result, headers=headers_used(output, self._toolchain))
        output.unlink(missing_ok=True)
        return result

    def _with_language(self, unit: Unit) -> Unit:
        command = self._compiler.database.get(unit.path)
        is_hip = command is not None and command.is_hip
        return replace(unit, language=Language.HIP) if is_hip else unit


def _plain(result: Result, tree: SourceTree) -> Result:
    """Return a result that does not blame the port for C or C++ that has nothing of a GPU.

    Such a unit is the input's, as it was; what it lacks here (a header that another one brings in
    elsewhere, an older compiler) says nothing about the port.
    """
    unit = result.job.unit
    if result.outcome is not Outcome.FAILED or tree.reaches_gpu(unit.path):
        return result
    first = result.errors[0].text
    return not_compiled(result.job, f"this unit has nothing of a GPU and fails here: {first}")


def _alone(result: Result) -> Result:
    """Return a header's result: one that needs an includer says nothing when compiled alone."""
    if result.outcome is not Outcome.FAILED:
        return result
    reason = "no unit includes this header, and it does not compile by itself"
    return not_compiled(result.job, reason)
