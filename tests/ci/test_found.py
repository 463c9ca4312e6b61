"""What this machine has of what a cell needs: Pythons, toolkits and GPUs, or the reason."""

import json
import sys
from pathlib import Path

import pytest

from ci import found
from ci.errors import CannotRunError
from tests.ci.parity_reports import CELLS

TOOLKITS = {cell.toolkit.name: cell.toolkit for cell in CELLS.values()}


def interpreter(folder: Path, script: str) -> str:
    """Return an interpreter that is a script of the shell."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_toolkit_when_it_is_another(tmp_path: Path) -> None:
    python = interpreter(tmp_path, """echo '{"path": "/t", "release": "7.2"}'""")
    with pytest.raises(
        CannotRunError,
        match=r"^rocm 7\.1 is needed, and 7\.2 is what is here, at /t; "
        r"run the cell with --container$",
    ):
        found.find_toolkit(TOOLKITS["rocm-7.1"], python)


@pytest.mark.parametrize(
    ("toolkit", "release", "asked"),
    [
        ("rocm-7.0", "7.0.2", "--platform rocm --rocm 7.0 --format json"),
        ("rocm-newest", "7.2", "--platform rocm --format json"),
        ("cuda-12", "12.9", "--platform cuda --format json"),
    ],
)
def test_toolkit_when_porting_is_asked_for_it(
    toolkit: str, release: str, asked: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    answer = json.dumps({"path": "/t", "release": release})
    python = interpreter(tmp_path, f"echo \"$@\" >{log}\necho '{answer}'")
    assert found.find_toolkit(TOOLKITS[toolkit], python) == ("/t", release)
    assert log.read_text() == f"-m porting sysroot find {asked}\n"


def test_toolkit_when_none_is_in_reach(tmp_path: Path) -> None:
    python = interpreter(tmp_path, 'echo "porting: error: no wheel" >&2; exit 2')
    with pytest.raises(
        CannotRunError, match=r"^cuda 13 is not in reach: porting: error: no wheel$"
    ):
        found.find_toolkit(TOOLKITS["cuda-13"], python)


def test_python_when_none_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        CannotRunError, match=r"^Python 3\.9 is needed, and no python3\.9 is on PATH"
    ):
        found.find_python("3.9", None)


def test_python_when_it_lacks_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = interpreter(tmp_path, f'exec {sys.executable} -S "$@"')
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.raises(CannotRunError, match=rf"^{bare} has no pytest, xdist; make an environment"):
        found.find_python(f"3.{sys.version_info.minor}", bare)


def test_python_and_toolkit_when_they_do_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = interpreter(tmp_path, "exec sleep 60")
    monkeypatch.setattr(found, "_QUICK", 0.2)
    monkeypatch.setattr(found, "_SLOW", 0.3)
    with pytest.raises(CannotRunError, match=rf"^`{slow} -c .*` has not ended in 0\.2 seconds; "):
        found.find_python("3.11", slow)
    with pytest.raises(CannotRunError, match=rf"^`{slow} -m porting .*` has not ended in 0\.3 sec"):
        found.find_toolkit(TOOLKITS["cuda-13"], slow)


def test_gpus_when_the_driver_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nwhile :; do :; done\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(found, "_QUICK", 0.2)
    assert found.nvidia_gpus() == set()


def test_gpus_when_the_kernel_lists_nodes(tmp_path: Path) -> None:
    for number, version in enumerate((0, 90010, 90402, 110000, 120001)):
        node = tmp_path / str(number)
        node.mkdir()
        (node / "properties").write_text(f"simd_count 4\ngfx_target_version {version}\nlds 64\n")
    assert found.amd_gpus(tmp_path) == {"gfx90a", "gfx942", "gfx1100", "gfx1201"}
    assert found.amd_gpus(tmp_path / "absent") == set()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("printf '9.0\\n8.0\\n9.0\\n'", {"sm_90", "sm_80"}),
        ("printf '12.0\\n'", {"sm_120"}),
        ("printf '9.0\\n'; exit 9", set()),
        ("echo 'NVIDIA-SMI has failed'", set()),
    ],
)
def test_gpus_when_the_driver_is_asked(
    script: str, expected: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found.nvidia_gpus() == expected


def test_gpus_when_the_cell_needs_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        CannotRunError, match=r"^a GPU of sm_90 is needed, and no GPU of it is here$"
    ):
        found.find_gpu("cuda", "sm_90")
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho 8.0\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    with pytest.raises(CannotRunError, match=r"is needed, and sm_80 is what is here$"):
        found.find_gpu("cuda", "sm_90")
    found.find_gpu("cuda", "sm_80")
