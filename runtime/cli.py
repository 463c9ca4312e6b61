"""The command line of the runtime: `python -m runtime devices`."""

import click

from runtime.devices import LIBRARIES, probe_apart
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
    help="Seconds each library has to answer.",
)
def devices(form: str, timeout: float) -> None:
    """Print PASS or FAIL for every vendor library, and the reason.

    A library that is missing is a finding, not an error: the exit status is 0 whenever the report
    could be made.
    """
    findings = probe_apart(LIBRARIES, timeout)
    click.echo(as_json(findings) if form == "json" else as_text(findings))
