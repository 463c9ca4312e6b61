"""Wheels by pip: pinned, checked, and only the wanted members kept."""

import hashlib
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits import wheels
from porting.toolkits.wheels import RECORD, Wheel

FILE = "demo_headers-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: demo-headers\nVersion: 1.0\n"
TAGS = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is pip's only index, and use a cache of our own."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path / "cache"))
    return folder


def publish(index: Path, members: dict[str, str]) -> Wheel:
    """Put a wheel on the index and return its pin."""
    with zipfile.ZipFile(index / FILE, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
        archive.writestr("demo_headers-1.0.dist-info/METADATA", METADATA)
        archive.writestr("demo_headers-1.0.dist-info/WHEEL", TAGS)
        archive.writestr("demo_headers-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256((index / FILE).read_bytes()).hexdigest()
    return Wheel("demo-headers", "1.0", digest, r"demo/include/.+")


def test_fetch_when_on_the_index(index: Path) -> None:
    wheel = publish(index, {"demo/include/a.h": "int a;\n", "demo/code.py": "", "demo/big.so": ""})
    said: list[str] = []
    assert not wheels.cached(wheel)
    folder = wheels.fetch(wheel, said.append)
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert files == ["demo/include/a.h", RECORD]
    record = json.loads((folder / RECORD).read_text())
    assert record["sha256"] == wheel.sha256
    assert record["file"] == FILE
    assert said == ["downloading demo-headers==1.0"]
    assert wheels.cached(wheel)


def test_fetch_when_cached(index: Path) -> None:
    wheel = publish(index, {"demo/include/a.h": ""})
    folder = wheels.fetch(wheel)
    (index / FILE).unlink()
    assert wheels.fetch(wheel) == folder


def test_fetch_when_the_checksum_differs(index: Path) -> None:
    wheel = publish(index, {"demo/include/a.h": ""})
    other = Wheel(wheel.name, wheel.version, "0" * 64, wheel.members)
    with pytest.raises(
        ToolchainError, match=rf"^{FILE} has sha256 {wheel.sha256}, 0+ is the known"
    ):
        wheels.fetch(other)
    assert not wheels.cached(other)


def test_fetch_when_not_on_the_index(index: Path) -> None:
    wheel = Wheel("demo-headers", "2.0", "0" * 64, ".*")
    with pytest.raises(
        ToolchainError, match=r"^cannot download demo-headers==2\.0: .*PIP_FIND_LINKS"
    ):
        wheels.fetch(wheel)


def test_fetch_when_no_member_is_wanted(index: Path) -> None:
    wheel = publish(index, {"demo/code.py": ""})
    with pytest.raises(ToolchainError, match=r"has no member like demo/include/\.\+$"):
        wheels.fetch(wheel)


def test_fetch_when_a_member_climbs_out(index: Path, tmp_path: Path) -> None:
    wheel = publish(index, {"demo/include/../../../../evil.h": ""})
    with pytest.raises(ToolchainError, match="has a member outside its folder"):
        wheels.fetch(wheel)
    assert not list(tmp_path.rglob("evil.h"))


def test_fetch_when_python_has_no_pip(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    code = (
        "from porting.toolkits.wheels import Wheel, fetch\n"
        "try: fetch(Wheel('demo-headers', '1.0', '0' * 64, '.*'))\n"
        "except Exception as error: print(error)\n"
    )
    root = Path(wheels.__file__).parents[2]
    environment = {"PYTHONPATH": str(root), "ECLOSION_CACHE": str(tmp_path), "PATH": ""}
    done = subprocess.run(
        [tmp_path / "bare/bin/python", "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert "has no pip, which downloads the ROCm headers; run" in done.stdout
    assert "ensurepip" in done.stdout


def test_pip_when_asked_for_its_version() -> None:
    assert wheels.pip_version().startswith("pip ")
    assert sys.version_info[:2] >= (3, 11)
