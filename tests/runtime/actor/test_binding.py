"""Where processes run: lists of CPUs, and what a process of a mesh really gets."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from runtime import actor as ra
from runtime.actor import Actor, binding, endpoint

SECONDS = 30.0


@pytest.mark.parametrize(
    ("text", "found"),
    [("0", (0,)), ("0-3,8", (0, 1, 2, 3, 8)), (" 1 , 3 ", (1, 3)), ("2-2", (2,))],
)
def test_numbers_when_they_are_a_list(text: str, found: tuple[int, ...]) -> None:
    assert binding.numbers(text) == found


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "1,,2", "1;2", "0x1"])
def test_numbers_when_they_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no list of numbers; write them like 0-3,8"):
        binding.numbers(text)


def test_numbers_when_they_run_backwards() -> None:
    with pytest.raises(ValueError, match="'3-1' runs backwards"):
        binding.numbers("3-1")


@pytest.mark.parametrize(
    ("binds", "words"),
    [
        ([{"cpus": "0"}], "1 entries for 2 processes"),
        ([{"cpus": "0"}, {"cpu": "0"}], "proc_bind has 'cpu'; it takes cpus"),
        ([{"cpus": "0"}, {"membind": "x"}], "'x' is no list of numbers"),
    ],
)
def test_binding_when_it_cannot_be_meant(binds: list[Mapping[str, str]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        binding.check(binds, 2)


def test_cpus_when_this_host_does_not_lend_them() -> None:
    with pytest.raises(ValueError, match=r"proc_bind names CPUs \[4000\]"):
        binding.cpus({"cpus": "4000"})


def test_memory_when_there_is_no_such_node() -> None:
    with pytest.raises(ValueError, match="NUMA node 4000, and this host has none such"):
        binding.memory({"membind": "4000"})


@pytest.mark.skipif(
    not Path("/sys/devices/system/node/node0").exists(), reason="the kernel has no NUMA nodes"
)
def test_cpus_when_a_node_is_named() -> None:
    found = binding.cpus({"cpunodebind": "0"})
    assert found is not None
    assert set(found) <= os.sched_getaffinity(0)


class Placed(Actor):
    """Says where it runs."""

    @endpoint
    def place(self) -> tuple[list[int], str]:
        """Return the CPUs of the process, and how its memory is placed."""
        maps = Path("/proc/self/numa_maps")
        policy = maps.read_text().split(maxsplit=2)[1] if maps.exists() else ""
        return sorted(os.sched_getaffinity(0)), policy


def test_processes_when_they_are_bound(failures: list[ra.MeshFailure]) -> None:
    mine = sorted(os.sched_getaffinity(0))
    binds = [{"cpus": str(mine[0])}, {"physcpubind": str(mine[-1])}]
    mesh = ra.this_host().spawn_procs({"r": 2}, proc_bind=binds)
    found = mesh.spawn("placed", Placed).place.call().get(SECONDS)
    assert [cpus for cpus, _ in found.values()] == [[mine[0]], [mine[-1]]]
    mesh.stop().get(SECONDS)
    assert failures == []


@pytest.mark.skipif(
    not Path("/proc/self/numa_maps").exists(), reason="the kernel has no NUMA policies"
)
def test_memory_when_it_is_bound(failures: list[ra.MeshFailure]) -> None:
    mesh = ra.this_host().spawn_procs({"r": 1}, proc_bind=[{"membind": "0"}])
    _, policy = mesh.spawn("placed", Placed).place.call_one().get(SECONDS)
    assert policy == "bind:0"
    mesh.stop().get(SECONDS)
    assert failures == []


def test_process_when_this_host_cannot_bind_it(failures: list[ra.MeshFailure]) -> None:
    mesh = ra.this_host().spawn_procs({"r": 1}, proc_bind=[{"cpus": "4000"}])
    placed = mesh.spawn("placed", Placed)
    with pytest.raises(ra.SupervisionError, match=r"proc_bind names CPUs \[4000\]"):
        placed.place.call_one().get(SECONDS)
    end = time.monotonic() + SECONDS
    while not failures and time.monotonic() < end:
        time.sleep(0.005)
    assert [each.kind for each in failures] == ["exit"]
