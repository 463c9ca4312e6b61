"""The host and the process that code runs in: where every program begins."""

from __future__ import annotations

from runtime.actor import _context
from runtime.actor.local import is_new, local, renew

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.host_mesh import HostMesh
    from runtime.actor.proc_mesh import ProcMesh


def this_host() -> HostMesh:
    """Return the host that this process runs on."""
    if is_new():
        from runtime.actor.launch import early

        early.begin()  # and import the rest meanwhile
    _renew()
    from runtime.actor.host_mesh import HostMesh
    from runtime.actor.shapes.shape import Shape

    return HostMesh("this_host", (local().gateway,), Shape.unity())


def this_proc() -> ProcMesh:
    """Return the process that this runs in, to spawn actors beside."""
    _renew()
    proc: ProcMesh = _context.context().actor_instance.proc
    return proc


def _renew() -> None:
    if _context.current() is None:
        renew()
