"""`porting link plan` and `porting link audit`."""

import os
import sys
from pathlib import Path

import click

from porting.cli.terminal import form_option, write_json, write_text
from porting.config import DEFAULT_ROCM, Target
from porting.link import PLATFORMS
from porting.toolkits import detect
from porting.toolkits.platforms import ROCM

_arch_option = click.option(
    "--arch", metavar="LIST", multiple=True, help="GPU architectures, comma-separated."
)
_rocm_option = click.option("--rocm", metavar="RELEASE", default=DEFAULT_ROCM, help="ROCm release.")


@click.group("link")
def link_group() -> None:
    """Say how programs are linked for each platform, and audit those that are built."""


@link_group.command("audit")
@click.argument(
    "binaries", metavar="BINARY...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--platform", type=click.Choice(PLATFORMS), help="The plan they are to follow.")
@_rocm_option
@_arch_option
@click.option(
    "--separate", is_flag=True, help="Take every library for one process of its own, not for one."
)
@form_option
def audit_command(  # noqa: PLR0913 - one for each option
    binaries: tuple[Path, ...],
    platform: str | None,
    rocm: str,
    arch: tuple[str, ...],
    form: str,
    *,
    separate: bool,
) -> int:
    """Say which link plan each BINARY follows, and what is wrong with it.

    BINARY is a program, a shared library, an object, a static archive, or a folder of these.
    Shared libraries that are named together are taken for parts of one process.  ROCm's libraries
    are expected where the machine has ROCm, else in /opt/rocm/lib.
    """
    from porting.link.audit import audit
    from porting.link.audit_report import to_json, to_text
    from porting.link.loader import Search
    from porting.link.subject import Question

    Target(rocm)  # says what is wrong with a release
    question = Question(platform or "", rocm, _archs(arch), _rocm_folders())
    result = audit(binaries, question, Search.of_system(os.environ), separate=separate)
    if form == "json":
        write_json(to_json(result))
    else:
        write_text(to_text(result))
        for _, why in result.unreadable:
            write_text(f"porting: error: {why}\n", sys.stderr)
    return result.exit_code


def _archs(typed: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for item in typed for name in item.split(",") if name)


def _rocm_folders() -> tuple[Path, ...]:
    """Return the folder of ROCm's libraries, of this machine's ROCm when it has one."""
    home = detect.home(ROCM, os.environ)
    return (home.path / "lib",) if home else (Path("/opt/rocm/lib"),)
