"""A mesh of hosts: processes are spawned on it."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from runtime import config
from runtime.actor import _context, binding, sending
from runtime.actor.bootstrap import BootstrapCommand, default_bootstrap_cmd
from runtime.actor.gateway import Order, gateway_of_process
from runtime.actor.latch import Latch
from runtime.actor.local import local
from runtime.actor.nodes import gateway_of, new_node
from runtime.actor.ownership import current_owner
from runtime.actor.owning import Child
from runtime.actor.proc_mesh import ProcMesh
from runtime.actor.shapes.mesh_trait import MeshTrait
from runtime.actor.shapes.shape import Extent, Point, Shape
from runtime.actor.waiting import when_ready
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol, Self

    from runtime.actor.future import Future
    from runtime.actor.local import Local
    from runtime.actor.supervision.restarts import RestartPolicy

    class End(Protocol):
        """How whoever attached hosts lets them go."""

        def __call__(self, reason: str, *, shut_down: bool) -> Future[None]:
            """Let them go; the future is there when all that ran there has ended."""


class HostMesh(MeshTrait):
    """Hosts that run processes for the program."""

    def __init__(self, name: str, gateways: Sequence[int], shape: Shape) -> None:
        self._name = name
        self._gateways = gateways
        self._own_shape = shape
        self._python: str | None = None
        self._ready: Future[None] | None = None
        self._end: End | None = None

    @property
    def _shape(self) -> Shape:
        return self._own_shape

    def _with_shape(self, shape: Shape) -> HostMesh:
        part = HostMesh(self._name, self._gateways, shape)
        part._python = self._python
        part._ready = self._ready
        return part

    def _attached(self, ready: Future[None], end: End) -> None:
        """Make this the mesh of whoever attached the hosts, and may let them go."""
        self._ready, self._end = ready, end

    @property
    def region(self) -> Any:  # noqa: ANN401 - a Region
        """The ranks of the hosts under their labels."""
        return self._own_shape.region

    @property
    def initialized(self) -> Future[None]:
        """A future that is there when the hosts take orders; it raises when one cannot be had."""
        if self._ready is not None:
            return self._ready
        latch = Latch()
        latch.open()
        return latch.future()

    def with_python_executable(self, python: str) -> HostMesh:
        """Return the same hosts; their processes run this interpreter."""
        other = self._with_shape(self._own_shape)
        other._python = python  # noqa: SLF001 - its own class
        other._end = self._end  # noqa: SLF001
        return other

    def sync_workspace(
        self,
        workspace: object,
        conda: bool = False,  # noqa: FBT001, FBT002 - as Monarch has it
        auto_reload: bool = False,  # noqa: FBT001, FBT002
    ) -> Future[None]:
        """Copy directories of this machine to every host, below its WORKSPACE_DIR.

        `workspace` is a Workspace, a path, or a list or mapping of paths. What a host has already
        is not sent, what is not in a directory any more is gone in its copy, and a copy comes to
        its place in one step, once every host has all directories ready beside their places. Until
        then no host has changed when the future raises WorkspaceError, or SupervisionError for a
        host that is lost. One that is lost afterwards keeps what it had, and others have changed.
        """
        from runtime.actor.workspaces.copying import copy

        def gateways() -> list[int]:
            return [self._gateways[rank] for rank in self._own_shape.ndslice.ranks()]

        return copy(workspace, gateways, conda=conda, auto_reload=auto_reload)

    def stop(self, reason: str = "") -> Future[None]:
        """Let the hosts go: all that runs there ends, and they wait for another client."""
        return self._owner_ends()(reason or "was let go by its client", shut_down=False)

    def shutdown(self, reason: str = "") -> Future[None]:
        """End all that runs on the hosts, and the processes that serve them."""
        return self._owner_ends()(reason or "was shut down by its client", shut_down=True)

    def _owner_ends(self) -> End:
        if self._end is None:
            raise RuntimeError(
                f"{self._name} cannot be stopped from here: only the mesh that attach_to_workers "
                "returned can, not a slice, a reference or this_host()"
            )
        return self._end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop().get()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def spawn_procs(  # noqa: PLR0913, PLR0917 - as in Monarch, and one
        self,
        per_host: Mapping[str, int] | None = None,
        bootstrap: Callable[[], object] | None = None,
        name: str | None = None,
        proc_bind: Sequence[Mapping[str, str]] | None = None,
        bootstrap_command: BootstrapCommand | Callable[[Point], BootstrapCommand] | None = None,
        restart: RestartPolicy | None = None,
    ) -> ProcMesh:
        """Start processes on every host; returns at once.

        `per_host` has the dimensions of the processes of one host, which come after those of the
        hosts. `bootstrap` runs in each process before any actor; its failure is the process's.
        `proc_bind` has, for each process of a host, where it runs ("cpus", "cpunodebind",
        "membind", "physcpubind"). `bootstrap_command` says how the processes are started, and with
        which environment. `restart` says which processes, with their actors, are started again when
        one dies, instead of asking the owner: references to them stay valid. The calling actor
        owns the mesh.
        """
        if restart is not None:
            from runtime.actor.supervision.restarts import check_policy

            check_policy(restart)
        per_host = _sizes(per_host)
        taken = sorted(per_host.keys() & self.extent.keys())
        if taken:
            raise ValueError(f"per_host has dimensions {taken} that the hosts have; rename them")
        bad = {label: size for label, size in per_host.items() if size < 1}
        if bad:
            raise ValueError(f"per_host is {bad}; a host needs one process or more")
        inner = Extent(per_host.keys(), per_host.values())
        extent = Extent([*self.extent.labels, *inner.labels], [*self.extent.sizes, *inner.sizes])
        hosts = [self._gateways[rank] for rank in self._own_shape.ndslice.ranks()]
        return _Spawning(self, name or "procs", hosts, extent, inner.nelements).spawn(
            bootstrap, proc_bind, bootstrap_command, self._python, restart
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return HostMesh, (self._name, tuple(self._gateways), self._own_shape)

    def __repr__(self) -> str:
        return f"HostMesh({self._name}, {self._own_shape})"


def _sizes(per_host: Any) -> dict[str, int]:  # noqa: ANN401 - what a user has given
    """Return the dimensions of the processes of one host; TypeError when these are none."""
    try:
        sizes = dict(per_host or {})
    except (TypeError, ValueError):
        sizes = None
    if sizes is None:
        raise TypeError(
            f"per_host is {per_host!r}, which names no dimension; "
            'give a mapping of names to sizes, like {"gpus": 4}'
        )
    for label, size in sizes.items():
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError(
                f"per_host[{label!r}] is {size!r}, which is no number of processes; "
                f"give a whole number, like {{{label!r}: 4}}"
            )
    return sizes


class _Spawning:
    """One spawn of processes."""

    def __init__(
        self, mesh: HostMesh, name: str, hosts: Sequence[int], extent: Extent, per_host: int
    ) -> None:
        self.mesh = mesh
        self.name = name
        self.hosts = hosts
        self.extent = extent
        self.per_host = per_host

    def spawn(
        self,
        bootstrap: Callable[[], object] | None,
        proc_bind: Sequence[Mapping[str, str]] | None,
        command: BootstrapCommand | Callable[[Point], BootstrapCommand] | None,
        python: str | None,
        policy: RestartPolicy | None,
    ) -> ProcMesh:
        here, me = local(), _context.context().actor_instance
        nodes = [new_node(gateway) for gateway in self.hosts for _ in range(self.per_host)]
        procs = ProcMesh(self.name, nodes, Shape.of(self.extent))
        owner = current_owner()
        group = f"{self.name}#{nodes[0]:x}"
        points = list(self.extent.points())
        children = [
            Child(f"{group}/{rank}", node, 0, group, self.name, points[rank])
            for rank, node in enumerate(nodes)
        ]
        commands = [self._command(command, point) for point in points]
        binding.check(proc_bind, self.per_host)
        common = Order(
            mesh_name=self.name,
            nodes=(),
            ranks=(),
            labels=tuple(self.extent.labels),
            sizes=tuple(self.extent.sizes),
            owner=(here.node.id, me.actor),
            root=here.root,
            bootstrap=dumps((bootstrap,))[0] if bootstrap is not None else None,
            python=python,
            settings=config.export(),
        )

        def start(some: Sequence[Child]) -> None:
            for child in some:
                here.node.revive(child.node)
            ranks = [child.point.rank for child in some]
            for gateway, order in _orders(common, nodes, ranks, commands):
                place_order(here, gateway, _bound(order, proc_bind))
            for child in some:
                here.node.watch(child.node)

        owner.spawned(group, procs, children, start, policy)
        procs._owned(  # noqa: SLF001 - of the same package
            when_ready(nodes), lambda reason: owner.stop_group(group, reason).future()
        )
        procs._policy = policy  # noqa: SLF001
        return procs

    def _command(
        self,
        command: BootstrapCommand | Callable[[Point], BootstrapCommand] | None,
        point: Point,
    ) -> BootstrapCommand:
        if command is None:
            return _PLAIN
        return command if isinstance(command, BootstrapCommand) else command(point)


_PLAIN = default_bootstrap_cmd()


def place_order(here: Local, gateway: int, order: Order) -> None:
    """Have the gateway of a host start processes."""
    here.hosts.add(gateway)
    own = gateway_of_process(gateway)
    if own is not None:
        own.spawn(order)
        return
    data, buffers = dumps((order,))
    sending.tell(here.node, [gateway], "spawn_procs", data, buffers, config.get("send_timeout"))


def _orders(
    common: Order, nodes: Sequence[int], ranks: Sequence[int], commands: Sequence[BootstrapCommand]
) -> Iterator[tuple[int, Order]]:
    """Yield orders of processes that are of one host and started alike, with their gateway."""
    for (gateway, command), group in groupby(
        ranks, lambda rank: (gateway_of(nodes[rank]), commands[rank])
    ):
        some = tuple(group)
        yield (
            gateway,
            replace(
                common,
                nodes=tuple(nodes[rank] for rank in some),
                ranks=some,
                environment=dict(command.env),
                python=common.python or command.program,
                argv=tuple(command.args),
            ),
        )


def _bound(order: Order, proc_bind: Sequence[Mapping[str, str]] | None) -> Order:
    """Return the order with what was said of its processes, for each process of a host."""
    if proc_bind is None:
        return order
    return replace(order, bind=tuple(dict(proc_bind[r % len(proc_bind)]) for r in order.ranks))
