"""How the processes of a mesh are started."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class BootstrapCommand:
    """A way to start processes: an interpreter, what stands before it, and its environment.

    `program` is the interpreter, None the client's own; `args` are a program and its arguments
    that start it ("numactl", "-N0"); `env` comes on top of the host's environment.
    """

    program: str | None = None
    arg0: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def with_env(self, env: Mapping[str, str]) -> BootstrapCommand:
        """Return the same with more environment."""
        return replace(self, env={**self.env, **env})


def default_bootstrap_cmd() -> BootstrapCommand:
    """Return the way processes are started without being told: the client's interpreter."""
    return BootstrapCommand()
