"""The verify stage of a port: findings at the input's places."""

from collections.abc import Sequence
from dataclasses import replace

from porting.conversion import Progress
from porting.errors import InputError
from porting.hipify import Hipified
from porting.output.linemap import LineMap
from porting.output.manifest import Manifest
from porting.reports import Stage, State
from porting.verify import STAGES, Verification, VerifyRequest, verify


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


def _verify(request: VerifyRequest, progress: Progress) -> Verification:
    try:
        return verify(request, lambda _done, _total, path: progress(path))
    except InputError as error:  # a damaged compile_commands.json: the output itself stands
        stages = tuple(Stage(name, State.UNAVAILABLE, str(error)) for name in STAGES)
        return Verification(stages, {}, ())
