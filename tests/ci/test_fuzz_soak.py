"""The fuzz targets of bindings/tests/fuzz for longer than the suite runs them."""

import subprocess
from pathlib import Path

import pytest

from ci.check import CPP_JOBS, cpp_area

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "bindings" / "tests" / "fuzz"
TARGETS = sorted(path.stem for path in SOURCES.glob("fuzz_*.cpp"))
SECONDS = 120

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(SECONDS + 600),
    pytest.mark.xdist_group("fuzz"),
]


@pytest.fixture(scope="module")
def programs() -> Path:
    """Build as the suite does, and return the folder of the fuzz targets."""
    folder, sanitizers = CPP_JOBS["c++ asan+ubsan"]
    configure, build, _ = cpp_area("soak", folder, sanitizers).commands
    for command in (configure, build):
        subprocess.run(command, cwd=ROOT, check=True)
    return ROOT / folder / "bindings" / "tests" / "fuzz"


@pytest.mark.parametrize("name", TARGETS)
def test_fuzz_target_when_it_runs_long(name: str, programs: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    command = [str(programs / name), f"-max_total_time={SECONDS}", "-max_len=2048", "-timeout=10"]
    command += [f"-artifact_prefix={tmp_path}/", "-verbosity=0", str(corpus)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    # A run that found no way into the code would prove nothing.
    assert len(list(corpus.iterdir())) > 50
