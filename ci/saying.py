"""How far a long command is, on the standard error output."""

import sys


def say(text: str) -> None:
    """Tell how far things are."""
    print(f"ci.mutants: {text}", file=sys.stderr, flush=True)
