"""The building stage of a port: the output's own build systems, for each platform it serves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from porting.building import Building, BuildRequest, build, judge
from porting.config import Mode
from porting.conversion import Progress
from porting.diagnostics import Diagnostic
from porting.errors import UsageError
from porting.output.manifest import Manifest
from porting.reports import Stage, State, Verdict
from porting.toolkits.platforms import CUDA, ROCM

BUILD = "build"
# A renamed tree is for ROCm alone: its CUDA side stays the input.
_PLATFORMS: Mapping[Mode, tuple[str, ...]] = {
    Mode.RENAME: (ROCM.name,),
    Mode.COMPAT: (ROCM.name, CUDA.name),
}


@dataclass(frozen=True)
class Buildings:
    """What building for all platforms adds to a report."""

    stages: tuple[Stage, ...] = ()
    verdicts: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def not_asked() -> Buildings:
    """Return what a run says that builds nothing."""
    return Buildings((Stage(BUILD, State.SKIPPED, "not asked for; --build runs the build files"),))


def platforms(mode: Mode, asked: Sequence[str]) -> tuple[str, ...]:
    """Return what a tree of this mode is built for: all of it, or what was asked for.

    Raises UsageError for a platform that the tree does not serve.
    """
    served = _PLATFORMS[mode]
    for name in asked:
        if name not in served and name in _PLATFORMS[Mode.COMPAT]:
            raise UsageError(
                f"a renamed tree is for ROCm alone, so it cannot be built for {name}: its CUDA "
                "side is the input, which stays as it was; build that, or port with --mode compat"
            )
        if name not in served:
            raise UsageError(f"{name} is no platform to build for; say one of {', '.join(served)}")
    return tuple(name for name in served if name in asked or not asked)


def build_tree(request: BuildRequest, wanted: Sequence[str], progress: Progress) -> Buildings:
    """Build a ported tree for each of the platforms and load what came out.

    Findings are at the input's places.
    """
    manifest = Manifest.read(request.root)
    if manifest is None:
        why = f"{request.root} is no tree that a port wrote any more"
        return Buildings((Stage(BUILD, State.UNAVAILABLE, why),))
    built = [
        judge(build(replace(request, platform=platform), progress), manifest.origin)
        for platform in wanted
    ]
    return _joined(built)


def _joined(built: list[Building]) -> Buildings:
    verdicts: dict[str, tuple[Verdict, ...]] = {}
    for building in built:
        for path, items in building.verdicts.items():
            verdicts[path] = (*verdicts.get(path, ()), *items)
    return Buildings(
        tuple(stage for building in built for stage in building.stages),
        verdicts,
        tuple(finding for building in built for finding in building.diagnostics),
    )
