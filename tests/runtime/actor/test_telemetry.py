"""What a process counts of itself, and what it costs when nobody looks."""

import threading
from typing import Any

import pytest

from runtime.actor.observing.stacks import stack_of
from runtime.telemetry import State, Watch, processes
from runtime.telemetry import watch as watching


class Message:
    """As an actor has it from the core."""

    method = "step"
    source_node, request, index = 7, 8, 0


class Future:
    """A result that somebody waits for."""

    def __init__(self) -> None:
        self.settled = False

    def done(self) -> bool:
        return self.settled


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> State:
    """Give watches a state of their own."""
    fresh = State()
    monkeypatch.setattr(watching, "state", fresh)
    return fresh


def test_a_watch_when_endpoints_run(state: State) -> None:
    watch = Watch("actor", "actor{r=0}")
    one, two = watch.begin(Message()), watch.begin(Message())
    assert [span[0] for span in watch.running.values()] == ["step", "step"]
    assert one[1] <= two[1]
    watch.end(one, failed=True)
    watch.end(two, failed=False)
    assert (watch.running, watch.handled, watch.failed) == ({}, 2, 1)


def test_a_watch_when_nobody_measures(state: State) -> None:
    watch = Watch("actor", "actor{r=0}")
    watch.end(watch.begin(Message()), failed=False)
    assert state.endpoints == {}


def test_a_watch_when_somebody_measures(state: State) -> None:
    state.on = True
    watch = Watch("actor", "actor{r=0}")
    watch.end(watch.begin(Message()), failed=False)
    assert sum(state.endpoints["actor.step"].counts) == 1


def test_calls_when_their_results_come_or_are_not_wanted() -> None:
    state = State()
    futures: list[Any] = [Future() for _ in range(3)]
    for number, future in enumerate(futures):
        state.call_begun(future, "actor.step", 1, number, 2)
    assert state.pending() == 3
    futures[0].settled = True
    state.call_ended(*futures[0].began)
    assert state.pending() == 2
    assert sum(state.calls["actor.step"].counts) == 1
    del future
    futures.pop()
    assert state.pending() == 1


def test_messages_when_they_go_to_many() -> None:
    state = State()
    state.sent(100, 3)
    state.replied(10)
    assert (state.messages, state.message_bytes) == (3, 300)
    assert (state.replies, state.reply_bytes) == (1, 10)


def test_a_failure_when_it_is_heard_of_twice() -> None:
    state = State()
    for _ in range(2):
        state.failed("event", "signal", "worker{r=1}: killed", "the report")
    assert state.failures == {"signal": 1}
    (told,) = state.failures_told()
    assert told.pop("seconds") >= 0
    assert told == {
        "event": "event",
        "kind": "signal",
        "text": "worker{r=1}: killed",
        "report": "the report",
    }


def test_a_stack_when_a_thread_waits() -> None:
    inside, done = threading.Event(), threading.Event()

    def where_it_is() -> None:
        inside.set()
        done.wait(60)

    thread = threading.Thread(target=where_it_is)
    thread.start()
    assert inside.wait(60)
    text = stack_of(thread.ident, None)
    done.set()
    thread.join(60)
    assert "in where_it_is" in text
    assert text.index("in where_it_is") < text.index("in wait")
    assert stack_of(thread.ident, None) == ""


def test_a_process_when_it_is_gone() -> None:
    nobody = 1 << 22  # above the largest pid
    assert processes.rss(nobody) is None
    assert processes.uptime(nobody) is None
    assert processes.command(nobody) == ""
    assert not processes.catches(nobody, 10)
