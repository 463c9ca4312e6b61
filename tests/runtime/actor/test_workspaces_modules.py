"""What processes import of a workspace that was copied to their host."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime import actor as ra
from runtime.actor import BootstrapCommand, Workspace
from tests.runtime.actor.host_processes import TRUST, HostProcess

SECONDS = 40.0


class Imports(ra.Actor):
    """Imports what is there."""

    @ra.endpoint
    def value(self, name: str) -> object:
        return importlib.import_module(name).VALUE


@pytest.mark.parametrize("before", [(), ("env",)], ids=["forked", "executed"])
def test_a_workspace_is_where_processes_find_modules(
    start: Callable[..., HostProcess], quiet: None, tmp_path: Path, before: tuple[str, ...]
) -> None:
    place = {"WORKSPACE_DIR": str(tmp_path / "there")}
    host = start(f"ipc://{tmp_path}/host", environment=place)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "only_there.py").write_text("VALUE = 7\n")
    with ra.attach_to_workers(ca=TRUST, workers=[host.address]) as hosts:
        hosts.sync_workspace(Workspace({tmp_path / "src": ""})).get(SECONDS)
        command = BootstrapCommand(args=before)
        procs = hosts.spawn_procs({"gpus": 1}, bootstrap_command=command)
        imports = procs.spawn("imports", Imports)
        assert imports.value.call("only_there").get(SECONDS).values() == [7]
