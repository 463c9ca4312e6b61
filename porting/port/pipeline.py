"""The pipeline: read a tree, port its sources, write the output, compile it, report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from porting import buildfiles, hipify, inventory
from porting.buildfiles.codes import LEFT_ALONE
from porting.config import Mode, Target
from porting.conversion import Conversion, Progress
from porting.diagnostics import Code, Diagnostic, Severity
from porting.errors import InputError, UsageError
from porting.generated import generated_patterns
from porting.hipify import Hipified
from porting.mapping import Names
from porting.output.manifest import Manifest
from porting.output.writing import write
from porting.patterns import PathPatterns
from porting.port.codes import CODES, all_codes
from porting.port.compat import compat_flags, leave_sources
from porting.port.generating import Context, Generated, generate
from porting.port.places import check_generated, check_include_dirs, check_places
from porting.port.reporting import (
    count_taken_out,
    excerpts,
    file_reports,
    port_stage,
    sort_findings,
    without_echoes,
)
from porting.reports import PORT, Report, Stage, State, Verdict
from porting.rules import Project, collect_project
from porting.settings import BUILD_TIMEOUT, Settings
from porting.source import SourceFile
from porting.suppress import UNUSED
from porting.tree import Tree, read_tree

if TYPE_CHECKING:
    from porting.port.building_trees import Buildings
    from porting.verify import VerifyRequest


@dataclass(frozen=True)
class PortRequest:
    """What to port, for what, and where to.

    `output`: None writes nothing.  `verify`: compile what was written; `build`: build it with its
    own build systems, which runs code of the tree, for `build_platforms` (none: all that the mode
    serves) and with `build_timeout` seconds for each command.  `jobs`: processes to use.
    `force`: replace an earlier output even where it was changed since.  `mode`: rename CUDA's names
    in the sources, or leave them and generate a header.
    """

    source: Path
    output: Path | None = None
    target: Target = field(default_factory=Target)
    settings: Settings = field(default_factory=Settings)
    verify: bool = True
    jobs: int = 1
    force: bool = False
    mode: Mode = Mode.RENAME
    build: bool = False
    build_platforms: tuple[str, ...] = ()
    build_timeout: int | None = None


@dataclass(frozen=True)
class PortResult:
    """The report, and every source with its new text."""

    report: Report
    hipified: tuple[Hipified, ...]


@dataclass(frozen=True)
class _Compiled:
    """What the verify stage adds to a report.

    `echoes`: codes that may repeat another's error; `built`: those of building and its audit.
    """

    stages: tuple[Stage, ...]
    verdicts: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    found: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    answered: frozenset[tuple[str, int]] = frozenset()
    codes: tuple[Code, ...] = ()
    echoes: tuple[Code, ...] = ()
    built: tuple[Code, ...] = ()


# Codes that say of a file that it is not ported.
_UNPORTED = (inventory.BUILD_FILE.code, inventory.FOREIGN_CODE.code, LEFT_ALONE.code)


def _silent(_: str) -> None:
    """Show no progress."""


def port(request: PortRequest, progress: Progress = _silent) -> PortResult:
    """Run the pipeline.

    The input is never modified.  The output is there whole or not at all.  `progress` is called
    with a path for every file ported or compiled.  Raises PortingError for what keeps it from
    starting or writing; everything else is a finding of the report.
    """
    _check_settings(request.settings)
    _check_build(request)
    if request.verify and request.output is not None:
        check_include_dirs(request.source, request.settings)
    if request.output is not None:
        check_places(request.source, request.output, force=request.force)
    tree = _read(request)
    names = Names.load(request.target.rocm)
    project = _project(request, tree)
    conversion = Conversion(request.target, names, project)
    hipified = conversion.all(tree.sources, request.jobs, progress)
    headers: Mapping[str, str] = {}
    if request.mode is Mode.COMPAT:
        hipified, made = leave_sources(hipified, request.target, names, project)
        headers = made.files
    generated = generate(
        Context(tree, request.target, request.mode, names, project, request.settings, hipified),
        headers,
    )
    if not tree.single:
        check_generated(tree.root, generated.added)
    if request.output is not None:
        write(
            request.output,
            tree,
            hipified,
            request.target,
            generated.extra,
            mode=request.mode,
            force=request.force,
        )
    left = _left_alone(generated, request.settings)
    compiled = _compile(request, tree, hipified, left, progress)
    return PortResult(_report(request, tree, hipified, generated, compiled), hipified)


def ported_as(output: Path) -> tuple[Target | None, Mode]:
    """Return what a tree was ported for, None for what no port wrote, and how."""
    manifest = Manifest.read(output)
    return (None, Mode.RENAME) if manifest is None else (manifest.target, manifest.mode)


def verify_output(request: PortRequest, progress: Progress = _silent) -> Report:
    """Compile a tree or file that was ported before; `request.source` is that output.

    Findings are at the places of the input that it came from, where its manifest knows them.
    """
    from porting.building import BUILD_FAILED
    from porting.building import CODES as BUILD_CODES
    from porting.link.codes import CODES as LINK_CODES
    from porting.port.verifying import verify_tree
    from porting.verify import CODES as VERIFY_CODES

    _check_settings(request.settings)
    check_include_dirs(request.source, request.settings)
    source = request.source
    tree = read_tree(source)
    manifest = Manifest.read(source) if source.is_dir() else None
    if manifest is None and not _has_build_file(tree):
        _check_sources(source, tree)
    if request.build and manifest is None and source.is_dir():
        raise InputError(
            f"{source} is no tree that a port wrote, so nobody knows how to build it; "
            "name the output of `porting port`"
        )
    _check_build(request)
    result = verify_tree(_verify_request(request, source), manifest, progress)
    built = _build(request, source, progress)
    found = sort_findings((*result.diagnostics, *built.diagnostics), (), request.settings)
    findings = without_echoes(found, (BUILD_FAILED,), (*BUILD_CODES, *LINK_CODES))
    codes = (*VERIFY_CODES, *BUILD_CODES)
    stages = (_NOT_PORTED, *result.stages, *built.stages)
    verdicts = {**result.verdicts, **built.verdicts}
    return Report(
        source=str(source),
        output=None,
        # Places are the input's, and nobody knows here where that lies.
        root=tree.shown if manifest is None else "",
        target=request.target,
        mode=request.mode,
        stages=tuple(count_taken_out(stages, findings, codes)),
        files=file_reports(tree, _as_they_are(tree), findings.kept, None, verdicts),
        diagnostics=findings.kept,
        ignored=findings.ignored,
        codes=codes,
    )


_NOT_PORTED = Stage(PORT, State.SKIPPED, "`porting verify` compiles what is there")


def _as_they_are(tree: Tree) -> list[Hipified]:
    return [Hipified(source, source.data) for source in tree.sources]


def _check_settings(settings: Settings) -> None:
    if settings.ignore or settings.per_path_ignore:
        settings.check_codes(frozenset(code.code for code in all_codes()))


def _check_build(request: PortRequest) -> None:
    """Raise UsageError for what cannot be built, or not for that, before the work is done."""
    if not request.build:
        return
    from porting.port.building_trees import platforms

    if request.source.is_file():
        raise UsageError(
            f"{request.source} is a file, and --build builds trees; "
            "name the folder with its build files"
        )
    platforms(request.mode, request.build_platforms)


def _read(request: PortRequest) -> Tree:
    settings = request.settings
    exclude = PathPatterns(settings.exclude)
    # What an earlier port in compat mode generated is written anew or stays; it is no source.
    verbatim = PathPatterns((*settings.verbatim, *generated_patterns(request.source)))
    tree = read_tree(request.source, exclude, verbatim)
    if tree.single:
        _check_single(request.source, tree.sources[0])
        if request.mode is Mode.COMPAT:
            raise UsageError(
                f"{request.source} is a file, and --mode compat adds headers to a tree; "
                "name the folder, or say --mode rename"
            )
    elif not _has_build_file(tree):
        _check_sources(request.source, tree)
    return tree


def _has_build_file(tree: Tree) -> bool:
    """Whether a tree without a source may be the right one all the same, such as one of Rust."""
    return any(inventory.is_build_file(path) for path in tree.paths)


def _check_sources(folder: Path, tree: Tree) -> None:
    """Raise InputError for a tree with nothing to port: success would say it was looked at."""
    if not tree.sources and not tree.single:
        raise InputError(f"no C, C++ or CUDA source is under {folder}; is it the right folder?")


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


def _project(request: PortRequest, tree: Tree) -> Project:
    project = collect_project(tree.sources, tree.paths)
    macros = (*project.platform_macros, *request.settings.platform_macros)
    return replace(project, platform_macros=macros, defines=request.settings.defines)


def _compile(
    request: PortRequest,
    tree: Tree,
    hipified: Sequence[Hipified],
    left: tuple[str, ...],
    progress: Progress,
) -> _Compiled:
    """Run the verify stage, or say why it did not run."""
    if request.output is None or not request.verify:
        why = "nothing was written" if request.output is None else "--no-verify"
        return _Compiled((Stage("verify", State.SKIPPED, why),))
    from porting.building import BUILD_FAILED
    from porting.building import CODES as BUILD_CODES
    from porting.link.codes import CODES as LINK_CODES
    from porting.port.suppressing import suppress
    from porting.port.verifying import verify_port
    from porting.verify import CODES as VERIFY_CODES
    from porting.verify import COMPILE_ERROR

    result = verify_port(_verify_request(request, request.output), hipified, progress)
    built = _build(request, request.output, progress, left)
    rest = suppress((*result.diagnostics, *built.diagnostics), tree.sources)
    return _Compiled(
        (*result.stages, *built.stages),
        {**result.verdicts, **built.verdicts},
        tuple(rest.kept),
        tuple(rest.taken_out),
        frozenset(rest.answered),
        (*VERIFY_CODES, *BUILD_CODES),
        (BUILD_FAILED, COMPILE_ERROR),
        (*BUILD_CODES, *LINK_CODES),
    )


def _left_alone(generated: Generated, settings: Settings) -> tuple[str, ...]:
    """Return the build files with an error, which are not converted, in order."""
    codes = {code.code for code in buildfiles.CODES}
    found = (
        finding.file
        for finding in generated.diagnostics
        if finding.severity is Severity.ERROR
        and finding.code in codes
        and not settings.ignores(finding.code, finding.file)
    )
    return tuple(dict.fromkeys(found))


def _build(
    request: PortRequest, root: Path, progress: Progress, left: tuple[str, ...] = ()
) -> "Buildings":
    from porting.building import BuildRequest
    from porting.port.building_trees import build_tree, not_asked, platforms

    if not request.build:
        return not_asked()
    settings = request.settings
    wanted = BuildRequest(
        root,
        request.target,
        smoke=settings.smoke,
        jobs=request.jobs,
        timeout=request.build_timeout or settings.build_timeout or BUILD_TIMEOUT,
        left=left,
    )
    return build_tree(wanted, platforms(request.mode, request.build_platforms), progress)


def _verify_request(request: PortRequest, root: Path) -> "VerifyRequest":
    from porting.verify import Flags, VerifyRequest

    extra = compat_flags(root) if request.mode is Mode.COMPAT else ()
    flags = Flags(request.settings.include_dirs, request.settings.defines, extra)
    return VerifyRequest(root, request.target, flags, jobs=request.jobs)


def _report(
    request: PortRequest,
    tree: Tree,
    hipified: Sequence[Hipified],
    generated: Generated,
    compiled: _Compiled,
) -> Report:
    looked_at = generated.looked_at
    handled = frozenset(done.source.path for done in looked_at)
    found = [*inventory.look_through(tree, handled), *generated.diagnostics, *compiled.found]
    for done in hipified:
        found += (
            d
            for d in done.diagnostics
            # hipify cannot know that a comment speaks of what the compiler says.
            if d.code != UNUSED.code or (d.file, d.line) not in compiled.answered
        )
    suppressed = [*compiled.suppressed, *(d for done in hipified for d in done.suppressed)]
    findings = sort_findings(found, suppressed, request.settings)
    findings = without_echoes(findings, compiled.echoes, compiled.built)
    stages = (port_stage(hipified), *compiled.stages)
    output = None if request.output is None else str(request.output)
    return Report(
        source=str(request.source),
        output=output,
        root=tree.shown,
        target=request.target,
        mode=request.mode,
        stages=tuple(count_taken_out(stages, findings, compiled.codes)),
        files=file_reports(tree, (*hipified, *looked_at), findings.kept, output, compiled.verdicts),
        diagnostics=findings.kept,
        suppressed=findings.suppressed,
        ignored=findings.ignored,
        codes=(*CODES, *compiled.codes),
        unported=_UNPORTED,
        excerpts=excerpts((*tree.sources, *(done.source for done in looked_at)), findings.kept),
    )
