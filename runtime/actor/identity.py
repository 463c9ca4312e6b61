"""Who an actor is, and who code is that no actor runs."""

from __future__ import annotations

from runtime.actor._context import NOWHERE, Context, Instance
from runtime.actor.local import local
from runtime.actor.proc_mesh import ProcMesh
from runtime.actor.shapes.shape import Point, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.actors import Spec
    from runtime.actor.local import Local


def context_of_process(here: Local, actor: int) -> Context:
    """Return the context of code that no actor runs."""
    instance = Instance(
        node=here.node.id,
        actor=actor,
        name=here.name,
        class_name="",
        rank=Point(0, NOWHERE),
        creator="",
        proc=here.name,
        mailbox=None,
    )
    _complete(instance, here)
    return Context(instance)


def fill(instance: Instance, spec: Spec) -> None:
    """Complete what an actor knows of itself."""
    _complete(instance, local())
    name, nodes = spec.procs
    extent = spec.point.extent
    instance.own["proc_mesh"] = lambda: ProcMesh(name, nodes, Shape.of(extent))


def _complete(instance: Instance, here: Local) -> None:
    procs = ProcMesh(here.name, (here.node.id,), Shape.unity())
    instance.own["proc"] = lambda: procs
    instance.own["proc_mesh"] = lambda: procs
