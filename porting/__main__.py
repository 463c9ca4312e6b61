"""Run the command as `python -m porting`, from an installation or from the source tree."""

import sys

from porting.cli import main

if __name__ == "__main__":
    sys.exit(main())
