"""What meshes tell of themselves: where their processes are, on which host, in which state."""

import asyncio

import pytest

from runtime import actor as ra
from runtime.actor.proc_mesh import ProcMesh
from runtime.actor.shapes.shape import Extent, Shape
from tests.runtime.actor.test_controllers import Counter

SECONDS = 30.0


class Tells(ra.Actor):
    """Tells its identities."""

    @ra.endpoint
    def ids(self) -> tuple[str, str]:
        me = ra.context().actor_instance
        return me.proc_id, me.actor_id

    @ra.endpoint
    def spawns_beside(self) -> list[int]:
        beside = ra.this_proc().host_mesh.spawn_procs({"n": 2})
        with beside:
            return list(beside.spawn("counter", Counter).next.call().get(SECONDS).values())

    @ra.endpoint
    def dies(self) -> None:
        import os

        os._exit(4)


@pytest.mark.usefixtures("quiet")
def test_identities_when_two_meshes_have_one_name() -> None:
    with ra.this_host().spawn_procs({"r": 2}) as one, ra.this_host().spawn_procs({"r": 2}) as two:
        ids = [
            each
            for procs in (one, one, two)
            for each in procs.spawn("tells", Tells).ids.call().get(SECONDS).values()
        ]
    assert (len({proc for proc, _ in ids}), len({actor for _, actor in ids})) == (4, 6)
    assert all(proc.startswith("procs{r=") for proc, _ in ids)


@pytest.mark.usefixtures("quiet")
def test_host_mesh_when_an_actor_spawns_on_it(procs: ra.ProcMesh) -> None:
    tells = procs.slice(r=0).spawn("tells", Tells)
    assert tells.spawns_beside.call_one().get(SECONDS) == [1, 1]
    assert procs.host_mesh.sizes == {}


def test_host_mesh_when_the_processes_are_on_several() -> None:
    abroad = ProcMesh("far", (1 << 32 | 1, 2 << 32 | 1), Shape.of(Extent(("hosts",), (2,))))
    with pytest.raises(ValueError, match="far is on 2 hosts; slice it"):
        _ = abroad.host_mesh
    assert abroad.slice(hosts=1).host_mesh.sizes == {}


def test_region_when_a_mesh_is_sliced(procs: ra.ProcMesh) -> None:
    assert procs.region.labels == ["r"]
    assert list(procs.slice(r=slice(1, 3)).region.slice().ranks()) == [1, 2]


def test_table_when_a_process_has_died(procs: ra.ProcMesh, failures: list[ra.MeshFailure]) -> None:
    procs.slice(r=1).spawn("tells", Tells).dies.call_one().exception(SECONDS)
    heading, *rows = procs.to_table().splitlines()
    assert heading.split() == ["r", "node", "state"]
    assert [row.split(None, 2)[2:] for row in rows] == [[], ["exited with status 4"], []]
    assert [row.split()[0] for row in rows] == ["0", "1", "2"]
    assert procs.slice(r=2).to_table().splitlines()[1] == rows[2].split()[1]


@pytest.mark.usefixtures("quiet")
def test_proc_mesh_when_it_is_left() -> None:
    async def main() -> ra.ActorMesh[Counter]:
        async with ra.this_host().spawn_procs({"r": 1}) as procs:
            counter = procs.spawn("counter", Counter)
            assert await counter.next.call_one() == 1
        return counter

    counter = asyncio.run(main())
    with pytest.raises(ra.SupervisionError, match="its owner stopped it"):
        counter.next.call_one().get(SECONDS)
