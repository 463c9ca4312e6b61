"""The page for Monarch's users: it has every name, and what it says is there is there."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "monarch.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(?P<theirs>\w+)` \| (?P<ours>[^|]+) \|", re.MULTILINE)
# The public names of torchmonarch 0.7.0.
ACTOR = """
    Accumulator Actor ActorError Channel ChannelTransport Context Endpoint Extent Future
    HostMesh MeshFailure Point Port PortReceiver ProcId ProcMesh Uid ValueMesh as_endpoint
    attach attach_to_workers concurrent_endpoint config context current_actor_name current_rank
    current_size debug_controller default_bootstrap_cmd enable_transport endpoint get_meter
    get_or_spawn_controller returns_future run_worker_loop_forever
    run_worker_loop_until_shutdown send shutdown_context span start_worker_loop_forever
    this_host this_proc traced unhandled_fault_hook
""".split()
CONFIG = """
    Encoding clear_runtime_config configure configured get_global_config get_runtime_config
    parametrize_config parametrize_config_pointwise
""".split()


def rows(heading: str) -> dict[str, str]:
    """Return the table of a section: Monarch's name to the cell that says ours."""
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return {row["theirs"]: row["ours"] for row in ROW.finditer(section)}


def exists(path: str) -> bool:
    """Tell whether a module has this attribute, other than as a module beneath it.

    `runtime.actor.endpoint` must be the decorator, even if a file of that name defines it.
    """
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name, None)
    return found is not None and not isinstance(found, ModuleType)


PRIVATE = rows("Names that Monarch has, and gives no public path")
CELLS = {**rows("monarch.actor"), **PRIVATE, **rows("monarch.config")}


def test_page_when_names_are_compared_has_every_one() -> None:
    assert list(rows("monarch.actor")) == ACTOR
    assert list(rows("monarch.config")) == CONFIG
    assert PRIVATE


@pytest.mark.parametrize("theirs", CELLS)
def test_page_when_it_names_ours(theirs: str) -> None:
    cell = re.fullmatch(r"`(runtime[.\w]+)`( \*later\*)?|none", CELLS[theirs])
    assert cell, f"{theirs}: {CELLS[theirs]} is neither a path nor 'none'"
    path, later = cell.groups()
    if path is None:
        return
    if theirs == "config":
        assert importlib.import_module(path).__name__ == path
    elif later:
        assert not exists(path), f"{path} has come; take *later* out of its row in docs/monarch.md"
    else:
        assert exists(path), f"docs/monarch.md says that there is {path}; there is not"


@pytest.mark.parametrize("theirs", CELLS)
def test_page_when_a_name_is_ours_too_keeps_it(theirs: str) -> None:
    path = CELLS[theirs].partition("`")[2].partition("`")[0]
    assert path.rpartition(".")[2] in {"", theirs}
