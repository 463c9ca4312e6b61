"""Who an actor is, and who code is that no actor runs."""

from __future__ import annotations

from runtime.actor._context import NOWHERE, Context, Instance
from runtime.actor.local import local
from runtime.actor.shapes.shape import Point, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runtime.actor.actors import Spec
    from runtime.actor.local import Local
    from runtime.actor.proc_mesh import ProcMesh


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
    instance.own["proc_mesh"] = _meshes(name, nodes, Shape.of(spec.point.extent))


def _complete(instance: Instance, here: Local) -> None:
    instance.own["proc"] = instance.own["proc_mesh"] = _meshes(
        here.name, (here.node.id,), Shape.unity()
    )


def _meshes(name: str, nodes: Sequence[int], shape: Shape) -> Callable[[], ProcMesh]:
    """Return what makes a mesh when it is asked for, once: most processes spawn nothing."""
    made: list[ProcMesh] = []

    def mesh() -> ProcMesh:
        from runtime.actor.proc_mesh import ProcMesh

        if not made:
            made.append(ProcMesh(name, nodes, shape))
        return made[0]

    return mesh
