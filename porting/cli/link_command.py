"""`porting link plan` and `porting link audit`."""

import os
import re
import shlex
import sys
from pathlib import Path

import click

from porting import __version__
from porting.cli.terminal import form_option, write_json, write_text
from porting.config import DEFAULT_ARCHS, DEFAULT_ROCM, Target, wave_size
from porting.diagnostics import one_line
from porting.errors import PortingError, UsageError
from porting.link import PLATFORMS, LinkPlan, link_plan
from porting.link.fragments import BUILD_SYSTEMS
from porting.link.plan import check_cuda_archs
from porting.toolkits import detect
from porting.toolkits.platforms import ROCM

# What a comment, a docstring or a string of a build file does not keep as it is.
_ENDS = re.compile(r'["\\$]')

_SM = re.compile("^(sm|compute)_")
# A colon parts folders of a run path.
_RUN_PATH = re.compile(r"(/|\$ORIGIN(/|$)|\$\{ORIGIN\}(/|$))[^:]*")

_arch_option = click.option(
    "--arch", metavar="LIST", multiple=True, help="GPU architectures, comma-separated."
)
_rocm_option = click.option("--rocm", metavar="RELEASE", default=DEFAULT_ROCM, help="ROCm release.")


@click.group("link")
def link_group() -> None:
    """Say how programs are linked for each platform, and audit those that are built."""


@link_group.command("plan")
@click.argument("source", metavar="[PATH]", required=False, type=click.Path(path_type=Path))
@click.option("--platform", type=click.Choice(PLATFORMS), required=True, help="Whose libraries.")
@click.option(
    "--for", "build_system", type=click.Choice(BUILD_SYSTEMS), help="Write it for a build system."
)
@click.option(
    "--library", metavar="LIST", multiple=True, help="The runtime and these CUDA libraries."
)
@_rocm_option
@_arch_option
@form_option
def plan_command(  # noqa: PLR0913 - one for each option
    *,
    source: Path | None,
    platform: str,
    build_system: str | None,
    library: tuple[str, ...],
    rocm: str,
    arch: tuple[str, ...],
    form: str,
) -> int:
    """Say how programs are linked for a platform, as a table or as a file of a build system.

    With PATH: the libraries that this tree uses, by its headers, functions and names of libraries
    that it opens.  With --library: these.  With neither: all that are known.
    """
    from porting.link import plan_report
    from porting.link.uses import Uses, tree_uses

    archs = _listed(arch)
    is_rocm = platform == "rocm"
    target = Target(rocm, archs or DEFAULT_ARCHS) if is_rocm else Target(rocm)
    uses = tree_uses(source) if source else Uses()
    typed = dict.fromkeys(("cudart", *_listed(library)) if library else ())
    asked = typed | dict(uses.ways())
    plan = link_plan(platform, target, asked if source or library else None, archs)
    signs = uses.opened | uses.linked
    text = _fragment(plan, build_system, source, _listed(library)) if build_system else None
    if form == "json":
        write_json(plan_report.to_json(plan, signs, text))
    else:
        write_text(text or plan_report.to_text(plan, signs))
    return 0


def _fragment(
    plan: LinkPlan, build_system: str, source: Path | None, names: tuple[str, ...]
) -> str:
    """Return the file of a build system; it names the command that makes it again."""
    from porting.link.fragments import fragment

    words = ["porting link plan"]
    words += [_shown(source)] if source else []
    words += [f"--platform {plan.platform}", f"--for {build_system}"]
    words += [f"--library {','.join(names)}"] if names else []
    words += [f"--rocm {plan.rocm}"] if plan.platform == "rocm" else []
    words += [f"--arch {','.join(plan.archs)}"] if plan.archs else []
    return fragment(plan, build_system, (f"porting {__version__}", " ".join(words)))


def _shown(source: Path) -> str:
    """Return a path as a shell takes it, or PATH where it would not stay inside a comment."""
    name = source.name if source.is_absolute() else str(source)
    return shlex.quote(name) if name.isprintable() and not _ENDS.search(name) else "PATH"


@link_group.command("audit")
@click.argument(
    "binaries", metavar="BINARY...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--platform", type=click.Choice(PLATFORMS), help="The plan they are to follow.")
@_rocm_option
@_arch_option
@click.option(
    "--runpath",
    metavar="FOLDER",
    multiple=True,
    help="Where the machine that runs it has ROCm's libraries; $ORIGIN is the file's folder.",
)
@click.option(
    "--separate", is_flag=True, help="Take every library for one process of its own, not for one."
)
@form_option
def audit_command(  # noqa: PLR0913 - one for each option
    *,
    binaries: tuple[Path, ...],
    platform: str | None,
    rocm: str,
    arch: tuple[str, ...],
    runpath: tuple[str, ...],
    form: str,
    separate: bool,
) -> int:
    """Say which link plan each BINARY follows, and what is wrong with it.

    BINARY is a program, a shared library, an object, a static archive, or a folder of these.
    Shared libraries that are named together are taken for parts of one process.  ROCm's libraries
    are expected where this machine has ROCm, else in /opt/rocm/lib, and in each --runpath, which
    need not be on this machine.
    """
    from porting.link.audit import audit
    from porting.link.audit_report import to_json, to_text
    from porting.link.loader import Search
    from porting.link.subject import Question

    Target(rocm)  # says what is wrong with a release
    archs = _listed(arch)
    _check_archs(archs)
    _check_run_paths(runpath)
    folders = (*map(Path, runpath), *_rocm_folders())
    question = Question(platform or "", rocm, archs, folders)
    result = audit(binaries, question, Search.of_system(os.environ), separate=separate)
    if form == "json":
        write_json(to_json(result))
    else:
        write_text(to_text(result))
        for _, why in result.unreadable:
            write_text(f"porting: error: {one_line(why)}\n", sys.stderr)
    return result.exit_code


def _listed(typed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for item in typed for name in item.split(",") if name)


def _check_archs(archs: tuple[str, ...]) -> None:
    """Raise UsageError for what is an architecture of neither vendor."""
    for arch in archs:
        try:
            if arch.startswith("gfx"):
                wave_size(arch.partition(":")[0])  # features stand behind the colon
            else:
                check_cuda_archs([_SM.sub("", arch)])
        except PortingError as error:
            raise UsageError(
                f"'{arch}' is no GPU architecture; write it like gfx942 or 80"
            ) from error


def _check_run_paths(folders: tuple[str, ...]) -> None:
    """Raise UsageError for what is another folder wherever a user is, or more than a folder."""
    for folder in folders:
        if not _RUN_PATH.fullmatch(folder):
            raise UsageError(
                f"--runpath '{folder}' is no folder that a file can rely on; write an absolute one"
                " or one from $ORIGIN on, each with a --runpath of its own"
            )


def _rocm_folders() -> tuple[Path, ...]:
    """Return the folder of ROCm's libraries, of this machine's ROCm when it has one."""
    home = detect.home(ROCM, os.environ)
    return (home.path / "lib",) if home else (Path(ROCM.defaults[0], "lib"),)
