"""What the soak judges by: message numbers, the plan of a seed, a link, and what is held."""

import socket
import threading
from collections.abc import Iterator

import pytest

from benchmarks.actor_soak.findings import Findings
from benchmarks.actor_soak.holdings import Held, growth
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


def test_growth_when_flat_or_too_short_is_none() -> None:
    flat = [Held(40 + round_ % 3, (100 + round_ % 5) << 20) for round_ in range(40)]
    assert growth(flat) == []
    assert growth([Held(round_, round_ << 30) for round_ in range(8)]) == []


def test_growth_when_warming_up_only_is_none() -> None:
    warm = [Held(10 + min(round_, 10) * 5, min(round_, 10) << 27) for round_ in range(48)]
    assert growth(warm) == []


def test_growth_when_something_is_kept_names_it() -> None:
    kept = [Held(40 + 3 * round_, (100 + 4 * round_) << 20) for round_ in range(40)]
    assert growth(kept) == [
        "the client's descriptors grew from 84 to 144",
        "the client's memory grew from 158 to 238 MiB",
    ]


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
