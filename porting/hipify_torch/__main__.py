"""`python -m porting.hipify_torch`: hipify_cli.py's options, in front of our port."""

import signal
import sys
from types import FrameType

from porting.errors import PortingError
from porting.hipify_torch.command import parse, run


class _EndedError(BaseException):
    """SIGTERM came; what was begun is undone on the way out."""


def main() -> int:
    """Run the command.

    0 when every file was hipified, 2 when the run could not be done, 130 after Ctrl-C, 143 after
    SIGTERM.
    """
    try:
        _heed_sigterm()
        run(parse(sys.argv[1:]))
    except PortingError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted; nothing half-written is left\n")
        return 128 + signal.SIGINT
    except _EndedError:
        sys.stderr.write("error: ended by SIGTERM; nothing half-written is left\n")
        return 128 + signal.SIGTERM
    return 0


def _heed_sigterm() -> None:
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _end)


def _end(*_: int | FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not cut the undoing short
    raise _EndedError


if __name__ == "__main__":
    sys.exit(main())
