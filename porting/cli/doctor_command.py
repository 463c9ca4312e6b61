"""`porting doctor`."""

import click

from porting.cli.terminal import form_option, write_json, write_text
from porting.toolkits import doctor


@click.command("doctor")
@form_option
def doctor_command(form: str) -> int:
    """Say what this machine has for porting, where it is, and what is missing and why."""
    rows = doctor.examine()
    if form == "json":
        write_json(doctor.to_json(rows))
        return 0
    wide = max(len(row.name) for row in rows)
    for row in rows:
        write_text(f"{row.name:{wide}}  {row.state.value:15}  {row.detail}\n")
        if row.help:
            write_text(f"{'':{wide}}  {'':15}  help: {row.help}\n")
    return 0
