"""Meshes of local processes, in the words of the field cases."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from runtime import actor as ra
from runtime import config
from tests.runtime.field.actors import LONG, Group, Handle, Probe
from tests.runtime.field.hosts import Hosts
from tests.runtime.field.logs import Lines, Reader

_SETTINGS = {
    "mailbox_capacity": "mailbox_capacity",
    "heartbeat_interval": "heartbeat_interval",
    "heartbeat_timeout": "heartbeat_timeout",
    "max_message": "max_frame",
    "log_buffer": "log_buffer",
}
_seen: list[ra.MeshFailure] = []
_settings: dict[str, Any] = {}


def events() -> list[ra.MeshFailure]:
    """Return the failures that reached this program and that nothing below had handled."""
    return _seen


def record_failures() -> None:
    """Take failures that reach the client as events instead of as its end."""
    _seen.clear()
    ra.unhandled_fault_hook = _seen.append


def forget() -> None:
    """End the program of the last case, and leave no setting of its behind."""
    ra.shutdown_context().get(LONG)
    config.clear_runtime_config()
    _settings.clear()


class Mesh:
    """Processes of this host, or spread over several. `env` is on top of the environment."""

    def __init__(
        self,
        count: int,
        *,
        hosts: int = 1,
        max_restarts: int | None = None,
        env: Mapping[str, str] | None = None,
        log_reader_paused: bool | None = None,
        **settings: Any,  # noqa: ANN401
    ) -> None:
        _configure(settings)
        self._reader = Reader()
        if log_reader_paused is not None:
            self._reader.begin(paused=log_reader_paused)
        if count % hosts:
            raise ValueError(f"{count} processes cannot be spread evenly over {hosts} hosts")
        self._count = count
        self._hosts = Hosts(hosts, env or {}) if hosts > 1 else None
        on = self._hosts.mesh if self._hosts is not None else ra.this_host()
        procs = on.spawn_procs(
            {"local": count // hosts},
            bootstrap_command=ra.default_bootstrap_cmd().with_env(env or {}),
            restart=None if max_restarts is None else ra.RestartPolicy(max_restarts=max_restarts),
        )
        self._all = procs
        self._procs = procs.flatten("rank")
        self._probe = self._procs.spawn("probe", Probe)
        self._stopped = False

    def spawn(self, kind: type[ra.Actor], *args: Any) -> Group:  # noqa: ANN401
        """Start an actor in each process."""
        mesh = self._procs.spawn(kind.__name__, kind, *args)
        parts = [
            Handle(mesh.slice(rank=rank), self._probe.slice(rank=rank))
            for rank in range(self._count)
        ]
        return Group(mesh, parts)

    def call_env(self) -> list[dict[str, str]]:
        """Return the environment of each process."""
        return list(self._probe.environment.call().get(LONG).values())

    def ping(self) -> list[bool]:
        """Have each process answer."""
        return list(self._probe.ping.call().get(LONG).values())

    def resume_logs(self) -> None:
        """Have whoever reads the program's output read on."""
        self._reader.resume()

    def drain_logs(self) -> Lines:
        """Return all that was printed until now."""
        return self._reader.drain()

    def stop(self, timeout: float = LONG) -> None:
        """End the processes; again does nothing."""
        if not self._stopped:
            self._stopped = True
            self._all.stop().get(timeout)
            if self._hosts is not None:
                self._hosts.mesh.stop().get(timeout)
                self._hosts.close()
            self._reader.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _configure(settings: Mapping[str, Any]) -> None:
    """Set what a mesh is to have; a program that runs with other settings is begun again."""
    unknown = settings.keys() - _SETTINGS.keys()
    if unknown:
        raise TypeError(f"mesh() takes no {sorted(unknown)} yet")
    if ra.context().actor_instance.mailbox is not None:
        return  # an actor's mesh has its program's settings
    record_failures()
    wanted = {_SETTINGS[name]: value for name, value in settings.items()}
    if wanted != _settings:
        forget()
        config.configure(**wanted)
        _settings.update(wanted)
