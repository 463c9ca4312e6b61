"""The building stage of a port: the output's own build systems, for each platform it serves."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from porting.building import Building, BuildRequest, build, judge
from porting.config import Mode
from porting.conversion import Progress
from porting.diagnostics import Diagnostic
from porting.output.manifest import Manifest
from porting.reports import Stage, State, Verdict
from porting.toolkits.platforms import CUDA, ROCM

BUILD = "build"
# A renamed tree is for ROCm alone: its CUDA side stays the input.
_PLATFORMS = {Mode.RENAME: (ROCM.name,), Mode.COMPAT: (ROCM.name, CUDA.name)}


@dataclass(frozen=True)
class Buildings:
    """What building for all platforms adds to a report."""

    stages: tuple[Stage, ...] = ()
    verdicts: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()


def not_asked() -> Buildings:
    """Return what a run says that builds nothing."""
    return Buildings((Stage(BUILD, State.SKIPPED, "not asked for; --build runs the build files"),))


def build_tree(request: BuildRequest, mode: Mode, progress: Progress) -> Buildings:
    """Build a ported tree for each platform of its mode and load what came out.

    Findings are at the input's places.
    """
    manifest = Manifest.read(request.root) if request.root.is_dir() else None
    if manifest is None:
        why = f"{request.root} is no tree that a port wrote, so there is nothing to build"
        return Buildings((Stage(BUILD, State.SKIPPED, why),))
    built = [
        judge(build(replace(request, platform=platform), progress), manifest.origin)
        for platform in _PLATFORMS[mode]
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
