"""What code knows of where it runs: actors, endpoints, tasks, and the client."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, concurrent_endpoint, endpoint

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Look(Actor):
    """Tells where it is."""

    def __init__(self) -> None:
        mine = ra.context().actor_instance.rank
        self.at_init = dict(mine), dict(ra.current_rank()), ra.current_size()

    @endpoint
    def init(self) -> Any:
        return self.at_init

    @endpoint
    def place(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        mine = ra.context().actor_instance.rank
        return dict(mine), dict(ra.current_rank()), ra.current_size()

    @endpoint
    def facts(self) -> dict[str, Any]:
        me = ra.context().actor_instance
        return {
            "name": me.name,
            "class": me.class_name,
            "creator": me.creator,
            "id": ra.current_actor_name(),
            "logger": self.logger.name,
            "pid": os.getpid(),
        }

    @endpoint
    def meshes(self) -> Any:
        me = ra.context().actor_instance
        return me.proc, me.proc_mesh

    @endpoint
    def in_thread(self) -> str:
        names: list[str] = []
        thread = threading.Thread(
            target=lambda: names.append(ra.context().actor_instance.class_name)
        )
        thread.start()
        thread.join()
        return names[0]

    @endpoint
    def beside(self) -> int:
        """Spawn in this process, and on the others of the mesh."""
        me = ra.context().actor_instance
        here = ra.this_proc().spawn("here", Pid)
        all_ = me.proc_mesh.spawn("there", Pid)
        assert here.pid.call_one().get(SECONDS) == os.getpid()
        return len({*all_.pid.call().get(SECONDS).values()})


class Tasks(Actor):
    """Knows the context in its tasks."""

    @concurrent_endpoint
    async def place(self) -> tuple[int, int]:
        before = ra.current_rank().rank
        await asyncio.sleep(0)

        async def inner() -> int:
            await asyncio.sleep(0)
            return ra.current_rank().rank

        return before, await asyncio.create_task(inner())


class Ends(Actor):
    """Tells where it ends."""

    def __init__(self, port: ra.Port[Any]) -> None:
        self.port = port

    @endpoint
    def nothing(self) -> None:
        pass

    def __cleanup__(self, exc: Exception | None) -> None:
        self.port.send((dict(ra.current_rank()), ra.current_size()))


class EndsInALoop(Actor):
    """The same, with a loop."""

    def __init__(self, port: ra.Port[Any]) -> None:
        self.port = port

    @endpoint
    async def nothing(self) -> None:
        pass

    async def __cleanup__(self, exc: Exception | None) -> None:
        self.port.send((dict(ra.current_rank()), ra.current_size()))


class Pid(Actor):
    """Tells its process."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()


@pytest.fixture(scope="module")
def procs() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs({"a": 2, "b": 2}, name="grid")
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture(scope="module")
def look(procs: ra.ProcMesh) -> Any:
    return procs.spawn("look", Look)


def test_rank_when_the_whole_mesh_is_called(look: Any) -> None:
    for point, (mine, message, size) in look.place.call().get(SECONDS).items():
        assert mine == message == dict(point)
        assert size == {"a": 2, "b": 2}


def test_rank_when_a_slice_is_called(look: Any) -> None:
    values = look.slice(a=1).place.call().get(SECONDS)
    assert list(values.values()) == [
        ({"a": 1, "b": 0}, {"b": 0}, {"b": 2}),
        ({"a": 1, "b": 1}, {"b": 1}, {"b": 2}),
    ]
    assert look.slice(a=1, b=1).place.call_one().get(SECONDS) == ({"a": 1, "b": 1}, {}, {})
    flat = look.flatten("n").place.call().get(SECONDS)
    assert flat.get(3) == ({"a": 1, "b": 1}, {"n": 3}, {"n": 4})


def test_rank_when_the_actor_is_constructed(look: Any) -> None:
    size = {"a": 2, "b": 2}
    for point, seen in look.init.call().get(SECONDS).items():
        assert seen == (dict(point), dict(point), size)
    assert len(look.init.call().get(SECONDS)) == 4


def test_rank_when_the_actor_is_on_a_part_of_its_processes(procs: ra.ProcMesh) -> None:
    part = procs.slice(a=1).spawn("part", Look)
    for point, seen in part.init.call().get(SECONDS).items():
        assert seen == (dict(point), dict(point), {"b": 2})
    alone = procs.slice(a=1, b=1).spawn("alone", Look)
    assert alone.init.call_one().get(SECONDS) == ({}, {}, {})


@pytest.mark.parametrize("kind", ["Ends", "EndsInALoop"])
def test_rank_when_the_actor_is_cleaned_up(procs: ra.ProcMesh, kind: str) -> None:
    port, receiver = ra.Channel.open()
    ends = procs.spawn("ends", globals()[kind], port)
    ends.slice(a=1).nothing.call().get(SECONDS)  # what a message found is over
    ends.stop().get(SECONDS)
    seen = [receiver.recv().get(SECONDS) for _ in range(4)]
    assert sorted(rank["a"] * 2 + rank["b"] for rank, _ in seen) == [0, 1, 2, 3]
    assert all(size == {"a": 2, "b": 2} for _, size in seen)


def test_rank_when_tasks_run(procs: ra.ProcMesh) -> None:
    tasks = procs.spawn("tasks", Tasks)
    values = tasks.place.call().get(SECONDS)
    assert list(values.values()) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_instance_when_read_in_an_actor(look: Any) -> None:
    facts = look.slice(a=0, b=1).facts.call_one().get(SECONDS)
    assert (facts["name"], facts["class"], facts["creator"]) == ("look", "Look", "client")
    assert facts["logger"].endswith("test_context.Look")
    assert facts["id"].startswith("grid{a=0,b=1}.look[")
    ids = {value["id"] for value in look.facts.call().get(SECONDS).values()}
    assert len(ids) == 4


def test_instance_when_its_meshes_are_used(look: Any, procs: ra.ProcMesh) -> None:
    proc, mesh = look.slice(a=1, b=0).meshes.call_one().get(SECONDS)
    assert (len(proc), mesh.sizes) == (1, {"a": 2, "b": 2})
    pid = look.slice(a=1, b=0).facts.call_one().get(SECONDS)["pid"]
    assert proc.spawn("p", Pid).pid.call_one().get(SECONDS) == pid
    assert look.slice(a=1, b=1).beside.call_one().get(SECONDS) == 4


def test_context_when_a_thread_of_an_actor_asks(look: Any) -> None:
    assert look.slice(a=0, b=0).in_thread.call_one().get(SECONDS) == ""


def test_context_when_the_client_asks() -> None:
    me = ra.context().actor_instance
    assert (me.name, dict(me.rank), dict(ra.current_rank()), ra.current_size()) == (
        "client",
        {},
        {},
        {},
    )
    with pytest.raises(RuntimeError, match="ends with its process"):
        me.stop()


def test_this_proc_when_the_client_spawns_in_itself() -> None:
    mesh = ra.this_proc().spawn("mine", Pid)
    assert mesh.pid.call_one().get(SECONDS) == os.getpid()
    mesh.stop().get(SECONDS)


def test_names_when_imported() -> None:
    code = (
        "import sys, runtime.actor as ra\n"
        "assert not {'torch', 'asyncio', 'cloudpickle'} & set(sys.modules)\n"
        "for name in ra.__all__: getattr(ra, name)\n"
        "assert set(ra.__all__) <= set(dir(ra))\n"
        "import threading; assert threading.active_count() == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=SECONDS)


def test_a_worker_when_it_starts_imports_only_what_each_process_needs() -> None:
    """What it imports is what the start of every mesh takes."""
    code = "import sys, runtime.actor.worker; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    heavy = {"asyncio", "ast", "dataclasses", "inspect", "logging", "runtime.actor.supervision"}
    assert heavy & set(done.stdout.split()) == set()
