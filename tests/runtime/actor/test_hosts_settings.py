"""Settings that hosts of one program must not see differently, whatever each machine's are."""

from collections.abc import Callable

import pytest

from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.field.scripts import Script

SECONDS = 40.0
_SLOW = {"heartbeat_interval": 10.0, "heartbeat_timeout": 30.0}
_FAST = {"heartbeat_interval": 0.1, "heartbeat_timeout": 1.0}
_PROGRAM = """
import time
from runtime import actor, config
config.configure(**SETTINGS)
actor.unhandled_fault_hook = lambda failure: print("EVENT", repr(failure.cause), flush=True)
class Member(actor.Actor):
    @actor.endpoint
    def settings(self):
        return [config.get(key) for key in ("heartbeat_interval", "heartbeat_timeout")]
hosts = actor.attach_to_workers(ca=CA, workers=[ADDRESS])
meshes = [hosts.spawn_procs()]
with config.configured(**OTHERS):
    meshes += [hosts.spawn_procs(), actor.this_host().spawn_procs()]
members = [mesh.spawn("member", Member) for mesh in meshes]
for member in members:
    member.initialized.get(30)
time.sleep(2.5)  # nobody says anything: the silence that is looked at
print("SETTINGS", [member.settings.call_one().get(10) for member in members], flush=True)
"""


@pytest.mark.parametrize(("program_has", "host_has"), [(_FAST, _SLOW), (_SLOW, _FAST)])
def test_nobody_is_taken_for_dead_when_heartbeats_differ_between_machines(
    start: Callable[..., HostProcess],
    program: Callable[[str], Script],
    program_has: dict[str, float],
    host_has: dict[str, float],
) -> None:
    environment = {f"ECLOSION_{key.upper()}": str(value) for key, value in host_has.items()}
    host = start("tcp://127.0.0.1:0", environment=environment)
    source = _PROGRAM.replace("ADDRESS", repr(host.address)).replace("CA,", f"{TRUST!r},")
    source = source.replace("SETTINGS)", f"{program_has})").replace("OTHERS)", f"{host_has})")
    script = program(source)
    assert script.marker("SETTINGS", SECONDS) == [list(program_has.values())] * 3
    assert script.finish(SECONDS) == 0
    assert "EVENT" not in script.out


def test_a_large_message_arrives_when_the_hosts_own_limit_is_smaller(
    start: Callable[..., HostProcess], program: Callable[[str], Script]
) -> None:
    host = start("tcp://127.0.0.1:0", environment={"ECLOSION_MAX_FRAME": "64KiB"})
    script = program(f"""
from runtime import actor
class Member(actor.Actor):
    @actor.endpoint
    def double(self, data):
        return data + data
hosts = actor.attach_to_workers(ca={TRUST!r}, workers=[{host.address!r}])
member = hosts.spawn_procs().spawn("member", Member)
print("SIZE", len(member.double.call_one(b"x" * 1_000_000).get(30)), flush=True)
""")
    assert script.marker("SIZE", SECONDS) == 2_000_000


def test_a_small_mailbox_does_not_stall_when_a_host_has_a_large_one_by_itself(
    start: Callable[..., HostProcess], program: Callable[[str], Script]
) -> None:
    """Who receives gives credit back in parts of the window that the sender has."""
    host = start("tcp://127.0.0.1:0", environment={"ECLOSION_MAILBOX_CAPACITY": "1000000"})
    script = program(f"""
from runtime import actor, config
config.configure(send_timeout=5)
class Counter(actor.Actor):
    def __init__(self):
        self.count = 0
    @actor.endpoint
    def add(self):
        self.count += 1
        return self.count
hosts = actor.attach_to_workers(ca={TRUST!r}, workers=[{host.address!r}])
counter = hosts.spawn_procs().spawn("counter", Counter)
for _ in range(10_000):  # the window holds 4096
    counter.add.broadcast()
print("COUNT", counter.add.call_one().get(30), flush=True)
""")
    assert script.marker("COUNT", SECONDS) == 10_001
    assert script.finish(SECONDS) == 0
