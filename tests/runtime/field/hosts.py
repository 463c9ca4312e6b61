"""Hosts of this machine that are reached through wires, for the field cases about networks."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from runtime import actor as ra
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.field.machine import Machine
from tests.runtime.field.scripts import ROOT

LONG = 60.0
#: A party: the number of a host from 0, "controller" for this program, or a process of either.
Party = int | str
_CONTROLLER = 0  # as the wires count; host 0 is their 1


class Hosts:
    """Host processes, attached through wires; the wires go to each other too."""

    def __init__(self, count: int, environment: Mapping[str, str]) -> None:
        self._hosts = [
            HostProcess("tcp://127.0.0.1:0", environment=environment) for _ in range(count)
        ]
        self._pids = [os.getpid(), *(host.pid for host in self._hosts)]
        ports = [int(host.address.rpartition(":")[2]) for host in self._hosts]
        command = [sys.executable, "-m", "tests.runtime.field.wires"]
        self._wires = subprocess.Popen(
            [*command, json.dumps(self._pids), json.dumps(ports)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        assert self._wires.stdout is not None
        through = json.loads(self._wires.stdout.readline())
        self._lock = threading.Lock()
        self._readers = [
            threading.Thread(target=self._read, args=(host,), daemon=True) for host in self._hosts
        ]
        for reader in self._readers:
            reader.start()
        self.mesh = ra.attach_to_workers(
            ca=TRUST, workers=[f"tcp://127.0.0.1:{port}" for port in through]
        )
        self.mesh.initialized.get(LONG)
        _present.append(self)

    def order(self, word: str, one: Party, other: Party) -> None:
        """Cut a wire, or heal it."""
        ends = self.number_of(one), self.number_of(other)
        if ends[0] == ends[1]:
            raise ValueError(f"{one} and {other} are on one host, which has no network in it")
        assert self._wires.stdin is not None
        assert self._wires.stdout is not None
        with self._lock:
            self._wires.stdin.write(f"{word} {ends[0]} {ends[1]}\n")
            self._wires.stdin.flush()
            assert self._wires.stdout.readline() == "done\n"

    def number_of(self, party: Party) -> int:
        """Return which party it is, or a process of which."""
        if party == "controller":
            return _CONTROLLER
        if isinstance(party, int) and 0 <= party < len(self._hosts):
            return party + 1
        for number, pid in enumerate(self._pids):
            if number and (party == pid or party in Machine().children(pid)):
                return number
        if party == os.getpid() or party in Machine().children(os.getpid()):
            return _CONTROLLER
        raise ValueError(f"{party!r} is no host, no process of one, and not 'controller'")

    @property
    def parties(self) -> list[Party]:
        """The controller and the hosts."""
        return ["controller", *range(len(self._hosts))]

    def close(self) -> None:
        """End all of it."""
        if self in _present:
            _present.remove(self)
            for host in self._hosts:
                host.kill()
            for reader in self._readers:
                reader.join(LONG)
            for host in self._hosts:
                host.close()
            assert self._wires.stdin is not None
            assert self._wires.stdout is not None
            self._wires.stdin.close()
            self._wires.wait(LONG)
            self._wires.stdout.close()

    def _read(self, host: HostProcess) -> None:
        """Take what a host logs, so that it never waits for a reader."""
        try:
            host.wait_for("\0")
        except AssertionError:
            return


_present: list[Hosts] = []


def each(action: str, pairs: Sequence[tuple[Party, Party]]) -> None:
    """Do something to the wires of every mesh of several hosts."""
    if not _present:
        raise RuntimeError("there are no wires: the mesh is of this host alone (rt.mesh(hosts=2))")
    for hosts in _present:
        for one, other in pairs:
            hosts.order(action, one, other)


def parties() -> list[Party]:
    """Return the controller and the hosts of the meshes that there are."""
    return max((hosts.parties for hosts in _present), key=len, default=[])


def same(one: Party, other: Party) -> bool:
    """Tell whether two names are of one party."""
    return bool(_present) and _present[-1].number_of(one) == _present[-1].number_of(other)


def close() -> None:
    """End what a case has left."""
    while _present:
        _present[-1].close()
