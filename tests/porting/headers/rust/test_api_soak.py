"""The declarations of both vendors against their headers, in the cache of the mapping soak."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from porting.headers.generate_prototypes import CACHE

ROOT = Path(__file__).resolve().parents[4]
DATA = ROOT / "porting/headers/rust/data"
LIBCLANG = Path(os.environ.get("LIBCLANG_PATH", "/usr/lib/llvm-15/lib"))


@pytest.mark.soak
@pytest.mark.toolchain
@pytest.mark.timeout(900)
def test_declarations_are_those_of_the_headers(
    tmp_path: Path, program: Callable[[str], str], missing: Callable[[str], NoReturn]
) -> None:
    if not CACHE.is_dir():
        missing(f"{CACHE} is not there; tests/ci/test_mappings_soak.py fetches it")
    program("bindgen")
    if not list(LIBCLANG.glob("libclang*.so*")):
        missing(f"libclang 15 is not in {LIBCLANG}")
    done = subprocess.run(
        ["bash", "ci/rust_api.sh", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = {path.name for path in tmp_path.iterdir()}
    differ = [p.name for p in DATA.glob("*.json") if p.read_bytes() != read(tmp_path / p.name)]
    assert made == {path.name for path in DATA.glob("*.json")}
    assert differ == [], "run ci/rust_api.sh and commit what it writes"


def read(path: Path) -> bytes:
    """Return what a file holds, nothing of one that is not there."""
    return path.read_bytes() if path.is_file() else b""
