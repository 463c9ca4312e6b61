"""`porting port`, `porting scan` and `porting verify`."""

import click

from porting.cli.options import (
    Builds,
    Common,
    Sink,
    build_options,
    common_options,
    force_option,
    mode_option,
    output_option,
    report_options,
)
from porting.cli.terminal import progress_bar
from porting.config import Mode
from porting.port import port, verify_output


@click.command("port")
@common_options
@output_option(required=True)
@mode_option
@click.option("--no-verify", is_flag=True, help="Do not compile the result.")
@build_options
@force_option
@report_options
def port_command(  # noqa: PLR0913 - one for each option
    common: Common,
    output: str,
    sink: Sink,
    *,
    mode: Mode | None,
    no_verify: bool,
    builds: Builds,
    force: bool,
) -> int:
    """Port the CUDA tree or file SRC to HIP and compile the result for every architecture.

    OUT is a copy of SRC with its C, C++ and CUDA sources ported; with --mode compat they stay as
    they are, and OUT has a header for ROCm builds.  SRC is never changed.  OUT is written whole or
    not at all.
    """
    if builds.wanted and no_verify:
        raise click.UsageError("--build verifies more than --no-verify leaves out; say one of them")
    request = common.request(output, mode=mode, verify=not no_verify, force=force, builds=builds)
    with progress_bar("porting") as progress:
        result = port(request, progress)
    return sink.show(result.report)


@click.command("scan")
@common_options
@mode_option
@report_options
def scan_command(common: Common, sink: Sink, *, mode: Mode | None) -> int:
    """Report what porting SRC would rewrite and leave to a person; write nothing."""
    with progress_bar("scanning") as progress:
        result = port(common.request(mode=mode), progress)
    return sink.show(result.report)


@click.command("verify")
@common_options
@build_options
@report_options
def verify_command(common: Common, sink: Sink, *, builds: Builds) -> int:
    """Compile SRC, an output of `porting port`, for every architecture.

    The release and architectures are those of the port, unless said otherwise.  Findings are at
    the places of the input that was ported.  Nothing is written.
    """
    with progress_bar("compiling") as progress:
        report = verify_output(common.request_for_output(builds), progress)
    return sink.show(report)
