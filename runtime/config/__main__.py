"""`python -m runtime.config` prints the table of keys as docs/configuration.md holds it."""

import sys

from runtime.config.reference import as_markdown

if __name__ == "__main__":
    sys.stdout.write(as_markdown())
