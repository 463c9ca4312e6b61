"""What the soak judges by: message numbers, the plan of a seed, a link, and what is held."""

import random
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from benchmarks.actor_soak.findings import Findings
from benchmarks.actor_soak.holdings import Held, growth, trend
from benchmarks.actor_soak.ledger import Ledger, Tally, missing, out_of_order
from benchmarks.actor_soak.link import Link
from benchmarks.actor_soak.plan import DEADLY, REMOTE, WEIGHTS, Plan


@pytest.mark.parametrize(
    ("numbers", "faults"),
    [
        ([1, 2, 3], []),
        ([2, 3], ["2 of a came where 1 was to come"]),
        ([1, 3, 4], ["3 of a came where 2 was to come"]),
        ([1, 1, 2], ["1 of a came again, after 1"]),
        ([1, 3, 2, 4], ["3 of a came where 2 was to come", "2 of a came again, after 3"]),
    ],
)
def test_ledger_when_numbers_come(numbers: list[int], faults: list[str]) -> None:
    ledger = Ledger()
    for number in numbers:
        ledger.record("a", number)
    assert ledger.faults == faults
    assert ledger.last == {"a": max(numbers)}


def test_ledger_when_senders_mix_counts_each_alone() -> None:
    ledger = Ledger()
    for sender, number in [("a", 1), ("b", 1), ("a", 2), ("b", 2)]:
        ledger.record(sender, number)
    assert ledger.faults == []


def test_missing_when_a_message_did_not_come() -> None:
    sender = Tally("a", {"b": 3, "dead": 9}, {})
    assert missing([sender, Tally("b", {}, {"a": 3})]) == []
    assert missing([sender, Tally("b", {}, {"a": 2})]) == ["a sent 3 to b, which has 2"]
    assert missing([sender, Tally("b", {}, {})]) == ["a sent 3 to b, which has 0"]


def test_missing_when_more_came_than_was_sent() -> None:
    assert missing([Tally("a", {"b": 1}, {}), Tally("b", {}, {"a": 2})]) == [
        "a sent 1 to b, which has 2"
    ]


def test_faults_when_told_name_the_receiver() -> None:
    assert out_of_order([Tally("b", {}, {}, ("1 of a came again, after 1",))]) == [
        "b: 1 of a came again, after 1"
    ]


def events(seed: int, kinds: tuple[str, ...] = ()) -> list[object]:
    plan = Plan(seed, range(6), (6, 7), kinds)
    return [(plan.next(), plan.partners(range(8)), plan.size()) for _ in range(300)]


def test_plan_when_the_seed_is_the_same() -> None:
    assert events(5) == events(5)
    assert events(5) != events(6)


def test_plan_when_long_enough_has_every_kind() -> None:
    plan = Plan(0, range(6), (6, 7))
    drawn = [plan.next() for _ in range(500)]
    assert {event.kind for event in drawn} == set(WEIGHTS)
    assert {e.victims for e in drawn if e.kind in REMOTE} == {(6, 7)}
    assert {e.kind for e in drawn if e.kills} == DEADLY
    # A silence of the whole process must stay under the time after which it counts as dead.
    assert all(0 < e.duration <= 2 for e in drawn if e.kind == "pause")
    assert all(len(set(e.victims)) == 2 for e in drawn if e.kind == "kill_two")


def test_plan_when_there_is_no_link_cuts_none() -> None:
    plan = Plan(0, range(8), ())
    assert REMOTE.isdisjoint(plan.next().kind for _ in range(500))


def test_partners_when_drawn_are_others() -> None:
    partners = Plan(1, range(8), ()).partners(range(8))
    assert sorted(partners) == list(range(8))
    assert all(slot not in chosen and len(chosen) == 3 for slot, chosen in partners.items())


@pytest.fixture
def echo_port() -> Iterator[int]:
    """Return the port of a server that sends back what it gets."""

    def serve(connection: socket.socket) -> None:
        with connection:
            while data := connection.recv(1024):
                connection.sendall(data)

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    accepting.join(10)


def dial(link: Link) -> socket.socket:
    return socket.create_connection(("127.0.0.1", link.port), timeout=10)


def answered(end: socket.socket) -> bool:
    end.sendall(b"x")
    return end.recv(1) == b"x"


def test_link_when_cut_ends_connections_and_refuses_until_healed(echo_port: int) -> None:
    with Link(echo_port) as link, dial(link) as first:
        assert answered(first)
        assert link.connections() == 1
        link.cut()
        assert first.recv(1) == b""
        with dial(link) as second:
            assert second.recv(1) == b""
        link.heal()
        with dial(link) as third:
            assert answered(third)


def test_link_when_stalled_passes_it_on_once_healed(echo_port: int) -> None:
    with Link(echo_port) as link, dial(link) as end:
        assert answered(end)
        link.stall()
        end.sendall(b"y")
        end.settimeout(0.2)
        with pytest.raises(TimeoutError):
            end.recv(1)
        link.heal()
        end.settimeout(10)
        assert end.recv(1) == b"y"


ROUNDS = 60
KIB = 1 << 10
MIB = 1 << 20


def noise(seed: int, most: int) -> Callable[[], int]:
    """Return what is more or less by chance."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    return lambda: chance.randrange(-most, most)


def run_of(
    memory: Callable[[int], float], descriptors: Callable[[int], float] = lambda _: 40
) -> list[Held]:
    """Return the samples of a run: what is held after each round."""
    return [Held(int(descriptors(r)), int(memory(r))) for r in range(ROUNDS)]


@pytest.mark.parametrize("seed", range(20))
def test_growth_when_flat_is_none(seed: int) -> None:
    by_chance, one_or_two = noise(seed, 300 * KIB), noise(seed, 3)
    assert growth(run_of(lambda _: 20 * MIB + by_chance(), lambda _: 40 + one_or_two())) == []


@pytest.mark.parametrize(
    "memory",
    [
        lambda r: min(r, ROUNDS // 2) * 10 * MIB,  # warming up
        lambda r: 20 * MIB + (r > 45) * 15 * MIB,  # a peak of which nothing was given back
        lambda r: 20 * MIB + (r > 35) * 3 * MIB + (r > 50) * 3 * MIB,  # two such peaks
        lambda r: 20 * MIB + 3 * KIB * r,  # texts of the dead, up to their limit
        lambda r: 50 * MIB - 100 * KIB * r,
    ],
)
def test_growth_when_it_comes_to_an_end_is_none(memory: Callable[[int], float]) -> None:
    assert growth(run_of(memory)) == []


def test_growth_when_there_are_few_rounds_is_none() -> None:
    assert growth([Held(round_, round_ * MIB) for round_ in range(15)]) == []


@pytest.mark.parametrize("seed", range(20))
def test_growth_when_memory_leaks_is_told(seed: int) -> None:
    by_chance = noise(seed, 300 * KIB)
    (told,) = growth(run_of(lambda r: 20 * MIB + 50 * KIB * r + by_chance()))
    assert told.startswith("the client's memory grew by ")


def test_growth_when_something_is_kept_names_it() -> None:
    kept = [
        Held(40 + r, (20 << 20) + 50 * KIB * r, 5 << 20, {"flat": 7, "mailboxes": 3 * r})
        for r in range(ROUNDS)
    ]
    beside = "; with it, a round: mailboxes +3"
    told = "the host's {} grew by {} a round in the second half, from {}" + beside
    assert growth(kept, "the host") == [
        told.format("descriptors", "1", "73 to 96"),
        told.format("memory", "50 KiB", "22,130 to 23,255 KiB"),
    ]


def test_growth_when_shared_memory_is_kept_names_it() -> None:
    (told,) = growth([Held(40, 20 << 20, r * 4 * MIB) for r in range(ROUNDS)])
    assert told.startswith("the client's shared memory grew by 4")
    assert growth([Held(40, 20 << 20, r % 7 * 2 * MIB) for r in range(ROUNDS)]) == []


def test_trend_when_told_names_all() -> None:
    assert trend(run_of(lambda _: 20 * MIB)) == [
        "descriptors by 0 a round in the second half, from 40 to 40",
        "memory by 0 KiB a round in the second half, from 20,480 to 20,480 KiB",
        "shared memory by 0 KiB a round in the second half, from 0 to 0 KiB",
    ]
    assert trend([]) == ["there were too few rounds for a trend"]


class SupervisionError(RuntimeError):
    """Stands for either package's; the soak knows both by this name."""

    def __init__(self, event_id: str) -> None:
        super().__init__("killed by SIGKILL\nwith more lines")
        self.event_id = event_id


def test_findings_when_the_dead_fail_as_they_should() -> None:
    findings = Findings()
    for where in ("note", "hold"):
        findings.failed("1.2", where, SupervisionError("e1"), hurt=True)
    findings.failed("2.3", "hold", SupervisionError("e2"), hurt=True)
    findings.notice("kill", 0.004)
    assert findings.faults == []
    assert findings.noticed == {"kill": [0.004]}


def test_findings_when_calls_fail_as_they_should_not() -> None:
    findings = Findings()
    findings.failed("1.2", "note", SupervisionError("e1"), hurt=True)
    findings.failed("1.2", "hold", SupervisionError("e2"), hurt=True)
    findings.failed("2.3", "talk", ConnectionError("reset"), hurt=True)
    findings.failed("3.4", "note", SupervisionError("e3"), hurt=False)
    findings.notice("kill", 9.7)
    told = "SupervisionError: killed by SIGKILL"
    assert findings.faults == [
        f"hold told a second death: {told}",
        "talk did not tell of a death: ConnectionError: reset",
        f"note failed though it lives: {told}",
        "a kill was noticed after 9.7 s, not 2",
    ]
