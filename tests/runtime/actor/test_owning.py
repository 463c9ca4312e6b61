"""What an owner remembers of its meshes: all that failures need, and nothing of what is over."""

import gc
import weakref
from collections.abc import Sequence

from runtime.actor.errors import MeshFailure
from runtime.actor.owning import Child, Owner
from runtime.actor.shapes.shape import Extent, Point
from runtime.actor.supervision.restarts import RestartPolicy


class Mesh:
    """Stands for a mesh, which the owner passes on and does not use."""


class Story:
    """An owner of one-process meshes, and what it asks its actor."""

    def __init__(self) -> None:
        self.asked: list[MeshFailure] = []
        self.owner = Owner(stop=self._stop, ask=self.asked.append, fail=self.asked.append)
        self._born = 0

    def _stop(self, children: Sequence[Child], reason: str) -> None:
        raise AssertionError(f"{children} would be stopped: {reason}")

    def spawn(self, name: str) -> tuple[Child, Mesh]:
        """Spawn a mesh of one process."""
        self._born += 1
        mesh, group = Mesh(), f"{name}#{self._born}"
        child = Child(f"{group}/0", self._born, 0, group, name, Point(0, Extent((), ())))
        self.owner.spawned(group, mesh, [child], lambda _: None)
        return child, mesh

    def die(self, child: Child, event: str) -> MeshFailure:
        """Have the owner hear of a death, and return the failure that it asks about."""
        failure = MeshFailure(event_id=event, kind="exit", cause="it fell")
        self.owner.ended(self.owner.on_node(child.node), failure)
        return self.asked[-1]


def test_mesh_of_a_failure_when_it_is_asked_about() -> None:
    story = Story()
    (first, mesh), (second, other) = story.spawn("procs"), story.spawn("procs")
    failure = story.die(first, "a")
    assert story.owner.seen_by_owner(failure).mesh is mesh
    story.owner.handled("a", verdict=True)
    assert story.owner.seen_by_owner(story.die(second, "b")).mesh is other


def test_mesh_of_a_failure_when_another_is_asked_about_first() -> None:
    story = Story()
    (first, mesh), (second, other) = story.spawn("one"), story.spawn("two")
    story.die(first, "a")
    story.die(second, "b")
    assert [failure.event_id for failure in story.asked] == ["a"]
    assert story.owner.seen_by_owner(story.asked[0]).mesh is mesh
    story.owner.handled("a", verdict=True)
    assert story.owner.seen_by_owner(story.asked[1]).mesh is other


def test_meshes_when_their_failures_are_settled_are_forgotten() -> None:
    story = Story()
    alive = []
    for number in range(50):
        child, mesh = story.spawn(f"mesh{number}")
        alive.append(weakref.ref(mesh))
        story.die(child, f"event{number}")
        story.owner.handled(f"event{number}", verdict=True)
        story.die(child, f"event{number}")  # late evidence
    del mesh
    gc.collect()
    assert [each for each in alive if each() is not None] == []


def test_meshes_when_they_were_stopped_are_forgotten() -> None:
    story = Story()
    child, mesh = story.spawn("mesh")
    alive = weakref.ref(mesh)
    story.owner.ended([child], MeshFailure(event_id="a", kind="stopped", cause="it was stopped"))
    del mesh
    gc.collect()
    assert alive() is None
    assert story.asked == []


def test_mesh_when_it_is_stopped_while_it_waits_for_its_restart() -> None:
    """Nothing of it is there that could tell of its end."""
    owner = Owner(stop=lambda *_: None, ask=lambda _: None, fail=lambda _: None)
    policy = RestartPolicy(backoff_base=60.0)
    place = Point(0, Extent((), ()))
    process = Child("procs#1/0", 1, 0, "procs#1", "procs", place)
    actor = Child("actor#7/0", 1, 7, "actor#7", "actor", place)
    for child in (process, actor):
        owner.spawned(child.group, Mesh(), [child], lambda _: None, policy)
    owner.ended(owner.on_node(1), MeshFailure("a", "exit", "it fell"))
    assert owner.stop_group("actor#7", "enough").future().done()
    assert owner.bygones(1) == {7: "actor"}
    assert owner.stop_all(None, 0.0, 0.0)
    assert owner.bygones(1) == {}
