"""Generate the name tables of `porting` from the pinned wheels: `generate.py [--check|--pin]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from nametables import build, fetch, report, seal, sources, write

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent.parent / "porting" / "mappings"
SEAL = HERE / "seal.json"


def main(arguments: list[str]) -> int:
    """Write the tables, or (--check) fail when they are not what the sources give."""
    options = _options(arguments)
    pinned = sources.load(HERE / "sources.toml")
    folders = fetch.fetch(pinned, options.cache)
    if options.pin:
        _pin(folders)
        return 0
    for wheel in pinned:
        fetch.verify(wheel, folders[wheel.folder])
    built = build.build(HERE, pinned, folders)
    sys.stdout.write(report.counts(built))
    failures = report.failures(built)
    sys.stdout.writelines(f"error: {line}\n" for line in failures)
    if failures:
        return 1
    if options.check:
        return _check(built.files)
    changed = write.update(TABLES, built.files)
    seal.write(SEAL, HERE, TABLES)
    sys.stdout.write(f"written: {', '.join(changed) or 'nothing, all up to date'}\n")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--pin", action="store_true", help="write the digests of the wheels' files")
    parser.add_argument("--cache", type=Path, default=fetch.default_cache())
    return parser.parse_args(arguments)


def _pin(folders: dict[str, Path]) -> None:
    path = HERE / "sources.toml"
    digests = {name: fetch.digest(folder) for name, folder in folders.items()}
    text = sources.with_digests(path.read_text(encoding="utf-8"), digests)
    path.write_text(text, encoding="utf-8")


def _check(files: dict[str, str]) -> int:
    stale = [
        name
        for name, text in files.items()
        if not (TABLES / name).is_file() or (TABLES / name).read_text(encoding="utf-8") != text
    ]
    stale += [path.name for path in sorted(TABLES.glob("*.tsv")) if path.name not in files]
    stale += [f"the seal of {part}" for part in seal.broken(SEAL, HERE, TABLES)]
    if stale:
        sys.stdout.write(f"stale: {', '.join(stale)}; run python ci/mappings/generate.py\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
