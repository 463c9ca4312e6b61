"""`porting hipify`: sources alone, to stdout, as a diff, into a tree or in place."""

import os
import sys
from pathlib import Path

import click

from porting.cli.options import Common, common_options, force_option, output_option
from porting.cli.terminal import progress_bar, write_bytes, write_text
from porting.errors import UsageError
from porting.output.diffs import unified_diff
from porting.output.inplace import check_clean, write_in_place
from porting.port import PortResult, port
from porting.reports import Status, text_report


@click.command("hipify")
@common_options
@click.option("--diff", is_flag=True, help="Print a unified diff, write nothing.")
@output_option(required=False)
@click.option("--in-place", is_flag=True, help="Change SRC itself; its git tree must be clean.")
@force_option
def hipify_command(
    common: Common, output: str | None, *, diff: bool, in_place: bool, force: bool
) -> int:
    """Port the sources of SRC, a file or a folder, without compiling them.

    A file goes to stdout unless -o, --diff or --in-place is given.  Findings are text on stderr.
    """
    source = common.source
    if sum((diff, in_place, output is not None)) > 1:
        raise UsageError("-o, --diff and --in-place exclude each other; say one of them")
    if source.is_dir() and not (diff or in_place or output):
        raise UsageError(f"{source} is a folder; say -o OUT, --diff or --in-place")
    request = common.request(output, force=force)
    if in_place:
        check_clean(source)
    with progress_bar("porting") as progress:
        result = port(request, progress)
    if in_place:
        write_in_place(source, result.hipified)
        changed = result.report.count(Status.CHANGED)
        files = "1 file" if changed == 1 else f"{changed} files"
        write_text(f"{files} changed in {source}\n", sys.stderr)
    elif output is None:
        _print(source, result, diff=diff)
    _show_findings(result)
    return result.report.exit_code


def _print(source: Path, result: PortResult, *, diff: bool) -> None:
    folder = _folder_in_diffs(source)
    for done in result.hipified:
        write_bytes(unified_diff(done, folder) if diff else done.data)


def _folder_in_diffs(source: Path) -> str:
    """Return where a diff's paths start: seen from the current folder, where it is to be applied.

    An input outside of it is named from the folder above: `patch` takes no path with `..`.
    """
    named = Path(os.path.abspath(source))  # noqa: PTH100 - a link keeps the name that was typed
    folder = named if source.is_dir() else named.parent
    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else folder.name


def _show_findings(result: PortResult) -> None:
    report = result.report
    colour = sys.stderr.isatty()
    lines = text_report.findings(report.diagnostics, report.root, colour=colour)
    write_text("".join(f"{line}\n" for line in lines), sys.stderr)
