"""The supervisor's decisions, one situation at a time; the laws are in test_supervision_laws."""

from collections.abc import Iterable

import pytest

from runtime.actor.errors import MeshFailure
from runtime.actor.supervision import supervisor as supervision
from runtime.actor.supervision.events import (
    Action,
    AskOwner,
    ChildFailed,
    ChildStarted,
    Event,
    FailOwner,
    Handled,
    Life,
    OwnerFailed,
    OwnerStopRequested,
    Restart,
    Settled,
    Spawned,
    StopChildren,
    StopOwner,
    Stopped,
    StopRequested,
    Tick,
)
from runtime.actor.supervision.restarts import RestartPolicy
from runtime.actor.supervision.root_causes import chained, root_first
from runtime.actor.supervision.supervisor import Supervisor

ONE = RestartPolicy("one_for_one", max_restarts=2, max_seconds=10, backoff_base=1, jitter=0)
ALL = RestartPolicy("one_for_all", max_restarts=2, max_seconds=10, backoff_base=1, jitter=0)
REST = RestartPolicy("rest_for_one", max_restarts=2, max_seconds=10, backoff_base=1, jitter=0)


def failure(event_id: str = "f", origin: MeshFailure | None = None) -> MeshFailure:
    return MeshFailure(event_id, "signal", "killed by SIGKILL", origin=origin)


def died(child: str, event: str | MeshFailure = "f", number: int = 0) -> ChildFailed:
    why = failure(event) if isinstance(event, str) else event
    return ChildFailed((Life(child, number),), why)


def lives(names: str, number: int = 0) -> tuple[Life, ...]:
    return tuple(Life(name, number) for name in names)


class Story:
    """A supervisor with children a, b, c and so on in one group, told one thing after another."""

    def __init__(self, names: str = "abc", policy: RestartPolicy | None = None) -> None:
        self.supervisor = Supervisor()
        self.now = 0.0
        self.tell(Spawned("mesh", tuple(names), policy))
        for name in names:
            self.tell(ChildStarted(Life(name)))

    def tell(self, event: Event, after: float = 0.0) -> list[Action]:
        self.now += after
        return list(self.supervisor.handle(event, self.now))

    def all(self, events: Iterable[Event]) -> list[Action]:
        return [action for event in events for action in self.tell(event)]


def test_failure_when_there_is_no_policy() -> None:
    story = Story()
    assert story.tell(died("b")) == [AskOwner(failure())]
    assert story.tell(Handled("f", verdict=True)) == [Settled(failure(), "handled")]
    assert story.tell(Tick(), after=1e6) == []


def test_failure_when_told_many_times() -> None:
    """SV-1, SV-6: one death, whatever evidence of it arrives."""
    story = Story()
    assert len(story.tell(died("b"))) == 1
    assert story.all([died("b"), died("b", "heartbeat"), Stopped(lives("b"))]) == []
    assert story.tell(Handled("f", verdict=True)) == [Settled(failure(), "handled")]
    assert story.all([died("b"), Handled("f", verdict=False)]) == []


def test_failure_when_it_took_several_children() -> None:
    """SV-1: the processes' mesh and the actors' mesh lose a rank by one death."""
    story = Story("abc")
    together = ChildFailed(lives("ab"), failure())
    assert story.tell(together) == [AskOwner(failure())]
    assert story.tell(died("c")) == []
    assert story.tell(Handled("f", verdict=True)) == [Settled(failure(), "handled")]


def test_failures_when_the_owner_is_still_asked() -> None:
    """SV-1, SV-3: the next question waits, and root causes overtake what follows from them."""
    story = Story("abcd")
    root = failure("root")
    effect = failure("effect", origin=failure("middle", origin=root))
    assert story.tell(died("a", "first")) == [AskOwner(failure("first"))]
    assert story.all([died("b", effect), died("c", root), died("d", "last")]) == []
    asked = []
    for event_id in ("first", "root", "effect"):
        asked += [a for a in story.tell(Handled(event_id, verdict=True)) if isinstance(a, AskOwner)]
    assert [each.failure.event_id for each in asked] == ["root", "effect", "last"]


def test_verdict_when_it_is_false() -> None:
    """SV-4: children first, in the reverse order of their start, and the owner once."""
    story = Story("abcd")
    story.all([died("b"), died("d", "other")])
    assert story.tell(Handled("f", verdict=False)) == [
        Settled(failure(), "escalated"),
        Settled(failure("other"), "escalated"),
        StopChildren(lives("ca")),
    ]
    assert story.tell(Stopped(lives("a"))) == []
    end = FailOwner(failure(), also=(failure("other"),))
    assert story.tell(died("c", "while it is stopped")) == [end]
    assert story.all([Tick(), OwnerStopRequested(), died("c")]) == []


def test_verdict_when_supervise_raises() -> None:
    story = Story("a")
    story.tell(died("a"))
    raised = MeshFailure("g", "exception", "ValueError: no", origin=failure("h"))
    actions = story.tell(Handled("f", raised))
    assert actions[0] == Settled(failure(), "escalated")
    (end,) = [each for each in actions if isinstance(each, FailOwner)]
    assert end.failure.event_id == "g"
    assert end.failure.root == failure()


def test_owner_when_it_is_stopped_with_a_question_open() -> None:
    story = Story("ab")
    story.tell(died("a"))
    assert story.tell(OwnerStopRequested()) == [
        Settled(failure(), "withdrawn"),
        StopChildren(lives("b")),
    ]
    assert story.tell(Handled("f", verdict=False)) == []
    assert story.tell(Stopped(lives("b"))) == [StopOwner()]


def test_owner_when_it_fails_itself() -> None:
    story = Story("ab")
    own = MeshFailure("own", "exception", "ValueError: no")
    assert story.tell(OwnerFailed(own)) == [StopChildren(lives("ba"))]
    assert story.tell(Stopped(lives("ab"))) == [FailOwner(own)]


def test_owner_when_it_spawns_while_it_goes_down() -> None:
    """SV-9."""
    story = Story("a")
    story.tell(OwnerStopRequested())
    assert story.tell(Spawned("late", ("x", "y"))) == [StopChildren(lives("yx"))]
    assert story.tell(Stopped(lives("ax"))) == []
    assert story.tell(Stopped(lives("y"))) == [StopOwner()]


def test_owner_when_it_goes_down_during_a_restart() -> None:
    """SV-2, SV-9: what waits for its restart is not started, and its failure escalates."""
    story = Story("ab", ONE)
    story.tell(Spawned("other", ("x",)))
    assert story.tell(died("a", "waits")) == []
    story.tell(died("x"))
    assert story.tell(Handled("f", verdict=False)) == [
        Settled(failure(), "escalated"),
        Settled(failure("waits"), "escalated"),
        StopChildren(lives("b")),
    ]
    assert story.supervisor.deadline() is None
    assert story.tell(Stopped(lives("b")), after=100) == [
        FailOwner(failure(), also=(failure("waits"),))
    ]


def test_stop_when_the_owner_asks_for_it() -> None:
    """SV-5: a child that dies while it is stopped has not failed."""
    story = Story("abc", ALL)
    assert story.tell(StopRequested(("a", "c"))) == [StopChildren(lives("ca"))]
    assert story.all([died("a"), Stopped(lives("c"))]) == []
    assert story.tell(StopRequested(("a", "c", "nobody"))) == []
    assert story.tell(died("b")) == []
    assert story.tell(Tick(), after=1.0)[0] == Restart(lives("b", 1))


def test_stop_when_the_child_waits_for_its_restart() -> None:
    story = Story("ab", ONE)
    story.tell(died("a"))
    assert story.tell(StopRequested(("a",))) == [Settled(failure(), "withdrawn")]
    assert story.supervisor.deadline() is None


def test_stop_when_a_sibling_fails_meanwhile() -> None:
    """One that is to leave is not brought back by the group's restart."""
    story = Story("abc", ALL)
    story.tell(StopRequested(("b",)))
    assert story.tell(died("a")) == [StopChildren(lives("c"))]
    story.tell(Stopped(lives("c")))
    assert story.tell(Tick(), after=1.0)[0] == Restart(lives("ac", 1))


def test_one_for_one_when_a_child_fails() -> None:
    story = Story("abc", ONE)
    assert story.tell(died("b")) == []
    assert story.supervisor.deadline() == 1.0
    assert story.tell(Tick(), after=0.9) == []
    assert story.tell(Tick(), after=0.1) == [
        Restart(lives("b", 1)),
        Settled(failure(), "restarted"),
    ]
    assert story.supervisor.deadline() is None


def test_one_for_one_when_evidence_is_of_an_earlier_life() -> None:
    """SV-6."""
    story = Story("a", ONE)
    story.tell(died("a"))
    story.tell(Tick(), after=1.0)
    assert story.all([died("a", "late"), Stopped(lives("a"))]) == []
    assert story.tell(Tick(), after=100.0) == []


def test_one_for_all_when_a_child_fails() -> None:
    """SV-8: all stop, the last first; the pause and the stops both have to be over."""
    story = Story("abc", ALL)
    assert story.tell(died("b")) == [StopChildren(lives("ca"))]
    assert story.supervisor.deadline() is None
    story.tell(Stopped(lives("c")))
    assert story.tell(Tick(), after=5.0) == []
    assert story.tell(Stopped(lives("a"))) == [
        Restart(lives("abc", 1)),
        Settled(failure(), "restarted"),
    ]


def test_one_for_all_when_several_fail_at_once() -> None:
    """SV-2, SV-7: it is one restart, which answers both."""
    story = Story("abc", ALL)
    story.all([died("a", "f1"), died("c", "f2"), Stopped(lives("b"))])
    assert story.supervisor.deadline() == 1.0
    story.tell(died("a", "f3"))
    assert story.tell(Tick(), after=1.0)[0] == Restart(lives("abc", 1))
    pauses = []
    for event in ("g", "h"):
        number = 1 if event == "g" else 2
        story.tell(died("a", event, number))
        story.tell(Stopped(lives("bc", number)))
        pauses.append(story.supervisor.deadline())
        story.tell(Tick(), after=4.0)
    assert pauses == [3.0, None]


def test_rest_for_one_when_a_child_fails() -> None:
    """SV-8: the one before is left alone; the others start one after another."""
    story = Story("abcd", REST)
    assert story.tell(died("b")) == [StopChildren(lives("dc"))]
    story.tell(Stopped(lives("cd")))
    assert story.tell(Tick(), after=1.0) == [
        Restart(lives("b", 1)),
        Settled(failure(), "restarted"),
    ]
    assert story.tell(Tick(), after=1.0) == []
    assert story.tell(ChildStarted(Life("b", 1))) == [Restart(lives("c", 1))]
    assert story.tell(ChildStarted(Life("c", 1))) == [Restart(lives("d", 1))]
    assert story.tell(ChildStarted(Life("d", 1))) == []


def test_rest_for_one_when_an_earlier_child_fails_meanwhile() -> None:
    story = Story("abcd", REST)
    story.all([died("c", "f1"), Stopped(lives("d"))])
    assert story.tell(died("b", "f2")) == []
    assert story.tell(Tick(), after=1.0) == [
        Restart(lives("b", 1)),
        Settled(failure("f1"), "restarted"),
        Settled(failure("f2"), "restarted"),
    ]


def test_rest_for_one_when_a_start_fails() -> None:
    """The rest that is not started yet waits for the next try."""
    story = Story("abc", REST)
    story.all([died("b", "f1"), Stopped(lives("c"))])
    story.tell(Tick(), after=1.0)
    assert story.tell(died("b", "f2", 1)) == []
    assert story.tell(ChildStarted(Life("b", 1))) == []
    assert story.tell(Tick(), after=2.0)[0] == Restart(lives("b", 2))
    assert story.tell(ChildStarted(Life("b", 2))) == [Restart(lives("c", 1))]


def give_up(policy: RestartPolicy) -> tuple[Story, list[Action]]:
    """Let child b fail until its policy gives up; return what is decided then."""
    story = Story("abc", policy)
    for number in range(3):
        actions = story.tell(died("b", f"f{number}", number))
        stopped = [
            life for each in actions if isinstance(each, StopChildren) for life in each.lives
        ]
        if number < 2:
            story.tell(Stopped(tuple(stopped)))
            restarted = story.tell(Tick(), after=2.0)
            while restarted and isinstance(restarted[0], Restart):
                restarted = [
                    each for life in restarted[0].lives for each in story.tell(ChildStarted(life))
                ]
    return story, actions


@pytest.mark.parametrize(
    ("policy", "stopped"), [(ONE, ""), (ALL, "ca"), (REST, "c")], ids=lambda each: str(each)[:30]
)
def test_give_up_when_the_budget_is_used_up(policy: RestartPolicy, stopped: str) -> None:
    """SV-7: the owner is asked once, with the evidence of the last failure."""
    story, actions = give_up(policy)
    expected = [StopChildren(lives(stopped, 2))] if stopped else []
    assert actions[:-1] == expected
    asked = actions[-1]
    assert isinstance(asked, AskOwner)
    assert asked.failure.event_id == "f2"
    assert asked.failure.cause == "killed by SIGKILL; restarted 2 times within 10 s already"
    (settled,) = story.tell(Handled("f2", verdict=True))
    assert settled == Settled(asked.failure, "handled")
    assert story.tell(Tick(), after=100.0) == []
    assert story.supervisor.deadline() is None


def test_give_up_when_one_death_took_two_children() -> None:
    """SV-1, SV-2."""
    never = RestartPolicy(max_restarts=0)
    story = Story("abc", never)
    (asked,) = story.tell(ChildFailed(lives("ab"), failure()))
    assert isinstance(asked, AskOwner)
    assert story.tell(Handled("f", verdict=True)) == [Settled(asked.failure, "handled")]
    assert story.tell(died("c")) == []


def test_jitter_when_siblings_fail_together() -> None:
    """Pauses differ between deaths, and not between runs."""
    policy = RestartPolicy(backoff_base=1.0, jitter=0.5)
    due = []
    for event in ("f1", "f2", "f1"):
        story = Story("a", policy)
        story.tell(died("a", event))
        due.append(story.supervisor.deadline() or 0.0)
    assert due[0] == due[2] != due[1]
    assert all(1.0 <= each <= 1.5 for each in due)


def test_time_when_it_goes_back() -> None:
    """SV-10."""
    story = Story("a", ONE)
    story.tell(Tick(), after=10.0)
    story.tell(died("a"), after=-5.0)
    assert story.supervisor.deadline() == 11.0


def test_spawn_when_a_name_is_taken() -> None:
    story = Story("ab")
    for event in (Spawned("mesh", ("x",)), Spawned("new", ("b",)), Spawned("new", ("x", "x"))):
        with pytest.raises(ValueError, match=r"^(mesh|new): a group or a child of that name is "):
            story.tell(event)
    assert story.tell(OwnerStopRequested()) == [StopChildren(lives("ba"))]


def test_memory_when_there_are_very_many_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "MEMORY", 10)
    story = Story("")
    for number in range(100):
        story.tell(Spawned(f"g{number}", (f"c{number}",)))
        story.tell(died(f"c{number}", f"f{number}"))
        story.tell(Handled(f"f{number}", verdict=True))
    kept = vars(story.supervisor)
    sizes = {name: len(kept[name]) for name in ("_fates", "_groups", "_children", "_questions")}
    assert sizes == {"_fates": 10, "_groups": 0, "_children": 0, "_questions": 0}


def test_root_first_when_failures_follow_from_each_other() -> None:
    root = failure("root")
    middle = failure("middle", origin=root)
    leaf = failure("leaf", origin=middle)
    assert root_first([leaf, failure("x"), middle, root]) == [failure("x"), root, middle, leaf]
    assert chained(leaf, root) is leaf
    assert chained(root, leaf).root == root
