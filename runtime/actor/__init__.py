"""Actors on meshes of processes: one program drives them all.

The names and their meaning are those of PyTorch Monarch's `monarch.actor`; docs/monarch.md says
where they differ. Importing this package starts nothing: the first mesh, or the first `context()`,
makes this process the client of a program.
"""

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
from runtime.actor.bootstrap import BootstrapCommand, default_bootstrap_cmd
from runtime.actor.channel import Channel, Port, PortReceiver, RankedPortReceiver
from runtime.actor.client import shutdown_context, this_host, this_proc
from runtime.actor.endpoints import Accumulator, Endpoint, concurrent_endpoint, endpoint, send
from runtime.actor.errors import (
    ActorError,
    DeadlockError,
    MailboxFullError,
    MeshFailure,
    MessageTooLargeError,
    RemoteError,
    SerializationError,
    ShutdownError,
    SupervisionError,
)
from runtime.actor.faults import default_hook as unhandled_fault_hook
from runtime.actor.future import Future
from runtime.actor.host_mesh import HostMesh
from runtime.actor.mesh_trait import MeshTrait
from runtime.actor.proc_mesh import ProcMesh
from runtime.actor.shape import Extent, Point, Region, Shape, Slice
from runtime.actor.value_mesh import ValueMesh

__all__ = [
    "Accumulator",
    "Actor",
    "ActorError",
    "ActorMesh",
    "BootstrapCommand",
    "Channel",
    "Context",
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
    "ProcMesh",
    "RankedPortReceiver",
    "Region",
    "RemoteError",
    "SerializationError",
    "Shape",
    "ShutdownError",
    "Slice",
    "SupervisionError",
    "ValueMesh",
    "as_endpoint",
    "concurrent_endpoint",
    "context",
    "current_actor_name",
    "current_rank",
    "current_size",
    "default_bootstrap_cmd",
    "endpoint",
    "send",
    "shutdown_context",
    "this_host",
    "this_proc",
    "unhandled_fault_hook",
]
