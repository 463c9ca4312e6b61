"""Build a ported tree with its own build systems, then load what came out."""

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from porting.building import toolset as toolsets
from porting.building.copying import copy_tree
from porting.building.loading import Loaded, load, resolve
from porting.building.products import Product, products, snapshot
from porting.building.running import Ran, run
from porting.building.systems import PRODUCTS, Build, Step, builds, steps
from porting.building.toolset import Toolset
from porting.config import Target
from porting.errors import OutputError, ToolchainError
from porting.link.audit import Audited, audit
from porting.link.loader import Search
from porting.link.subject import Question

_SKIPPED = 77  # what automake's and CMake's tests exit with when they cannot run
_CANNOT_RUN = 127

Say = Callable[[str], None]


@dataclass(frozen=True)
class BuildRequest:
    """What to build: the tree at `root`, for a platform.

    `smoke`: commands to run in the built tree.  `timeout` is for each command, in seconds.
    """

    root: Path
    target: Target
    platform: str = "rocm"
    smoke: tuple[str, ...] = ()
    jobs: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    timeout: float = 1800.0


@dataclass(frozen=True)
class Failed:
    """A command that ended with an error."""

    step: Step
    ran: Ran


@dataclass(frozen=True)
class Built:
    """One build: what failed, the program that is missing, or what was made.

    `loaded`: how each product loads.  `audited`: what the link audit says of each, in order.
    """

    build: Build
    failed: Failed | None = None
    missing: str = ""
    products: tuple[Product, ...] = ()
    loaded: tuple[Loaded, ...] = ()
    audited: tuple[Audited, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """All builds of a tree for a platform, in `place`, a copy of it that is gone by now.

    `unavailable`: why nothing could be built.  `smoke`: the commands with what became of them.
    `note`: what the libraries were that it was built and loaded against.
    """

    platform: str
    place: Path
    builds: tuple[Built, ...] = ()
    smoke: tuple[tuple[str, Ran], ...] = ()
    unavailable: str = ""
    note: str = ""


def build(request: BuildRequest, say: Say = lambda _text: None) -> Outcome:
    """Build a tree in a copy of it with each build system that it has, and load the products.

    The tree itself is not touched.  Raises InputError for a missing root; what is wrong with the
    tree or missing on the machine is in the outcome.
    """
    with tempfile.TemporaryDirectory(prefix="porting-build-") as folder:
        place = Path(folder).resolve() / "tree"
        try:
            toolset = toolsets.find(request.platform, request.target, say, os.environ)
            copy_tree(request.root, place)
        except (ToolchainError, OutputError) as error:
            return Outcome(request.platform, place, unavailable=str(error))
        scratch = place.parent / "tmp"  # takes what killed compilers leave
        scratch.mkdir()
        inherited = {**os.environ, "TMPDIR": str(scratch)}
        files = [path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file()]
        done = []
        for each in builds(files):
            say(f"{each.file}: building with {each.system} for {request.platform}")
            done.append(_build(request, each, toolset, place, toolset.environment(inherited)))
        smoke = _smoke(request, toolset, place, inherited) if _all_built(done) else ()
        return Outcome(request.platform, place, tuple(done), smoke, note=toolset.note)


def _all_built(done: Sequence[Built]) -> bool:
    return bool(done) and not any(each.failed or each.missing for each in done)


def _build(
    request: BuildRequest,
    build: Build,
    toolset: Toolset,
    place: Path,
    environment: Mapping[str, str],
) -> Built:
    folder = place / build.folder
    before = snapshot(folder)
    for step in steps(build, toolset, request.jobs):
        if shutil.which(step.program, path=environment["PATH"]) is None:
            return Built(build, missing=step.program)
        ran = run(step.command, folder, environment, request.timeout)
        if ran.code:
            return Built(build, Failed(step, ran))
    made = products(folder, before)
    loaded = tuple(_load(product, toolset, environment) for product in made)
    return Built(build, None, "", tuple(made), loaded, _audit(made, request, toolset))


def _audit(made: Sequence[Product], request: BuildRequest, toolset: Toolset) -> tuple[Audited, ...]:
    # Architectures are the build's own choice on CUDA; for ROCm the target says them.
    question = Question(
        request.platform, request.target.rocm, toolset.archs, (toolset.home / "lib",)
    )
    search = Search(tuple(map(str, toolset.libraries)), Search.of_system({}).cached)
    paths = [product.path for product in made]
    return audit(paths, question, search, separate=True).files


def _load(product: Product, toolset: Toolset, environment: Mapping[str, str]) -> Loaded:
    there = toolset.loading(environment, driver=product.links_driver)
    return (load if product.is_library else resolve)(product.path, there)


def _smoke(
    request: BuildRequest, toolset: Toolset, place: Path, inherited: Mapping[str, str]
) -> tuple[tuple[str, Ran], ...]:
    environment = toolset.loading(toolset.environment(inherited), driver=False)
    return tuple(
        (text, _run_smoke(text, place, environment, request.timeout)) for text in request.smoke
    )


def _run_smoke(text: str, place: Path, environment: Mapping[str, str], timeout: float) -> Ran:
    try:
        command = shlex.split(text)
    except ValueError as error:
        return Ran(_CANNOT_RUN, str(error))
    if not command:
        return Ran(_CANNOT_RUN, "it is empty")
    return run(command, place, environment, timeout)


def passed(ran: Ran) -> bool:
    """Whether a smoke command ended well, or said that it was skipped."""
    return ran.code in (0, _SKIPPED)


__all__ = ["PRODUCTS", "BuildRequest", "Built", "Failed", "Outcome", "build", "passed"]
