"""Run the command line as `python -m runtime`."""

from runtime.cli import main

main(prog_name="python -m runtime")
