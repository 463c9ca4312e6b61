"""`python -m porting.hipify_torch`: hipify_cli.py's options, in front of our port."""

import sys

from porting.errors import PortingError
from porting.hipify_torch.command import parse, run
from porting.stopping import Stopped, heed_signals


def main() -> int:
    """Run the command.

    0 when every file was hipified, 2 when the run could not be done, 130 after Ctrl-C, 128 + N
    after another signal N.
    """
    try:
        heed_signals()
        run(parse(sys.argv[1:]))
    except PortingError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except Stopped as stop:
        sys.stderr.write(f"error: {stop}\n")
        return stop.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
