"""The command `porting`: what it prints, the signals it heeds, the exit code it ends with."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

__all__ = ["main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells count
_BROKEN_PIPE = 141  # 128 + SIGPIPE


class _Terminated(BaseException):
    """SIGTERM or SIGHUP came; a BaseException, so that nothing on the way takes it for a defect."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0: done, nothing left to decide.  1: findings are left.  2: it could not run as asked.
    130: Ctrl-C; 128 + N: signal N.  Every error is one line on stderr.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminate)
    try:
        try:
            return _run(arguments)
        finally:
            _clean_up()
    except KeyboardInterrupt:
        return _stopped("interrupted", _INTERRUPTED)
    except _Terminated as stop:
        return _stopped(f"ended by {signal.Signals(stop.number).name}", 128 + stop.number)
    except BrokenPipeError:
        # The reader has gone; with stdout on /dev/null the interpreter's last flush is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def _run(arguments: Sequence[str] | None) -> int:
    import click

    from porting.cli.group import porting
    from porting.errors import PortingError

    try:
        code = porting.main(arguments, prog_name="porting", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except PortingError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        raise
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _complain(f"{name}{(error.strerror or str(error)).lower()}", 2)
    return code if isinstance(code, int) else 0


def _complain(text: str, code: int) -> int:
    line = " ".join(text.split("\n"))
    sys.stderr.write(f"porting: error: {line}\n")
    return code


def _stopped(why: str, code: int) -> int:
    sys.stderr.write(f"porting: {why}; nothing half-written is left\n")
    return code


def _terminate(number: int, _: FrameType | None) -> None:
    raise _Terminated(number)


def _clean_up() -> None:
    staging = sys.modules.get("porting.staging")
    if staging is not None:
        staging.remove_live()
