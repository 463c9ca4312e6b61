"""Hosts that are let go or terminated while they read the copy of a workspace that they have."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime import actor as ra
from tests.runtime.actor.host_processes import TRUST, HostProcess

SECONDS = 30.0
Start = Callable[..., HostProcess]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give a directory with little in it."""
    (tmp_path / "project/deep").mkdir(parents=True)
    (tmp_path / "project/main.py").write_text("print(1)\n")
    return tmp_path / "project"


@pytest.fixture
def endless(start: Start, tmp_path: Path) -> HostProcess:
    """Give a host that would read its present copy for minutes."""
    (tmp_path / "ws/project").mkdir(parents=True)
    with (tmp_path / "ws/project/holes").open("wb") as file:
        file.truncate(1 << 39)
    return start(f"ipc://{tmp_path}/host", environment={"WORKSPACE_DIR": str(tmp_path / "ws")})


def _reading(host: HostProcess, source: Path, top: Path) -> tuple[ra.HostMesh, ra.Future[None]]:
    """Have a host read its present copy."""
    mesh = ra.attach_to_workers(ca=TRUST, workers=[host.address])
    copied = mesh.sync_workspace(source)
    end = time.monotonic() + SECONDS
    while not any(top.glob(".project.sync-*/tree/deep")):
        assert time.monotonic() < end
    return mesh, copied


def test_a_host_when_it_is_let_go_does_not_read_its_copy_to_the_end(
    endless: HostProcess, source: Path, tmp_path: Path, quiet: None
) -> None:
    mesh, copied = _reading(endless, source, tmp_path / "ws")
    mesh.stop().get(SECONDS)
    with pytest.raises((ra.SupervisionError, ra.WorkspaceError), match=r"no answer|is let go$"):
        copied.get(SECONDS)
    with ra.attach_to_workers(ca=TRUST, workers=[endless.address]) as again:
        again.initialized.get(SECONDS)
        assert [each.name for each in (tmp_path / "ws").iterdir()] == ["project"]


def test_a_host_when_it_is_terminated_does_not_read_its_copy_to_the_end(
    endless: HostProcess, source: Path, tmp_path: Path, quiet: None
) -> None:
    _, copied = _reading(endless, source, tmp_path / "ws")
    endless.process.terminate()
    endless.process.wait(SECONDS)
    with pytest.raises((ra.SupervisionError, ra.WorkspaceError), match=r"no answer|is let go$"):
        copied.get(SECONDS)
    assert [each.name for each in (tmp_path / "ws").iterdir()] == ["project"]
