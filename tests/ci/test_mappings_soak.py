"""The tables against the wheels they come from: downloads all of them (about 8 GB)."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "ci" / "mappings"
TABLES = ROOT / "porting" / "mappings"
sys.path.insert(0, str(HERE))  # a script's folder is its import path

from nametables import fetch, libraries, sources  # noqa: E402

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]
_OTHERS = ("headers", "namespaces", "private", "releases")
_TOKEN = re.compile(r"^(?:raw_identifier|identifier) '(\w+)'")
_CITED = re.compile(r"(header|stub) (\S+) \(([\d., ]+)\)")
_CLANG = shutil.which("clang++-19") or shutil.which("clang++")


@pytest.fixture(scope="module")
def wheels() -> dict[sources.Wheel, Path]:
    pinned = sources.load(HERE / "sources.toml")
    folders = fetch.fetch(pinned, fetch.default_cache())
    return {wheel: folders[wheel.folder] for wheel in pinned}


def _rows(*names: str) -> Iterator[tuple[list[str], dict[str, str]]]:
    for path in sorted(TABLES.glob("*.tsv")):
        if (path.stem in names) if names else (path.stem not in _OTHERS):
            head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
            texts = dict(t[1:].split("\t", 1) for t in head.splitlines() if "\t" in t)
            for line in body.splitlines():
                yield line.split("\t"), texts


def test_generator_when_run_again_gives_the_same_tables(wheels: dict[sources.Wheel, Path]) -> None:
    command = [sys.executable, str(HERE / "generate.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)

    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.skipif(_CLANG is None, reason="needs clang to read headers another way")
def test_headers_when_read_by_clang_hold_no_unknown_name(
    wheels: dict[sources.Wheel, Path],
) -> None:
    names = [cells[0] for cells, _ in (*_rows(), *_rows("private"))]
    known = {name.rpartition("::")[2] for name in names}
    known |= {Path(cells[0]).stem for cells, _ in _rows("headers")}  # words of #include lines
    listed = libraries.load(HERE / "libraries.toml")
    unknown: dict[str, set[str]] = {}
    read = 0
    for wheel, folder in wheels.items():
        if wheel.role != "cuda":
            continue
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".hpp")):
            spelled = path.relative_to(folder).as_posix().split("/include/", 1)[-1]
            library = libraries.owner(listed, spelled)
            if library and library.scan and spelled not in library.skip:
                read += 1
                found = {n for n in _tokens(path) if library.prefix.match(n)}
                unknown[spelled] = unknown.get(spelled, set()) | (found - known)

    assert read > 200
    assert {name: sorted(left) for name, left in unknown.items() if left} == {}


def _tokens(path: Path) -> set[str]:
    assert _CLANG is not None
    command = [_CLANG, "-cc1", "-x", "c++", "-dump-raw-tokens", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = (_TOKEN.match(line) for line in run.stderr.splitlines())
    return {match.group(1) for match in found if match}


def test_targets_when_looked_up_in_the_cited_files_are_there(
    wheels: dict[sources.Wheel, Path],
) -> None:
    missing = []
    checked = 0
    for cells, texts in _rows():
        target = cells[0] if cells[3] == "=" else cells[3]
        for source, file, releases in _CITED.findall(texts[cells[8]]) if target else ():
            for release in releases.split(", "):
                checked += 1
                words = _words(source, file, release, tuple(wheels.items()))
                if target.rpartition("::")[2] not in words:
                    missing.append((cells[0], target, source, file, release))

    assert checked > 10_000
    assert missing == []


@cache
def _words(
    source: str, file: str, release: str, wheels: tuple[tuple[sources.Wheel, Path], ...]
) -> frozenset[str]:
    """Return every word of a header, or of the stubs that speak of it, in one release."""
    role = {"stub": "rocm-stubs", "header": "rocm-headers"}[source]
    if file.startswith("clang/"):
        role, file = "rocm-clang", file.removeprefix("clang/")
    text = ""
    for wheel, folder in wheels:
        if wheel.role != role or wheel.release != release:
            continue
        if source == "stub":
            stubs = (p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*.pxd")))
            text += "".join(stub for stub in stubs if f'"{file}"' in stub)
        else:
            text += "".join(
                path.read_text(encoding="utf-8", errors="replace")
                for path in folder.rglob(Path(file).name)
                if path.as_posix().endswith(f"/{file}")
            )
    assert text, f"{source} {file} of {release} is in no pinned wheel"
    return frozenset(re.findall(r"\w+", text))
