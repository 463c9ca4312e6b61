"""A mesh of processes: actors are spawned on it."""

from __future__ import annotations

from importlib import import_module

from runtime import config, core
from runtime.actor import _context, arity, sending
from runtime.actor.actor import check_class
from runtime.actor.actor_mesh import ActorMesh
from runtime.actor.agent import pickled_class
from runtime.actor.errors import SerializationError
from runtime.actor.future import Future
from runtime.actor.local import local
from runtime.actor.logs.options import set_options
from runtime.actor.nodes import gateway_of, new_actor_id
from runtime.actor.ownership import current_owner
from runtime.actor.owning import Child
from runtime.actor.patience import until_gone
from runtime.actor.replies import failure_from, problem_of
from runtime.actor.shapes.mesh_trait import MeshTrait
from runtime.actor.shapes.shape import Extent, Point, Shape
from runtime.transport.pickling import PicklingError, dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn, Self, TypeVar

    from runtime.actor.actor import Actor
    from runtime.actor.shapes.shape import Region
    from runtime.actor.supervision.restarts import RestartPolicy

    A = TypeVar("A", bound=Actor)


_NO_TENSORS = (
    "this runtime has actors and no tensor engine; write the step as an endpoint, with torch in it "
    "as in one process, and take current_rank() there, or torch.tensor(current_rank()[dim])"
)


class ProcMesh(MeshTrait):
    """Processes, each with its place. A reference can be passed to other actors."""

    def __init__(self, name: str, nodes: Sequence[int], shape: Shape) -> None:
        self._name = name
        self._nodes = nodes
        self._own_shape = shape
        self._ready: Future[None] | None = None
        self._stop: Callable[[str], Future[None]] | None = None
        self._policy: RestartPolicy | None = None

    @property
    def _shape(self) -> Shape:
        return self._own_shape

    def _with_shape(self, shape: Shape) -> ProcMesh:
        part = ProcMesh(self._name, self._nodes, shape)
        part._ready = self._ready
        part._policy = self._policy
        return part

    def _owned(self, ready: Future[None], stop: Callable[[str], Future[None]]) -> None:
        """Make this the mesh of its owner, which knows when it is there and can stop it."""
        self._ready, self._stop = ready, stop

    def _members(self) -> list[int]:
        return [self._nodes[rank] for rank in self._own_shape.ndslice.ranks()]

    @property
    def initialized(self) -> Future[None]:
        """A future that is there when every process of the mesh takes messages."""
        if self._ready is None:
            raise RuntimeError(f"{self._name} is a reference; its owner knows whether it is there")
        return self._ready

    def spawn(self, name: str, Class: type[A], *args: Any, **kwargs: Any) -> ActorMesh[A]:  # noqa: ANN401, N803
        """Construct an actor in each process; returns at once.

        The calling actor owns the mesh. A constructor that fails is a failure of its actor.
        TypeError or ValueError for a class that cannot be spawned, SerializationError for
        arguments that cannot be pickled.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"the name of a mesh of actors is a text, not {name!r}; "
                "write spawn(name, Class, ...), with the constructor's arguments at the end"
            )
        check_class(Class)
        arity.check_constructor(Class, args, kwargs)
        try:
            carried = pickled_class(Class, args, kwargs)
        except PicklingError as error:
            raise SerializationError(f"spawn of {Class.__qualname__}: {error}") from error
        mesh: ActorMesh[A] = ActorMesh(
            name, Class, new_actor_id(), self._members(), Shape.of(self.extent)
        )
        _Actors(mesh, name, self, carried).bring_up(self._policy)
        return mesh

    def logging_option(
        self,
        stream_to_client: bool = False,  # noqa: FBT001, FBT002 - as Monarch has it
        aggregate_window_sec: float | None = None,
        level: int = 20,
    ) -> Future[None]:
        """Say what happens to what these processes print, instead of the settings.

        With `stream_to_client` it comes to the client, where identical lines of several ranks
        within `aggregate_window_sec` become one; None is no aggregation. `level` is the lowest
        of the `logging` module that is printed. Holds from when the future is there.
        """
        return set_options(
            self._members(), forwarded=stream_to_client, window=aggregate_window_sec, level=level
        )

    @property
    def region(self) -> Region:
        """The ranks of the processes under their labels."""
        return self._own_shape.region

    @property
    def host_mesh(self) -> Any:  # noqa: ANN401 - a HostMesh, which is above this module
        """The host of these processes; ValueError when they are on several."""
        gateways = tuple({gateway_of(node): None for node in self._members()})
        if len(gateways) > 1:
            raise ValueError(
                f"{self._name} is on {len(gateways)} hosts; slice it to the processes of one"
            )
        above = import_module("runtime.actor.host_mesh")
        return above.HostMesh("host", gateways, Shape.unity())

    def sync_workspace(
        self,
        workspace: object,
        conda: bool = False,  # noqa: FBT001, FBT002 - as Monarch has it
        auto_reload: bool = False,  # noqa: FBT001, FBT002
    ) -> Future[None]:
        """Copy directories to the hosts of these processes, as HostMesh.sync_workspace does."""
        gateways = tuple({gateway_of(node): None for node in self._members()})
        above = import_module("runtime.actor.host_mesh")
        hosts = above.HostMesh("hosts", gateways, Shape.of(Extent(("hosts",), (len(gateways),))))
        copied: Future[None] = hosts.sync_workspace(workspace, conda, auto_reload)
        return copied

    def activate(self) -> NoReturn:
        """Refuse: there are no distributed tensors here."""
        raise NotImplementedError(f"activate() makes torch calls distributed: {_NO_TENSORS}")

    def rank_tensor(self, dim: str | Sequence[str]) -> NoReturn:
        """Refuse: a rank is a number here."""
        raise NotImplementedError(f"rank_tensor({dim!r}) is a distributed tensor: {_NO_TENSORS}")

    def rank_tensors(self) -> NoReturn:
        """Refuse, as `rank_tensor`."""
        raise NotImplementedError(f"rank_tensors() are distributed tensors: {_NO_TENSORS}")

    def to_table(self) -> str:
        """Return where each process is: a line for each, below one of headings."""
        labels = self.extent.labels
        rows = [[*labels, "node", "state"]]
        for point, node in zip(self.extent.points(), self._members(), strict=True):
            obituary = local().node.obituary_of(node)
            state = "" if obituary is None else failure_from(obituary).cause
            rows.append([*(str(point[label]) for label in labels), f"{node:016x}", state])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)

    def restarting(self, policy: RestartPolicy | None) -> ProcMesh:
        """Return the same processes; actors spawned on it are restarted as the policy says.

        A mesh that was spawned with a policy has that one. None asks the owner at each failure.
        """
        if policy is not None:
            from runtime.actor.supervision.restarts import check_policy

            check_policy(policy)
        other = self._with_shape(self._own_shape)
        other._policy = policy  # noqa: SLF001 - its own class
        return other

    def stop(self, reason: str = "") -> Future[None]:
        """End the processes and all actors in them. Only the owner may; again does nothing."""
        if self._stop is None:
            raise RuntimeError(
                f"{self._name} cannot be stopped from here: this is a reference or a slice; the "
                "actor that spawned the mesh stops it"
            )
        return self._stop(reason or "its owner stopped it")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        import asyncio

        await asyncio.wait_for(self.stop().as_asyncio(), until_gone())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop().get(until_gone())

    def __reduce__(self) -> tuple[Any, ...]:
        return ProcMesh, (self._name, tuple(self._nodes), self._own_shape)

    def __repr__(self) -> str:
        return f"ProcMesh({self._name}, {self._own_shape})"


class _Actors:
    """The actors of a mesh as their owner starts them, the first time and again."""

    def __init__(
        self, mesh: ActorMesh[Any], name: str, procs: ProcMesh, carried: list[Any]
    ) -> None:
        here, me = local(), _context.context().actor_instance
        nodes, extent = procs._members(), procs.extent  # noqa: SLF001 - of this module
        self._mesh = mesh
        self._name = name
        self._nodes = nodes
        self._extent = extent
        self._carried = carried
        self._here = here
        self._owner = current_owner()
        self._spec = {
            "actor": mesh._actor_id,  # noqa: SLF001 - of the same package
            "mesh_name": name,
            "procs": (procs._name, tuple(nodes)),  # noqa: SLF001
            "labels": tuple(extent.labels),
            "sizes": tuple(extent.sizes),
            "owner": (here.node.id, me.actor),
            "creator": me.path,
        }

    def bring_up(self, policy: RestartPolicy | None) -> None:
        """Start all of them; the running actor owns them."""
        owner, mesh = self._owner, self._mesh
        actor = mesh._actor_id  # noqa: SLF001 - of the same package
        group = f"{self._name}#{actor:x}"
        children = [
            Child(f"{group}/{rank}", node, actor, group, self._name, Point(rank, self._extent))
            for rank, node in enumerate(self._nodes)
        ]
        calls: list[core.Call] = []

        def start(some: Sequence[Child]) -> None:
            if calls:
                self._start_again(some)
            else:
                calls.append(self._start(some))

        owner.spawned(group, mesh, children, start, policy)
        mesh._owned(  # noqa: SLF001 - of the same package
            Future(calls[0], _nothing_of(self._name), lambda: None),
            lambda reason: owner.stop_group(group, reason).future(),
        )

    def _start_again(self, children: Sequence[Child]) -> None:
        """Begin their next lives, in processes that may have been ordered just now.

        Their gateway passes it on: until it has the order, the process is a dead one to it.
        """
        by_gateway: dict[int, list[Child]] = {}
        for child in children:
            by_gateway.setdefault(gateway_of(child.node), []).append(child)
        for gateway, some in by_gateway.items():
            if gateway == self._here.node.id:
                self._start(some)
                continue
            nodes = tuple(child.node for child in some)
            data, _ = dumps((nodes, self._spec, tuple(child.point.rank for child in some)))
            patience = config.get("send_timeout")
            node, carried = self._here.node, self._carried
            sending.tell(node, [gateway], "spawn_actors", data, carried, patience)
            self._watch(some)

    def _start(self, children: Sequence[Child]) -> core.Call:
        nodes = [child.node for child in children]
        data, _ = dumps((self._spec, tuple(child.point.rank for child in children)))
        call = sending.ask(self._here.node, nodes, "spawn", data, self._carried)
        self._watch(children)
        return call

    def _watch(self, children: Sequence[Child]) -> None:
        """Have their owner hear of the deaths of their processes, also of one that is over."""
        for child in children:
            self._here.node.watch(child.node)


def _nothing_of(name: str) -> Callable[[core.Call], None]:
    def settle(call: core.Call) -> None:
        problem = call.problem()
        if problem is not None:
            raise problem_of(problem, f"spawn of {name}")

    return settle
