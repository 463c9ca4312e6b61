"""Build what the parity suite runs in a cell, and print the folders that an emulator starts from.

`python -m tests.parity.prepare` does so for the cell that the environment names.
"""

import os
import sys

from tests.parity.device_module import project
from tests.parity.kernel_library import BuildError, build, cell


def main() -> int:
    """Print a folder per line; 1 with the compiler's words where one cannot be built."""
    of = cell(os.environ)
    if of is None:
        sys.stderr.write("ECLOSION_PARITY_PLATFORM names no platform to build for\n")
        return 2
    try:
        folders = (build(of).parent, project(of))
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("".join(f"{folder}\n" for folder in folders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
