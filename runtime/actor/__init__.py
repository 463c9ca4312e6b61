"""Actors on meshes of processes: one program drives them all.

The names and their meaning are those of PyTorch Monarch's `monarch.actor`; docs/monarch.md says
where they differ. Importing this package starts nothing: the first mesh, or the first `context()`,
makes this process the client of a program.
Names are imported when they are used: every process of a mesh passes through here at its start.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor._context import (
        Context,
        Instance,
        context,
        current_actor_name,
        current_rank,
        current_size,
    )
    from runtime.actor.actor import Actor
    from runtime.actor.actor_mesh import ActorMesh, as_endpoint
    from runtime.actor.attaching import AttachError, attach, attach_to_workers
    from runtime.actor.bootstrap import BootstrapCommand, default_bootstrap_cmd
    from runtime.actor.channel import Channel, Port, PortReceiver, RankedPortReceiver
    from runtime.actor.client import shutdown_context
    from runtime.actor.controllers import get_or_spawn_controller
    from runtime.actor.debugging.debugger import debug_controller
    from runtime.actor.endpoints import Accumulator, Endpoint, concurrent_endpoint, endpoint, send
    from runtime.actor.errors import (
        ActorError,
        CallCancelledError,
        DeadlockError,
        MailboxFullError,
        MeshFailure,
        MessageTooLargeError,
        RemoteError,
        SerializationError,
        SupervisionError,
    )
    from runtime.actor.faults import default_hook as unhandled_fault_hook
    from runtime.actor.future import Future
    from runtime.actor.here import this_host, this_proc
    from runtime.actor.host_mesh import HostMesh
    from runtime.actor.hosts.credentials import CredentialsError
    from runtime.actor.lazy import returns_future
    from runtime.actor.proc_mesh import ProcMesh
    from runtime.actor.shapes.mesh_trait import MeshTrait
    from runtime.actor.shapes.shape import Extent, Point, Region, Shape, Slice
    from runtime.actor.shapes.value_mesh import ValueMesh
    from runtime.actor.supervision.restarts import RestartPolicy
    from runtime.actor.transports import ChannelTransport, enable_transport
    from runtime.actor.uid import ProcId, Uid
    from runtime.actor.worker_loop import (
        run_worker_loop_forever,
        run_worker_loop_until_shutdown,
        start_worker_loop_forever,
    )
    from runtime.actor.workspaces.workspace import Workspace, WorkspaceError
    from runtime.telemetry.meter import get_meter
    from runtime.telemetry.spans import span, traced

# Where each name is; `name=other` is called otherwise there.
_HOMES = """
_context: Context Instance context current_actor_name current_rank current_size
actor: Actor
actor_mesh: ActorMesh as_endpoint
attaching: AttachError attach attach_to_workers
bootstrap: BootstrapCommand default_bootstrap_cmd
channel: Channel Port PortReceiver RankedPortReceiver
controllers: get_or_spawn_controller
debugging.debugger: debug_controller
client: shutdown_context
endpoints: Accumulator Endpoint concurrent_endpoint endpoint send
hosts.credentials: CredentialsError
errors: ActorError CallCancelledError DeadlockError MailboxFullError MeshFailure
errors: MessageTooLargeError RemoteError SerializationError SupervisionError
faults: unhandled_fault_hook=default_hook
future: Future
here: this_host this_proc
host_mesh: HostMesh
lazy: returns_future
shapes.mesh_trait: MeshTrait
proc_mesh: ProcMesh
supervision.restarts: RestartPolicy
shapes.shape: Extent Point Region Shape Slice
transports: ChannelTransport enable_transport
uid: ProcId Uid
shapes.value_mesh: ValueMesh
worker_loop: run_worker_loop_forever run_worker_loop_until_shutdown start_worker_loop_forever
workspaces.workspace: Workspace WorkspaceError
.telemetry.meter: get_meter
.telemetry.spans: span traced
"""
_places = {
    public: (module, name or public)
    for module, _, names in (line.partition(": ") for line in _HOMES.split("\n") if line)
    for public, _, name in (each.partition("=") for each in names.split())
}


def __getattr__(name: str) -> object:
    """Import a public name from where it is."""
    try:
        module, there = _places[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f".{module}", __name__), there)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Accumulator",
    "Actor",
    "ActorError",
    "ActorMesh",
    "AttachError",
    "BootstrapCommand",
    "CallCancelledError",
    "Channel",
    "ChannelTransport",
    "Context",
    "CredentialsError",
    "DeadlockError",
    "Endpoint",
    "Extent",
    "Future",
    "HostMesh",
    "Instance",
    "MailboxFullError",
    "MeshFailure",
    "MeshTrait",
    "MessageTooLargeError",
    "Point",
    "Port",
    "PortReceiver",
    "ProcId",
    "ProcMesh",
    "RankedPortReceiver",
    "Region",
    "RemoteError",
    "RestartPolicy",
    "SerializationError",
    "Shape",
    "Slice",
    "SupervisionError",
    "Uid",
    "ValueMesh",
    "Workspace",
    "WorkspaceError",
    "as_endpoint",
    "attach",
    "attach_to_workers",
    "concurrent_endpoint",
    "context",
    "current_actor_name",
    "current_rank",
    "current_size",
    "debug_controller",
    "default_bootstrap_cmd",
    "enable_transport",
    "endpoint",
    "get_meter",
    "get_or_spawn_controller",
    "returns_future",
    "run_worker_loop_forever",
    "run_worker_loop_until_shutdown",
    "send",
    "shutdown_context",
    "span",
    "start_worker_loop_forever",
    "this_host",
    "this_proc",
    "traced",
    "unhandled_fault_hook",
]
