"""The verify stage of a port: findings at the input's places, less those that were taken out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from porting.conversion import Progress
from porting.diagnostics import Diagnostic
from porting.errors import InputError
from porting.hipify import Hipified
from porting.output.linemap import LineMap
from porting.output.manifest import Manifest
from porting.reports import Stage, State
from porting.source import SourceFile
from porting.suppress import Suppressions
from porting.syntax import tokenize
from porting.verify import STAGES, Verification, VerifyRequest, verify


@dataclass
class Suppressed:
    """Findings of the compiler less those that a comment of the input answers for.

    `answered`: (file, line) of the comments that did, which hipify took for unused.
    """

    kept: list[Diagnostic] = field(default_factory=list)
    taken_out: list[Diagnostic] = field(default_factory=list)
    answered: set[tuple[str, int]] = field(default_factory=set)


def verify_port(
    request: VerifyRequest, hipified: Sequence[Hipified], progress: Progress
) -> Verification:
    """Compile a tree or file that was just written; findings are at the input's places."""
    output = request.root
    maps = {done.source.path: LineMap.of(done.source, done.edits) for done in hipified}
    only = hipified[0].source.path if output.is_file() and hipified else ""

    def origin(file: str, line: int) -> tuple[str, int]:
        path = only if only and file == output.name else file
        return path, maps[path].origin(line) if path in maps else line

    return _verify(replace(request, origin=origin), progress)


def verify_tree(
    request: VerifyRequest, manifest: Manifest | None, progress: Progress
) -> Verification:
    """Compile a tree written earlier; its manifest says where its lines came from."""
    if manifest is not None:
        request = replace(request, origin=manifest.origin)
    return _verify(request, progress)


def suppress(found: Sequence[Diagnostic], sources: Sequence[SourceFile]) -> Suppressed:
    """Take out the findings that an ignore comment of their file names."""
    texts = {source.path: source for source in sources}
    result = Suppressed()
    comments: dict[str, Suppressions] = {}
    for finding in found:
        source = texts.get(finding.file)
        if source is None or source.is_binary:
            result.kept.append(finding)
            continue
        if finding.file not in comments:
            comments[finding.file] = Suppressions.read(source, tokenize(source.text).comments)
        covered = comments[finding.file].covers(finding)
        (result.taken_out if covered else result.kept).append(finding)
    for path, read in comments.items():
        used = (ignore for ignore in read.ignores if ignore.used)
        result.answered |= {(path, texts[path].line_of(ignore.offset)) for ignore in used}
    return result


def _verify(request: VerifyRequest, progress: Progress) -> Verification:
    try:
        return verify(request, lambda _done, _total, path: progress(path))
    except InputError as error:  # a damaged compile_commands.json: the output itself stands
        stages = tuple(Stage(name, State.UNAVAILABLE, str(error)) for name in STAGES)
        return Verification(stages, {}, ())
