"""`porting explain`."""

import click

from porting.cli.terminal import write_text
from porting.config import DEFAULT_ROCM
from porting.emulate.codes import CODES as EMULATOR_CODES
from porting.errors import UsageError
from porting.explain import code_list, explain, library_table
from porting.mapping import Names
from porting.port import all_codes


@click.command("explain")
@click.argument("word", required=False)
@click.option("--rocm", metavar="RELEASE", default=DEFAULT_ROCM, help="ROCm release of the names.")
@click.option("--codes", is_flag=True, help="List every code.")
@click.option("--libraries", is_flag=True, help="Count the known names of every CUDA library.")
def explain_command(word: str | None, rocm: str, *, codes: bool, libraries: bool) -> int:
    """Explain WORD: a code such as NAM001, a CUDA name, a header or a namespace."""
    if sum((word is not None, codes, libraries)) != 1:
        raise UsageError("say one of: a code or name, --codes, --libraries")
    known = (*all_codes(), *EMULATOR_CODES)
    if codes:
        write_text(code_list(sorted(known, key=lambda code: code.code)))
    elif libraries:
        write_text(library_table(Names.load(rocm)))
    elif word is not None:
        write_text(explain(word, Names.load(rocm), known))
    return 0
