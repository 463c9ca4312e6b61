"""Pinned source distributions, fetched from the package index into the cache; none of them runs.

`pip download` would run a tree's build backend to ask for its metadata, so the file is fetched
through the index's own JSON interface instead, from the index that pip is configured to use.

    python -m benchmarks.real_trees.fetch [NAME ...]     prints one JSON line per tree
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_JSON = "application/vnd.pypi.simple.v1+json"
_DEFAULT_INDEX = "https://pypi.org/simple"
_TIMEOUT = 120
SOURCES = frozenset(
    (".cu", ".cuh", ".hu", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".hxx", ".inl")
)


class FetchError(Exception):
    """A tree cannot be had: the index is out of reach or serves another file."""


@dataclass(frozen=True)
class Tree:
    """A pinned source distribution and what of it is measured."""

    name: str
    version: str
    sha256: str
    drop: tuple[str, ...]
    vendor: tuple[str, ...]
    headers: tuple[str, ...]
    defines: tuple[str, ...]
    undefines: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name and version, for tables and folders."""
        return f"{self.name}-{self.version}"


def pinned(names: frozenset[str] = frozenset()) -> list[Tree]:
    """Return the trees of trees.toml, or those of them that are named."""
    data = tomllib.loads((_HERE / "trees.toml").read_text(encoding="utf-8"))
    trees = [
        Tree(
            name=item["name"],
            version=item["version"],
            sha256=item["sha256"],
            drop=tuple(item.get("drop", ())),
            vendor=tuple(item.get("vendor", ())),
            headers=tuple(item.get("headers", ())),
            defines=tuple(item.get("defines", ())),
            undefines=tuple(item.get("undefines", ())),
        )
        for item in data["tree"]
    ]
    unknown = names - {tree.name for tree in trees}
    if unknown:
        raise FetchError(f"no tree is called {', '.join(sorted(unknown))}; see {_HERE}/trees.toml")
    return [tree for tree in trees if not names or tree.name in names]


def cache() -> Path:
    """Return the folder that downloads are kept in: ECLOSION_CACHE, XDG_CACHE_HOME or ~/.cache."""
    if chosen := os.environ.get("ECLOSION_CACHE"):
        return Path(chosen) / "trees"
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "eclosion" / "trees"


def fetch(tree: Tree) -> Path:
    """Return a folder of a tree, downloaded unless it is cached.  Raises FetchError.

    `tree` in it holds the C-family files, which is what both converters read; `vendor` holds the
    headers of vendored libraries.
    """
    wanted = hashlib.sha256(
        repr((tree.sha256, tree.drop, tree.vendor, sorted(SOURCES))).encode()
    ).hexdigest()[:8]
    place = cache() / f"{tree.label}-{wanted}"
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".fetch-") as folder:
        archive = Path(folder) / "archive"
        _download(tree, archive)
        unpacked = Path(folder) / "unpacked"
        for path, data in _sources(archive, tree):
            part = "vendor" if _under(path, tree.vendor) else "tree"
            target = unpacked / part / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        unpacked.rename(place)
    return place


def _download(tree: Tree, archive: Path) -> None:
    index = f"{_index()}/{re.sub(r'[-_.]+', '-', tree.name).lower()}/"
    try:
        request = urllib.request.Request(index, headers={"Accept": _JSON})  # noqa: S310
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as page:  # noqa: S310
            files: list[dict[str, Any]] = json.load(page)["files"]
        link = next((f["url"] for f in files if f["hashes"].get("sha256") == tree.sha256), None)
        if link is None:
            raise FetchError(f"{index} has no file of {tree.label} with sha256 {tree.sha256}")
        with (
            urllib.request.urlopen(link, timeout=_TIMEOUT) as reply,  # noqa: S310
            archive.open("wb") as file,
        ):
            shutil.copyfileobj(reply, file)
    except OSError as error:
        raise FetchError(f"{tree.label} cannot be downloaded: {error}") from error
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != tree.sha256:
        raise FetchError(f"{tree.label} has sha256 {digest}, {tree.sha256} is the known one")


def _index() -> str:
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    chosen = os.environ.get("PIP_INDEX_URL") or done.stdout.strip() or _DEFAULT_INDEX
    if not chosen.startswith(("https://", "http://")):
        raise FetchError(f"the index {chosen} is no web address; set PIP_INDEX_URL to one")
    return chosen.rstrip("/")


def _sources(archive: Path, tree: Tree) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each file that is kept, without the archive's top folder."""
    with tarfile.open(archive) as tar:
        for member in tar:
            _, _, path = member.name.partition("/")
            if member.isfile() and ".." not in Path(path).parts and _is_kept(path, tree):
                data = tar.extractfile(member)
                if data is not None:
                    yield path, data.read()


def _is_kept(path: str, tree: Tree) -> bool:
    """Whether a file is a source, or a header of a vendored library; some have no suffix."""
    suffix = Path(path).suffix.lower()
    if _under(path, tree.vendor):
        return suffix in SOURCES or not suffix
    return suffix in SOURCES and not _under(path, tree.drop)


def _under(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def main() -> int:
    """Fetch the named trees, or all of them."""
    try:
        for tree in pinned(frozenset(sys.argv[1:])):
            print(json.dumps({**asdict(tree), "path": str(fetch(tree))}), flush=True)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
