"""`porting headers`: HIP under CUDA's names for a tree, and whether what it has is complete."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from porting.cli.terminal import form_option, write_json, write_text
from porting.config import DEFAULT_ROCM, Target
from porting.diagnostics import Diagnostic, Severity
from porting.errors import UsageError
from porting.headers.tree import TreeHeaders, check_tree, tree_headers
from porting.hipify import hipify
from porting.output.replacing import make_folders, write_file
from porting.port import check_generated
from porting.rules import Unit
from porting.settings import load_settings


@click.command("headers")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="Write DIR/eclosion."
)
@click.option("--rocm", metavar="RELEASE", help=f"ROCm release [{DEFAULT_ROCM}].")
@click.option("--check", is_flag=True, help="Say which CUDA names the headers of PATH lack.")
@click.option(
    "--header",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The C header to check [PATH/eclosion/cuda_to_hip.h].",
)
@form_option
def headers_command(  # noqa: PLR0913 - one for each option
    *,
    source: Path,
    output: Path | None,
    rocm: str | None,
    check: bool,
    header: Path | None,
    form: str,
) -> int:
    """Make the headers that give HIP under the CUDA names that the tree PATH uses.

    They go to DIR/eclosion with -o, else the C header to stdout.  With --check nothing is written:
    names that the tree began to use are errors at the line that uses them, and so are those that
    HIP has nothing for, and the exit code is 1.  It is 2 where the tree has none of the files that
    it needs.
    """
    if check and output is not None:
        raise UsageError("--check writes nothing; leave out -o")
    if header is not None and not check:
        raise UsageError("--header names the file to check; say --check too")
    settings = load_settings(source)
    target = Target(rocm or settings.rocm or DEFAULT_ROCM)
    if check:
        done = check_tree(source, target, settings, header, _port)
        if form != "json":
            write_text(f"{done.summary}\n")
        more = {"checked": list(done.checked), "absent": done.absent}
        return _told(done.findings, form, more)
    made = tree_headers(source, target, settings, _port)
    if output is None:
        _show(made, form)
    else:
        check_generated(output, made.files)
        _write(output, made.files)
        _told(made.findings, form, {"files": sorted(made.files)})
    return int(any(found.severity is not Severity.NOTE for found in made.findings))


def _port(unit: Unit) -> tuple[Sequence[Diagnostic], Sequence[Diagnostic]]:
    done = hipify(unit.source, unit.target, unit.names, unit.project)
    return done.diagnostics, done.suppressed


def _show(made: TreeHeaders, form: str) -> None:
    if form == "json":
        found = [finding.to_json() for finding in made.findings]
        write_json({"files": dict(made.files), "diagnostics": found})
        return
    write_text(made.header)
    _lines(made.findings)


def _write(output: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        place = output / path
        if place.is_file() and place.read_bytes() == text.encode():
            continue  # its time stays, and what was built from it
        with ExitStack() as undo:
            make_folders(place.parent, undo)
            write_file(place, text.encode())
            undo.pop_all()


def _told(
    findings: tuple[Diagnostic, ...], form: str, more: Mapping[str, object] | None = None
) -> int:
    """Show findings and return the exit code that they mean."""
    if form == "json":
        write_json({**(more or {}), "diagnostics": [found.to_json() for found in findings]})
    else:
        _lines(findings)
    return int(any(found.severity is not Severity.NOTE for found in findings))


def _lines(findings: tuple[Diagnostic, ...]) -> None:
    for finding in findings:
        write_text(f"{finding}\n", sys.stderr)
        if finding.help:
            write_text(f"    help: {finding.help}\n", sys.stderr)
