"""The source distribution, the wheel built from it, and the wheel at work outside the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import compiler_cache

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("porting", "runtime")

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("wheel")]


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command that has to succeed; return what it wrote to stdout."""
    line = list(map(str, command))
    done = subprocess.run(
        line,
        cwd=cwd,
        env={**os.environ, **compiler_cache.settings()},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(kind: str, source: Path, out: Path) -> Path:
    """Build an sdist or a wheel by the backend's own hooks, in a build folder of its own."""
    code = (
        "import sys; from scikit_build_core import build as backend; "
        "print(getattr(backend, 'build_' + sys.argv[1])(sys.argv[2], {'build-dir': sys.argv[3]}))"
    )
    printed = run(sys.executable, "-c", code, kind, out, out / "build", cwd=source)
    return out / printed.splitlines()[-1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution of the checkout."""
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel from the unpacked source distribution, as an installer does."""
    folder = tmp_path_factory.mktemp("wheel")
    run("tar", "-xf", sdist, "-C", folder)  # tarfile's safe filter is younger than Python 3.11.0
    return build("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)


def package_files() -> set[str]:
    """Return the files of both packages in the checkout, compiled ones aside."""
    return {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }


def run_installed(environment: Path, arguments: Sequence[str]) -> str:
    """Run the environment's interpreter from /."""
    return run(environment / "bin" / "python", *arguments, cwd=Path("/"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in a new environment that borrows only its dependencies from ours."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel)
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # A path file adds this folder without the path files in it, so the editable install stays out.
    (Path(site) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_wheel_when_listed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        metadata = {name.partition(".dist-info/")[2] for name in set(archive.namelist()) - names}
    core = {name for name in names if name.startswith("runtime/_core.cpython-")}
    assert len(core) == 1
    assert names - core == package_files()
    assert {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"} == metadata


def test_sdist_when_listed(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert package_files() <= names
    assert {"CMakeLists.txt", "bindings/core/dynlib.cpp", "LICENSE", "PKG-INFO"} <= names
    assert not [name for name in names if name.startswith((".", "build/"))]


def test_installed_runtime_when_asked_for_devices(environment: Path) -> None:
    document = json.loads(
        run_installed(environment, ["-m", "runtime", "devices", "--format", "json"])
    )
    assert len(document["libraries"]) == 5


def test_installed_packages_when_located(environment: Path) -> None:
    """What ran above is the wheel's code and not the checkout's."""
    code = "import porting, runtime.core; print(porting.__file__, runtime.core.__file__)"
    printed = run_installed(environment, ["-c", code]).split()
    assert [path.startswith(str(environment)) for path in printed] == [True, True]
