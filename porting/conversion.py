"""Port many files: in this process, or in several when there is enough to do."""

import ctypes
import gc
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.errors import PortingError
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.rules import Project
from porting.source import SourceFile

INTERNAL = Code(
    "SRC002",
    "internal-error",
    Severity.ERROR,
    "the tool failed on a file",
    "A rule raised an exception, which is a defect of this tool.  The file stays as it is and"
    " the others are ported.  Please report it with the message, which names the place in the"
    " tool, and if possible the file.",
)
CODES = (INTERNAL,)

# Below this many bytes of source, starting processes costs more than they save.
_WORTH_IT = 2_000_000
_PR_SET_PDEATHSIG = 1

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Conversion:
    """What every file of a tree is ported with."""

    target: Target
    names: Names
    project: Project

    def one(self, source: SourceFile) -> Hipified:
        """Port one file; a failure of the tool becomes a finding of that file."""
        try:
            return hipify(source, self.target, self.names, self.project)
        except Exception as error:  # noqa: BLE001 - one file's defect must not lose the others
            return Hipified(source, source.data, diagnostics=(_internal(source, error),))

    def all(
        self, sources: Sequence[SourceFile], jobs: int, progress: Progress
    ) -> tuple[Hipified, ...]:
        """Port files in order; the result is the same whatever `jobs` is.

        `progress` is called with a path when it is done.  Raises PortingError when a worker dies.
        """
        heavy = sum(len(source.data) for source in sources) >= _WORTH_IT
        # A fork copies only the calling thread: with others, their locks could stay taken.
        alone = threading.active_count() == 1
        if jobs > 1 and heavy and alone:
            return tuple(self._in_processes(sources, jobs, progress))
        return tuple(self._here(sources, progress))

    def _here(self, sources: Sequence[SourceFile], progress: Progress) -> Iterator[Hipified]:
        with _without_cycle_collection():
            for source in sources:
                yield self.one(source)
                progress(source.path)

    def _in_processes(
        self, sources: Sequence[SourceFile], jobs: int, progress: Progress
    ) -> Iterator[Hipified]:
        before = set(multiprocessing.active_children())
        _Inherited.conversion, _Inherited.sources = self, sources
        pool = ProcessPoolExecutor(
            jobs, multiprocessing.get_context("fork"), _start_worker, (os.getpid(),)
        )
        try:
            for source, parts in zip(
                sources, pool.map(_convert, range(len(sources)), chunksize=4), strict=True
            ):
                data, edits, kept, suppressed = parts
                yield Hipified(
                    source, source.data if data is None else data, edits, kept, suppressed
                )
                progress(source.path)
        except BrokenProcessPool as error:
            raise PortingError(
                "a worker process died, most likely for want of memory; "
                "nothing was written; run again with --jobs 1"
            ) from error
        finally:
            for child in set(multiprocessing.active_children()) - before:
                child.kill()  # idle by now, or the run is being given up
            pool.shutdown(wait=True, cancel_futures=True)
            _Inherited.conversion, _Inherited.sources = None, ()


@contextmanager
def _without_cycle_collection() -> Iterator[None]:
    """Keep the collector from walking the files' tokens again and again: they form no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Inherited:
    """What forked workers find in their copy of memory, so that nothing is sent to them."""

    conversion: Conversion | None = None
    sources: Sequence[SourceFile] = ()


_Parts = tuple[bytes | None, tuple[Edit, ...], tuple[Diagnostic, ...], tuple[Diagnostic, ...]]


def _start_worker(parent: int) -> None:
    """End with the parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # see _without_cycle_collection
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked to be told
        os._exit(1)


def _convert(number: int) -> _Parts:
    """Port one file in a worker; the source's own bytes are not sent back."""
    conversion = _Inherited.conversion
    if conversion is None:
        raise RuntimeError("worker was started without its work")
    done = conversion.one(_Inherited.sources[number])
    data = done.data if done.changed else None
    return data, done.edits, done.diagnostics, done.suppressed


def _internal(source: SourceFile, error: Exception) -> Diagnostic:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{PurePath(frame.filename).name}:{frame.lineno}"
    message = f"the tool failed on this file, which is not ported: {error!r} at {where}"
    help_text = "report this with the message; the other files are ported"
    return INTERNAL.at(source.path, message, help_text)
