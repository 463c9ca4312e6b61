"""`porting sysroot create`, `porting sysroot find` and `porting sysroot list`."""

import os
import sys
from typing import Any

import click

from porting.building.toolset import Toolset, find, find_rocm
from porting.cli.terminal import form_option, write_json, write_text
from porting.config import DEFAULT_ROCM, OLDEST_ROCM, Target, release_key
from porting.errors import ToolchainError
from porting.toolkits import cuda
from porting.toolkits import sysroot as sysroots
from porting.toolkits.sysroot import Sysroot


@click.group("sysroot")
def sysroot_group() -> None:
    """Build and list the trees that stand in for ROCm and CUDA where neither is installed."""


@sysroot_group.command("create")
@click.option("--rocm", metavar="RELEASE", help=f"ROCm release.  [default: {DEFAULT_ROCM}]")
@click.option(
    "--platform",
    type=click.Choice(["rocm", "cuda"]),
    default="rocm",
    show_default=True,
    help="A ROCm tree, or a CUDA home with nvcc.",
)
@form_option
def create_command(rocm: str | None, platform: str, form: str) -> int:
    """Build the tree of a platform from package-index wheels, or find it in the cache."""
    if platform == "cuda":
        return _create_cuda(rocm, form)
    rocm = rocm or DEFAULT_ROCM
    release_key(rocm)
    tree = sysroots.create(rocm, say=_say)
    if form == "json":
        write_json(tree.to_json())
    else:
        write_text(_told(tree))
    return 0


def _create_cuda(rocm: str | None, form: str) -> int:
    if rocm is not None:
        raise click.UsageError(f"--rocm {rocm} names a ROCm release; leave it out for CUDA")
    home = cuda.create(_say)
    if form == "json":
        write_json(home.to_json())
    else:
        write_text(f"CUDA {home.release}\npath:    {home.path}\nnvcc:    {home.nvcc}\n")
    return 0


@sysroot_group.command("find")
@click.option(
    "--rocm",
    metavar="RELEASE",
    help=f"ROCm release.  [default: the one that is installed, else {DEFAULT_ROCM}]",
)
@click.option("--oldest", metavar="RELEASE", help="Oldest ROCm release that will do.")
@click.option("--platform", type=click.Choice(["rocm", "cuda"]), required=True)
@form_option
def find_command(rocm: str | None, oldest: str | None, platform: str, form: str) -> int:
    """Say which toolkit a build uses: the one that is installed, else the tree from wheels."""
    if platform == "cuda":
        for option, value in (("--rocm", rocm), ("--oldest", oldest)):
            if value is not None:
                raise click.UsageError(
                    f"{option} {value} names a ROCm release; leave it out for CUDA"
                )
        found = find(platform, Target(), _say, os.environ)
    else:
        found = _find_rocm(rocm, oldest or ".".join(map(str, OLDEST_ROCM)))
    if form == "json":
        row = {"schema_version": 1, "platform": platform, "path": str(found.home)}
        write_json({**row, "release": found.release, "note": found.note})
    else:
        write_text(f"{found.home}\n")
    return 0


def _find_rocm(rocm: str | None, oldest: str) -> Toolset:
    """Return the toolkit of the release that was named, else of the one that is installed."""
    if rocm is None:
        return find_rocm(oldest, _say, os.environ)
    if release_key(rocm) < release_key(oldest):
        raise click.UsageError(f"--rocm {rocm} is older than --oldest {oldest}")
    return find("rocm", Target(rocm), _say, os.environ)


@sysroot_group.command("list")
@form_option
def list_command(form: str) -> int:
    """List the releases that a tree can be built for, and the trees that are there."""
    rows = [_row(rocm) for rocm in sysroots.RECIPES]
    if form == "json":
        write_json(rows)
    else:
        write_text("".join(f"{row['rocm']:6} {row['path'] or row['reason']}\n" for row in rows))
    return 0


def _row(rocm: str) -> dict[str, Any]:
    try:
        tree = sysroots.find(rocm)
    except ToolchainError as error:
        return {"rocm": rocm, "path": None, "reason": str(error)}
    return {
        "rocm": rocm,
        "path": None if tree is None else str(tree.path),
        "reason": "" if tree else f"not built; `porting sysroot create --rocm {rocm}` builds it",
    }


def _told(tree: Sysroot) -> str:
    headers = ", ".join(f"{number} {origin}" for origin, number in tree.origins.items())
    return (
        f"ROCm {tree.rocm} (HIP {tree.version})\npath:    {tree.path}\n"
        f"include: {tree.include}\nheaders: {headers}\n"
    )


def _say(text: str) -> None:
    """Tell a slow step on a terminal; stdout is the result's."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
