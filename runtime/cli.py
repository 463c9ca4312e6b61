"""The command line of the runtime: `python -m runtime devices`."""

import click

from runtime.devices import LIBRARIES, PLATFORMS, probe_apart
from runtime.devices.report import as_json, as_text


@click.group()
@click.version_option(package_name="eclosion", prog_name="runtime")
def main() -> None:
    """Look at what the runtime can use on this machine."""


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
