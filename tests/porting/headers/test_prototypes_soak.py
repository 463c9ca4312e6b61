"""The prototypes of CUDA functions against NVIDIA's headers, in the cache of the mapping soak."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from porting.headers.generate_prototypes import CACHE

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_prototypes_are_those_of_the_headers(missing: Callable[[str], NoReturn]) -> None:
    if not CACHE.is_dir():
        missing(f"{CACHE} is not there; tests/ci/test_mappings_soak.py fetches it")
    command = [sys.executable, "-m", "porting.headers.generate_prototypes", "--check"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr or done.stdout
