"""The command line of the runtime: `python -m runtime devices|status|debug`."""

import click

from runtime.devices import LIBRARIES, PLATFORMS, probe_apart
from runtime.devices.report import as_json, as_text


@click.group()
@click.version_option(package_name="eclosion", prog_name="runtime")
def main() -> None:
    """Look at what the runtime can use on this machine, and at programs that run on it."""


@main.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds each of them has to answer.",
)
def devices(form: str, timeout: float) -> None:
    """Print PASS or FAIL for every vendor library and GPU platform, and the reason.

    What is missing is a finding, not an error: the exit status is 0 whenever the report could be
    made.
    """
    findings = probe_apart([*LIBRARIES, *PLATFORMS], timeout)
    render = as_json if form == "json" else as_text
    click.echo(render(findings[: len(LIBRARIES)], findings[len(LIBRARIES) :]))


@main.command()
@click.option("--json", "as_data", is_flag=True, help="Print JSON, of a version that it names.")
@click.option("--pid", type=int, help="Look at this program only.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=60),
    default=2.0,
    show_default=True,
    help="Seconds that its processes have to answer.",
)
def status(*, as_data: bool, pid: int | None, timeout: float) -> None:
    """Print the running programs of this user: hosts, processes, actors and what they do.

    A process that does not answer in time is told, and is no error. The exit status is 1 when
    --pid is no program.
    """
    import json

    from runtime import dashboard
    from runtime.dashboard.tree import as_text as as_tree

    found = [each for each in dashboard.find() if pid in (None, each.pid)]
    if pid is not None and not found:
        click.echo(f"process {pid} is no running program of this user", err=True)
        raise SystemExit(1)
    told = dashboard.status(found, timeout)
    click.echo(json.dumps(told, indent=2) if as_data else as_tree(told))


@main.command()
@click.option("--pid", type=int, help="The program; needed when several are at breakpoints.")
def debug(*, pid: int | None) -> None:
    """Talk to the actors of a running program that are at a `breakpoint()`.

    `help` lists the commands. The exit status is 1 when there is no such program.
    """
    import sys

    from runtime import dashboard

    found = [each for each in dashboard.find("debug") if pid in (None, each.pid)]
    if len(found) != 1:
        pids = ", ".join(str(each.pid) for each in found)
        several = f"programs {pids} have been at breakpoints; choose one with --pid"
        none = "no program of this user has an actor that has been at a breakpoint"
        if pid is not None:
            runs = any(each.pid == pid for each in dashboard.find())
            none = f"no actor of process {pid} has been at a breakpoint"
            none = none if runs else f"process {pid} is no running program of this user"
        click.echo(several if found else none, err=True)
        raise SystemExit(1)
    dashboard.talk(found[0], sys.stdin.fileno(), sys.stdout.fileno())
