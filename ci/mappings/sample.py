"""Draw names from the tables by a seed, for a check by hand: `sample.py SEED [COUNT]`.

Half of the draw has a HIP counterpart, half has none, so that both kinds of claim are checked.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

TABLES = Path(__file__).resolve().parent.parent.parent / "porting" / "mappings"
_OTHERS = ("headers", "namespaces", "private", "releases")


def draw(seed: int, count: int, tables: Path = TABLES) -> list[str]:
    """Return `count` names, sorted, the same ones for the same seed and tables."""
    mapped: list[str] = []
    missing: list[str] = []
    for path in sorted(tables.glob("*.tsv")):
        if path.stem in _OTHERS:
            continue
        body = path.read_text(encoding="utf-8").partition("\n\n")[2]
        for line in body.splitlines():
            cells = line.split("\t")
            (mapped if cells[3] else missing).append(cells[0])
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, not a secret
    half = count // 2
    return sorted(chance.sample(mapped, count - half) + chance.sample(missing, half))


def main(arguments: list[str]) -> int:
    """Print the seed and the drawn names."""
    seed = int(arguments[0])
    count = int(arguments[1]) if len(arguments) > 1 else 100
    print(f"seed {seed}, {count} names")
    print("\n".join(draw(seed, count)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
