"""The adapter of the field cases: their neutral vocabulary over the names of `runtime`."""

import tempfile
import time
from collections.abc import Callable
from os import close as _close
from typing import Any

from runtime import config as _config
from runtime import devices
from tests.runtime.field import logs
from tests.runtime.field.actors import Actor, Chatter, Group, Handle, Started, endpoint
from tests.runtime.field.controller import Controller
from tests.runtime.field.controller import close as _close_controllers
from tests.runtime.field.errors import (
    ActorDied,
    Deadlock,
    MailboxFull,
    MessageTooLarge,
    RemoteError,
    SerializationError,
    Timeout,
)
from tests.runtime.field.faults import Faults, raise_in_actor
from tests.runtime.field.guarded import captured_logs, connect_with_token, secret_in_use
from tests.runtime.field.guarded import close as _close_guarded
from tests.runtime.field.hosts import close as _close_hosts
from tests.runtime.field.machine import Machine
from tests.runtime.field.mesh import Mesh, events
from tests.runtime.field.mesh import forget as _forget_meshes
from tests.runtime.field.scripts import Script, script
from tests.runtime.field.supervised import Supervised

__all__ = [
    "Actor",
    "ActorDied",
    "Chatter",
    "Deadlock",
    "Group",
    "Handle",
    "MailboxFull",
    "MessageTooLarge",
    "RemoteError",
    "Script",
    "SerializationError",
    "Started",
    "Timeout",
    "captured_logs",
    "config",
    "connect_with_token",
    "controller",
    "devices",
    "endpoint",
    "events",
    "fake_clock",
    "faults",
    "forget",
    "logs",
    "mesh",
    "os",
    "ping",
    "raise_in_actor",
    "script",
    "secret_in_use",
    "supervised",
    "time_of",
    "tmpfile",
]

mesh = Mesh
supervised = Supervised
fake_clock = logs.FakeClock
controller = Controller
faults = Faults()
os = Machine()


def config() -> dict[str, Any]:
    """Return every setting."""
    return _config.get_global_config()


def forget() -> None:
    """Leave nothing of a case in this process."""
    _close_guarded()
    _close_controllers()
    _forget_meshes()
    _close_hosts()


def ping(mesh: Mesh) -> list[bool]:
    """Have every process of a mesh answer."""
    return mesh.ping()


def time_of(do: Callable[[], object]) -> float:
    """Return how many seconds a function takes."""
    began = time.monotonic()
    do()
    return time.monotonic() - began


def tmpfile() -> str:
    """Return the path of a new file."""
    fd, path = tempfile.mkstemp(prefix="field_")
    _close(fd)
    return path
