"""The pipeline: read a tree, port its sources, write the output, verify it, report."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from porting import conversion, hipify, inventory, suppress
from porting.config import Target
from porting.conversion import Conversion, Progress
from porting.diagnostics import Code, Diagnostic, Severity, by_place
from porting.errors import InputError, UsageError
from porting.hipify import Hipified
from porting.mapping import Names
from porting.patterns import PathPatterns
from porting.replacing import write_file
from porting.reports import FileReport, Report, Stage, State, Status, manual_lines
from porting.rules import CODES as RULE_CODES
from porting.rules import Project
from porting.settings import Settings
from porting.source import SourceFile
from porting.staging import StagedFolder, check_replaceable
from porting.syntax import declared_names, tokenize
from porting.tree import Entry, Kind, Tree, read_tree

# Every code that a run can report, in the order of the pipeline.
CODES: tuple[Code, ...] = (
    *inventory.CODES,
    *conversion.CODES,
    *hipify.CODES,
    *suppress.CODES,
    *RULE_CODES,
)
_CONTEXT_LINES = 2
_LONGEST_SHOWN = 200


@dataclass(frozen=True)
class PortRequest:
    """What to port, for what, and where to.

    `output`: None writes nothing.  `jobs`: processes to use.  `force`: replace an earlier output
    even where it was changed since.
    """

    source: Path
    output: Path | None = None
    target: Target = field(default_factory=Target)
    settings: Settings = field(default_factory=Settings)
    verify: bool = True
    jobs: int = 1
    force: bool = False


@dataclass(frozen=True)
class PortResult:
    """The report, and every source with its new text."""

    report: Report
    hipified: tuple[Hipified, ...]


def _silent(_: str) -> None:
    """Show no progress."""


def port(request: PortRequest, progress: Progress = _silent) -> PortResult:
    """Run the pipeline.

    The input is never modified.  The output is there whole or not at all.  Raises PortingError for
    what keeps it from starting or writing; everything else is a finding of the report.
    """
    request.settings.check_codes(frozenset(code.code for code in CODES))
    if request.output is not None:
        check_places(request.source, request.output, force=request.force)
    tree = _read(request)
    hipified = _convert(request, tree, progress)
    if request.output is not None:
        _write(request.output, tree, hipified, force=request.force)
    found = (*inventory.look_through(tree), *(d for done in hipified for d in done.diagnostics))
    kept, ignored = _split_ignored(found, request.settings)
    suppressed = by_place(d for done in hipified for d in done.suppressed)
    report = Report(
        source=str(request.source),
        output=None if request.output is None else str(request.output),
        root=tree.shown,
        target=request.target,
        stages=_stages(request, hipified, len(suppressed) + len(ignored)),
        files=_files(request, tree, hipified, kept),
        diagnostics=tuple(kept),
        suppressed=tuple(suppressed),
        ignored=tuple(ignored),
        codes=CODES,
        excerpts=_excerpts(tree.sources, kept),
    )
    return PortResult(report, hipified)


def check_places(source: Path, output: Path, *, force: bool = False) -> None:
    """Raise an error when `output` is no place for the port of `source`."""
    if not source.exists():
        read_tree(source)  # says what is wrong with it
    real, target = Path(os.path.realpath(source)), Path(os.path.realpath(output))
    if real == target:
        raise UsageError(
            f"{output} is the input itself; choose another output, "
            "or use `porting hipify --in-place`"
        )
    if not real.is_dir():
        if target.is_dir():
            raise UsageError(f"{output} is a folder; the output of a file is a file")
        return
    if target.is_relative_to(real):
        raise UsageError(f"{output} is inside the input {source}; choose a folder outside of it")
    if real.is_relative_to(target):
        raise UsageError(f"the input {source} is inside {output}; choose a folder beside it")
    check_replaceable(output, force=force)


def _read(request: PortRequest) -> Tree:
    settings = request.settings
    exclude, verbatim = PathPatterns(settings.exclude), PathPatterns(settings.verbatim)
    tree = read_tree(request.source, exclude, verbatim)
    if tree.single:
        _check_single(request.source, tree.sources[0])
    return tree


def _check_single(path: Path, source: SourceFile) -> None:
    """Raise InputError for a file that would come back as it is: it was named to be ported."""
    if source.is_binary:
        raise InputError(
            f"{path} is no text (it has NUL bytes), so it cannot be ported; "
            "save it as UTF-8 if it is UTF-16"
        )
    if not hipify.is_portable(source):
        raise InputError(
            f"{path} is no C, C++ or CUDA source by its name, so it cannot be ported; "
            "give it a suffix like .cu, .cuh, .cpp or .h"
        )


def _convert(request: PortRequest, tree: Tree, progress: Progress) -> tuple[Hipified, ...]:
    names = Names.load(request.target.rocm)
    project = _project(request, tree)
    return Conversion(request.target, names, project).all(tree.sources, request.jobs, progress)


def _project(request: PortRequest, tree: Tree) -> Project:
    declared = {
        name
        for source in tree.sources
        if hipify.is_portable(source)
        for name in declared_names(tokenize(source.text))
    }
    return Project(frozenset(declared), tree.paths, {}, request.settings.platform_macros)


def _write(output: Path, tree: Tree, hipified: Sequence[Hipified], *, force: bool) -> None:
    if tree.single:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_file(output, hipified[0].data, tree.entries[0].mode & 0o777)
        return
    data = {done.source.path: done.data for done in hipified}
    with StagedFolder(output, force=force) as folder:
        for entry in tree.entries:
            _write_entry(tree, entry, folder / entry.path, data.get(entry.path, b""))


def _write_entry(tree: Tree, entry: Entry, path: Path, data: bytes) -> None:
    """Write one entry of the output; folders come before what is in them."""
    match entry.kind:
        case Kind.FOLDER:
            # Writable whatever the input says: files are to be written into it, and replaced.
            path.mkdir(mode=entry.mode & 0o777 | 0o700)
        case Kind.LINK:
            path.symlink_to(entry.link)
        case Kind.SOURCE:
            path.write_bytes(data)
            path.chmod(entry.mode & 0o777)
        case Kind.FILE:
            _copy(tree.root / entry.path, path)
            path.chmod(entry.mode & 0o777)
        case Kind.SPECIAL:
            pass


def _copy(source: Path, path: Path) -> None:
    try:
        file = source.open("rb")
    except OSError as error:
        raise InputError(
            f"{source} cannot be read: {error.strerror}; nothing was written"
        ) from error
    with file, path.open("wb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)


def _split_ignored(
    found: Iterable[Diagnostic], settings: Settings
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Return the findings that count and those that the configuration ignores, by place."""
    kept: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for finding in by_place(found):
        (ignored if settings.ignores(finding.code, finding.file) else kept).append(finding)
    return kept, ignored


def _stages(
    request: PortRequest, hipified: Sequence[Hipified], suppressed: int
) -> tuple[Stage, ...]:
    unported = {inventory.BINARY.code, conversion.INTERNAL.code}
    failed = sum(
        done.source.is_binary or any(d.code in unported for d in done.diagnostics)
        for done in hipified
    )
    ported = Stage(
        "port",
        State.RAN,
        verified=len(hipified) - failed,
        failed=failed,
        suppressed=suppressed,
    )
    why = "--no-verify" if request.output is not None else "nothing was written"
    return ported, Stage("verify", State.SKIPPED, why)


def _files(
    request: PortRequest, tree: Tree, hipified: Sequence[Hipified], kept: Sequence[Diagnostic]
) -> tuple[FileReport, ...]:
    done = {h.source.path: h for h in hipified}
    manual = manual_lines(kept)
    written = request.output is not None
    return tuple(
        FileReport(
            path=entry.path,
            output=_output_path(request, tree, entry) if written else None,
            status=_status(entry, done),
            lines=_lines(done[entry.path].source) if entry.path in done else 0,
            automatic=len(done[entry.path].edits) if entry.path in done else 0,
            manual=manual.get(entry.path, 0),
        )
        for entry in tree.entries
        if entry.kind in (Kind.SOURCE, Kind.FILE, Kind.LINK)
    )


def _output_path(request: PortRequest, tree: Tree, entry: Entry) -> str:
    """Return a file's path in the output; of a single file, the output itself."""
    return str(request.output) if tree.single else entry.path


def _status(entry: Entry, done: Mapping[str, Hipified]) -> Status:
    if entry.kind is Kind.LINK:
        return Status.LINK
    if entry.kind is Kind.FILE or not hipify.is_portable(done[entry.path].source):
        return Status.COPIED
    return Status.CHANGED if done[entry.path].changed else Status.UNCHANGED


def _lines(source: SourceFile) -> int:
    """Return the number of lines of a text, 0 for a binary file."""
    if source.is_binary:
        return 0
    return source.data.count(b"\n") + (bool(source.data) and not source.data.endswith(b"\n"))


def _excerpts(
    sources: Sequence[SourceFile], kept: Sequence[Diagnostic]
) -> Mapping[str, Mapping[int, str]]:
    """Return the lines around findings that a person must look at."""
    wanted: dict[str, set[int]] = {}
    for finding in kept:
        if finding.severity is not Severity.NOTE:
            end = max(finding.line, finding.end_line)
            around = range(finding.line - _CONTEXT_LINES, end + _CONTEXT_LINES + 1)
            wanted.setdefault(finding.file, set()).update(around)
    return {
        source.path: {
            line: _shown(source.line_text(line))
            for line in sorted(wanted[source.path])
            if 1 <= line <= _lines(source)
        }
        for source in sources
        if source.path in wanted and not source.is_binary
    }


def _shown(line: str) -> str:
    """Return a line as text, cut where nobody reads on."""
    text = line.encode("latin-1").decode("utf-8", "replace")
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + " …"
