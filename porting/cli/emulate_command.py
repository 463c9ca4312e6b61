"""`porting emulate`: run a program with its kernels on the processor."""

import os
import re
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import click

from porting.cli.terminal import write_text
from porting.emulate.comparison import ORDER, UNREAD, Difference, differences
from porting.emulate.launch import run
from porting.emulate.machine import MOST_MEMORY, Request, prepare
from porting.emulate.static_runtime import check
from porting.emulate.twins import Twins, both
from porting.processes import scratch_folder

_FOUND = 1
_SIZE = re.compile(r"0*[1-9][0-9]*[KMG]?")
# Two colons belong to a name; one stands before the number of a call.
_FAULT = re.compile(
    r"(kernel )?([^=;:\s]|::|\s(?=\S))+(:0*[1-9][0-9]*)?=(0*[1-9][0-9]*|[A-Za-z_]\w*)"
)


@click.command("emulate", context_settings={"allow_interspersed_args": False})
@click.option(
    "--platform",
    type=click.Choice(["cuda", "rocm"]),
    callback=lambda _context, _option, given: given or "",
    help="Whose GPU is emulated.  [default: that of the build]",
)
@click.option("--wave", type=click.Choice([32, 64]), help="Lanes of a wave.")
@click.option(
    "--arch", metavar="NAME", default="", help="The GPU: sm_80, sm_90, gfx90a, gfx942, gfx1100."
)
@click.option(
    "--build-dir",
    "builds",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="A build folder whose compile_commands.json names the sources of kernels.",
)
@click.option(
    "--sidecar",
    "sidecars",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    help="A library of kernels that was built before.",
)
@click.option("--devices", type=click.IntRange(0, 64), default=1, show_default=True)
@click.option(
    "--memory",
    metavar="SIZE",
    default="",
    callback=lambda _context, _option, given: _size(given),
    help="Of each device, such as 512M.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, (1 << 64) - 1),
    default=0,
    help="Order in which threads of a block run.",
)
@click.option(
    "--delay-us",
    type=click.IntRange(0, 10**12),
    default=0,
    help="Work starts that much later.",
)
@click.option("--leaks", is_flag=True, help="Tell what is not given back when PROGRAM ends.")
@click.option(
    "--faults",
    metavar="LIST",
    default="",
    callback=lambda _context, _option, given: _faults(given),
    help="Calls that fail: hipMalloc:3=hipErrorOutOfMemory;...",
)
@click.option(
    "--diff",
    "source",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A CUDA tree: build it and its port, run PROGRAM of both builds, compare.",
)
@click.option(
    "--ignore",
    metavar="REGEX",
    default="",
    callback=lambda _context, _option, given: _pattern(given),
    help="With --diff: lines of output that may differ.",
)
@click.option(
    "--any-order",
    is_flag=True,
    help="With --diff: buffers may hold the same words in another order.",
)
@click.option("--report", type=click.Path(path_type=Path), help="Add findings there, as JSON.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def emulate_command(
    source: Path | None,
    ignore: str,
    any_order: bool,  # noqa: FBT001 - click's way of a flag
    report: Path | None,
    program: tuple[str, ...],
    **asked: Any,  # noqa: ANN401 - the fields of a request
) -> int:
    """Run PROGRAM, an unmodified binary for CUDA or ROCm, without a GPU.

    Its kernels are compiled for the processor from their sources.  The exit status is the
    program's own; 1 where it ended well and findings are left.  With --diff it is 0 where both
    runs are the same and have no findings, else 1.
    """
    request = Request(**{name: value for name, value in asked.items() if value is not None})
    if source is None and (ignore or any_order):
        raise click.UsageError("--ignore and --any-order say how --diff compares; say --diff too")
    if source is not None:
        _refuse_beside_diff(request, report)
        return _compare(
            Twins(source, program[0], program[1:], request), ignore, any_order=any_order
        )
    check(Path(shutil.which(program[0]) or program[0]), os.environ)
    machine = prepare(request, _say)
    with scratch_folder("porting-emulate-") as scratch:
        outcome = run(program, machine, (report or scratch / "findings.jsonl").absolute())
    if not outcome.findings:
        return outcome.status
    found = _counted(len(outcome.findings), "finding")
    sys.stderr.write(f"porting: {found} on emulated {machine.arch}\n")
    return outcome.status or _FOUND


def _refuse_beside_diff(request: Request, report: Path | None) -> None:
    if request.builds or request.platform or request.sidecars or report:
        raise click.UsageError(
            "--diff builds and reports both platforms; leave --platform, --build-dir, --sidecar "
            "and --report out"
        )


def _compare(twins: Twins, ignored: str, *, any_order: bool) -> int:
    with scratch_folder("porting-emulate-") as scratch:
        cuda, rocm = both(twins, scratch, _say)
    found = differences(cuda, rocm, ignored)
    write_text("".join(f"{each.kind}: {each.text}\n" for each in found))
    borne = {UNREAD, ORDER} if any_order else {UNREAD}
    buffers = _counted(len(cuda.buffers), "buffer")
    lines = _counted(len(cuda.output.splitlines()), "line")
    verdict = _verdict(found, borne)
    write_text(f"emulated cuda and rocm: {buffers}, {lines} of output: {verdict}\n")
    return 0 if {each.kind for each in found} <= borne else _FOUND


def _verdict(found: Sequence[Difference], borne: Collection[str]) -> str:
    kinds = [each.kind for each in found]
    if bad := sum(kind not in borne for kind in kinds):
        return _counted(bad, "difference")
    moved, unread = (_counted(kinds.count(kind), "buffer") for kind in (ORDER, UNREAD))
    but = f", but for the order in {moved}" if ORDER in kinds else ""
    return f"the same on both{but}" + (f"; {unread} not looked at" if UNREAD in kinds else "")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _pattern(given: str) -> str:
    try:
        re.compile(given)
    except re.error as error:
        raise click.BadParameter(f"'{given}' is no regular expression: {error}") from error
    return given


def _size(given: str) -> str:
    if given and not _SIZE.fullmatch(given):
        raise click.BadParameter(
            f"'{given}' is no number of bytes; write a whole number above 0 with K, M, G or "
            "nothing after it, such as 512M"
        )
    if given and _bytes(given) > MOST_MEMORY:
        raise click.BadParameter(
            f"'{given}' is more than the {MOST_MEMORY >> 30}G of addresses that all emulated "
            "memory shares; give a device at most that"
        )
    return given


def _bytes(size: str) -> int:
    shift = 10 * ("KMG".find(size[-1]) + 1)
    return int(size.rstrip("KMG")) << shift


def _faults(given: str) -> str:
    for entry in filter(None, given.split(";")):
        if not _FAULT.fullmatch(entry):
            raise click.BadParameter(
                f"'{entry}' is no fault; write FUNCTION:N=CODE or 'kernel NAME:N=CODE', where N "
                "counts calls from 1 and may be left out, and CODE is the vendor's name or number "
                "of the error, such as cudaMalloc:2=cudaErrorMemoryAllocation"
            )
    return given


def _say(text: str) -> None:
    """Tell a slow step, in a log too; stdout is the program's."""
    sys.stderr.write(f"porting: {text}\n")
    sys.stderr.flush()
