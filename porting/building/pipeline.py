"""Build a ported tree with its own build systems, then load what came out."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from porting.building import toolset as toolsets
from porting.building.copying import copy_tree
from porting.building.loading import Loaded, load, resolve
from porting.building.products import Made, Product, changed_since, made_since, snapshot
from porting.building.reaching import unused
from porting.building.systems import Build, Step, builds, steps
from porting.building.toolset import Toolset
from porting.config import Target
from porting.errors import OutputError, ToolchainError, reason
from porting.link.audit import Audited, audit
from porting.link.loader import Search
from porting.link.subject import Question
from porting.processes import Ran, run, scratch_folder
from porting.settings import BUILD_TIMEOUT

_SKIPPED = 77  # what automake's and CMake's tests exit with when they cannot run
_CANNOT_RUN = 127

Say = Callable[[str], None]


@dataclass(frozen=True)
class BuildRequest:
    """What to build: the tree at `root`, for a platform.

    `smoke`: commands to run in the built tree.  `timeout` is for each command, in seconds.  `left`:
    build files that are left to a person: what reads them is not run, as that is told there.
    """

    root: Path
    target: Target
    platform: str = "rocm"
    smoke: tuple[str, ...] = ()
    jobs: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    timeout: float = BUILD_TIMEOUT
    left: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """A command that ended with an error."""

    step: Step
    ran: Ran


@dataclass(frozen=True)
class Built:
    """One build: the file that kept it, what failed, the program that is missing, what was made.

    `loaded`: how each program and library loads.  `audited`: what the link audit says of each, in
    order.  `unused`: build files below that took no part.
    """

    build: Build
    failed: Failed | None = None
    missing: str = ""
    made: Made = field(default_factory=Made)
    loaded: tuple[Loaded, ...] = ()
    audited: tuple[Audited, ...] = ()
    left: str = ""
    unused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """All builds of a tree for a platform, in `place`, a copy of it that is gone by now.

    `unavailable`: why nothing could be built.  `smoke`: the commands with what became of them.
    `note`: what the libraries were that it was built and loaded against.  `timeout`: the limit of
    each command, in seconds.  `files`: those of the tree, relative to it.
    """

    platform: str
    place: Path
    builds: tuple[Built, ...] = ()
    smoke: tuple[tuple[str, Ran], ...] = ()
    unavailable: str = ""
    note: str = ""
    timeout: float = BUILD_TIMEOUT
    files: tuple[str, ...] = ()


def build(request: BuildRequest, say: Say = lambda _text: None) -> Outcome:
    """Build a tree in a copy of it with each build system that it has, and load the products.

    The tree itself is not touched.  Never raises for what is wrong with the tree or missing on the
    machine: that is in the outcome.
    """
    with ExitStack() as stack:
        try:
            toolset = toolsets.find(request.platform, request.target, say, os.environ)
            folder = stack.enter_context(scratch_folder("porting-build-"))
            copy_tree(request.root, folder / "tree")
            (folder / "tmp").mkdir()  # takes what killed compilers leave
        except (ToolchainError, OutputError) as error:
            return Outcome(request.platform, Path(), unavailable=str(error))
        except OSError as error:
            why = f"no temporary folder can be made: {reason(error)}; set TMPDIR to one with room"
            return Outcome(request.platform, Path(), unavailable=why)
        return _in_copy(request, toolset, _Copy.of(folder, toolset), say)


@dataclass(frozen=True)
class _Copy:
    """The copy that is built: its files, relative to `place`, and the environment for it."""

    place: Path
    files: tuple[str, ...]
    environment: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, toolset: Toolset) -> "_Copy":
        place = folder / "tree"
        environment = toolset.environment({**os.environ, "TMPDIR": str(folder / "tmp")})
        files = (path.relative_to(place) for path in place.rglob("*") if path.is_file())
        return cls(place, tuple(map(Path.as_posix, files)), environment)


def _in_copy(request: BuildRequest, toolset: Toolset, copy: _Copy, say: Say) -> Outcome:
    done = []
    for each in builds(copy.files):
        say(f"{each.file}: building with {each.system} for {request.platform}")
        done.append(_build(request, each, toolset, copy))
    smoke = _smoke(request, toolset, copy) if _all_built(done) else ()
    return Outcome(
        request.platform,
        copy.place,
        tuple(done),
        smoke,
        note=toolset.note,
        timeout=request.timeout,
        files=copy.files,
    )


def _all_built(done: Sequence[Built]) -> bool:
    return bool(done) and not any(each.failed or each.missing or each.left for each in done)


def _build(request: BuildRequest, build: Build, toolset: Toolset, copy: _Copy) -> Built:
    for path in request.left:
        if build.has_part(path):
            return Built(build, left=path)
    folder = copy.place / build.folder
    before = snapshot(folder)
    for step in steps(build, toolset, request.jobs):
        if shutil.which(step.program, path=copy.environment["PATH"]) is None:
            return Built(build, missing=step.program)
        ran = run(step.command, folder, copy.environment, request.timeout)
        if ran.code:
            return Built(build, Failed(step, ran))
    made = made_since(folder, before)
    return Built(
        build,
        made=made,
        unused=unused(build, copy.files, copy.place, changed_since(folder, before)),
        loaded=tuple(_loaded(made, toolset, copy.environment)),
        audited=_audit(made.products, request, toolset),
    )


def _loaded(made: Made, toolset: Toolset, environment: Mapping[str, str]) -> Iterator[Loaded]:
    yield from (_load(each, toolset, environment) for each in made.products)
    yield from (Loaded(path, untried=why) for path, why in made.unreadable)


def _audit(made: Sequence[Product], request: BuildRequest, toolset: Toolset) -> tuple[Audited, ...]:
    # Architectures are the build's own choice on CUDA; for ROCm the target says them.
    question = Question(
        request.platform, request.target.rocm, toolset.archs, (toolset.home / "lib",)
    )
    search = Search(tuple(map(str, toolset.libraries)), Search.of_system({}).cached)
    paths = [product.path for product in made if product.runs_here]
    return audit(paths, question, search, separate=True).files


def _load(product: Product, toolset: Toolset, environment: Mapping[str, str]) -> Loaded:
    if not product.runs_here:
        return Loaded(product.path, untried=f"it is for {product.machine}")
    there = toolset.loading(environment, driver=product.links_driver)
    if product.is_library:
        return load(product.path, there)
    return resolve(product.path, product.loader, there)


def _smoke(request: BuildRequest, toolset: Toolset, copy: _Copy) -> tuple[tuple[str, Ran], ...]:
    there = toolset.loading(copy.environment, driver=False)
    return tuple(
        (text, _run_smoke(text, copy.place, there, request.timeout)) for text in request.smoke
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
