"""Copy the example with four constructs planted that a person must decide.

    python examples/undecidable/plant.py OUT

Prints `file:line` of each: what `porting port OUT` must report, and nothing else.
"""

import argparse
import shutil
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "cuda_project"


def plant(out: Path) -> list[str]:
    """Copy the example to `out`, plant the constructs; return their places."""
    shutil.copytree(EXAMPLE, out)
    places = []
    for item in tomllib.loads((HERE / "plants.toml").read_text(encoding="utf-8"))["plant"]:
        path = out / item["file"]
        lines = path.read_text(encoding="utf-8").splitlines()
        after = lines.index(item["after"])
        planted = item["lines"].splitlines()
        lines[after + 1 : after + 1] = planted
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        places.append(f"{item['file']}:{after + 1 + item['finding']}")
    return sorted(places)


def main() -> int:
    """Plant into the folder that is named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="a folder that does not exist yet")
    for place in plant(parser.parse_args().out):
        sys.stdout.write(f"{place}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
