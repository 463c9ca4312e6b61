"""The command `porting`: what it prints, the signals it heeds, the exit code it ends with."""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from porting.stopping import Stopped, heed_signals, ignore_signals

if TYPE_CHECKING:
    import click

__all__ = ["main"]

_FAILED = 2
_BROKEN_PIPE = 141  # 128 + SIGPIPE, as shells count


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0: done, nothing left to decide.  1: findings are left.  2: it could not run as asked.
    130: Ctrl-C; 128 + N: signal N.  Every error is one line on stderr.  For the end of a process:
    signals are ignored afterwards, as the interpreter would die of them without a word.
    """
    try:
        try:
            heed_signals()
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            ignore_signals()
            _clean_up()
    except Stopped as stop:
        sys.stderr.write(f"porting: {stop}\n")
        return stop.exit_code
    except BrokenPipeError:
        _let_go_of_stdout()
        return _BROKEN_PIPE


def _let_go_of_stdout() -> None:
    """Drop what stdout does not take; else the interpreter's last flush changes the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str]) -> int:
    import click

    from porting.cli.group import porting

    try:
        with porting.make_context("porting", list(arguments)) as context:
            code = porting.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()  # the help itself
        return _FAILED
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - Python's own 1 would say that findings are left
        _let_go_of_stdout()
        return _complain(error)
    return code if isinstance(code, int) else 0


def _complain(error: Exception) -> int:
    """Say on one line why the command could not run, and return its exit code."""
    import click

    from porting.errors import PortingError, reason

    code = _FAILED
    if isinstance(error, PortingError):
        text, code = str(error), error.exit_code
    elif isinstance(error, click.ClickException):
        text = _usage(error)
    elif isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        text = name + reason(error)
    else:
        traceback.print_exception(error)
        text = f"this is a defect of porting, please report it: {error!r}"
    sys.stderr.write(f"porting: error: {' '.join(text.splitlines())}\n")
    return code


def _usage(error: "click.ClickException") -> str:
    """Return click's message in the form of ours, with the command whose help says more."""
    lines = error.format_message().splitlines()  # choices stand on lines of their own
    message = " ".join(line.strip() for line in lines).rstrip(".")
    context = getattr(error, "ctx", None)
    hint = f"; see `{context.command_path} --help`" if context is not None else ""
    return message[:1].lower() + message[1:] + hint


def _clean_up() -> None:
    module = sys.modules.get("porting.processes.folders")
    if module is not None:
        module.remove_live()
