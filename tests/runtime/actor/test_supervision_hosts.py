"""SV-11: children that live in others, as actors do in processes, end and come back with them."""

import pytest

from runtime.actor.supervision.events import (
    AskOwner,
    ChildFailed,
    ChildStarted,
    Life,
    Restart,
    Settled,
    Spawned,
    StopChildren,
    Stopped,
    StopRequested,
    Tick,
)
from runtime.actor.supervision.restarts import RestartPolicy
from tests.runtime.actor.test_supervision import ALL, ONE, REST, Story, failure, lives

NEVER = RestartPolicy("one_for_one", max_restarts=0)


def story_of(policy: RestartPolicy | None, guests: RestartPolicy | None) -> Story:
    """Begin with processes a and b, and the actors x in a and y in b."""
    story = Story("ab", policy)
    story.tell(Spawned("actors", ("x", "y"), guests, ("a", "b")))
    story.all([ChildStarted(each) for each in lives("xy")])
    return story


def test_actors_when_one_has_ended_before_its_process() -> None:
    """It is not started in a process that ends; both are, once the process is."""
    story = story_of(ALL, ALL)
    assert story.tell(ChildFailed(lives("by"), failure())) == [
        StopChildren(lives("x")),
        StopChildren(lives("a")),
    ]
    assert story.tell(Stopped(lives("x"))) == []
    assert story.tell(Tick(), after=1.0) == []
    assert story.supervisor.deadline() is None  # nothing is due before the process has ended
    assert story.tell(Stopped(lives("a"))) == [
        Restart(lives("ab", 1)),
        Restart(lives("xy", 1)),
        Settled(failure(), "restarted"),
    ]


def test_actor_when_its_process_is_stopped_for_another() -> None:
    """Its own group has lost nothing: only y fails with b, in one_for_one."""
    story = story_of(ALL, ONE)
    assert story.tell(ChildFailed(lives("by"), failure())) == [
        StopChildren(lives("x")),
        StopChildren(lives("a")),
    ]
    assert story.tell(Stopped(lives("ax"))) == []
    assert story.tell(Tick(), after=1.0) == [
        Restart(lives("ab", 1)),
        Restart(lives("x", 1)),
        Restart(lives("y", 1)),
        Settled(failure(), "restarted"),
    ]


def test_actors_when_their_processes_start_one_after_another() -> None:
    story = story_of(REST, ONE)
    story.tell(ChildFailed(lives("ax"), failure()))
    story.tell(Stopped(lives("by")))
    assert story.tell(Tick(), after=1.0)[:2] == [Restart(lives("a", 1)), Restart(lives("x", 1))]
    assert story.tell(ChildStarted(lives("a", 1)[0])) == [
        Restart(lives("b", 1)),
        Restart(lives("y", 1)),
        Settled(failure(), "restarted"),
    ]


def test_actor_when_it_is_spawned_in_a_process_that_is_about_to_end() -> None:
    story = Story("ab", ALL)
    story.tell(ChildFailed(lives("b"), failure()))
    story.tell(Spawned("actors", ("x",), ONE, ("a",)))
    assert story.tell(Stopped(lives("ax"))) == []
    assert story.tell(Tick(), after=1.0)[:2] == [Restart(lives("ab", 1)), Restart(lives("x", 1))]


def test_actor_when_its_budget_does_not_allow_that() -> None:
    """The owner is asked, and the process comes back without it."""
    story = story_of(ALL, NEVER)
    stops = story.tell(ChildFailed(lives("b"), failure()))
    assert StopChildren(lives("x")) in stops
    assert [type(each) for each in stops].count(AskOwner) == 1
    story.tell(Stopped(lives("ax")))
    assert Restart(lives("ab", 1)) in story.tell(Tick(), after=1.0)
    assert not story.supervisor.knows("x")


def test_actor_that_ends_by_itself_when_its_process_has_come_back() -> None:
    """The restart of the others is none of its."""
    story = story_of(REST, ONE)
    story.tell(ChildFailed(lives("ax"), failure()))
    story.tell(Stopped(lives("by")))
    story.tell(Tick(), after=1.0)
    assert story.tell(Stopped(lives("x", 1))) == []
    assert not story.supervisor.knows("x")


def test_actor_when_its_process_is_stopped_for_good_in_the_pause() -> None:
    story = story_of(ONE, ONE)
    story.tell(ChildFailed(lives("ax"), failure()))
    assert story.tell(StopRequested(("a",))) == [Settled(failure(), "withdrawn")]
    assert story.tell(Tick(), after=1.0) == []
    assert not story.supervisor.knows("x")


def test_actor_when_its_process_leaves_for_good_with_it() -> None:
    """Whichever is told of first."""
    story = story_of(REST, ONE)
    story.tell(ChildFailed(lives("ax"), failure()))
    story.tell(Stopped(lives("by")))
    story.tell(Tick(), after=1.0)
    story.tell(Stopped((Life("x", 1), Life("a", 1))))
    assert not story.supervisor.knows("a")
    assert not story.supervisor.knows("x")


@pytest.mark.parametrize("policy", [None, ONE])
def test_actor_when_its_process_has_another_owner(policy: RestartPolicy | None) -> None:
    """Then nobody here knows whether the process comes back: there is nothing to wait for."""
    story = Story("a", policy)
    story.tell(Spawned("actors", ("x",), ONE, ("",)))
    assert story.tell(ChildFailed(lives("x"), failure("other"))) == []
    assert story.tell(Tick(), after=1.0)[:1] == [Restart(lives("x", 1))]
