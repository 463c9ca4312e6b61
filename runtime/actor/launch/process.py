"""What a gateway asks for, and what it is told at the end: one process of a mesh."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Spawn:
    """A process to start.

    `main` is "module:function", called in the process with the descriptors by name (dict of
    str to int) and `argument`; what it returns is the exit status (None is 0). `fds`, `stdout` and
    `stderr` are open in the gateway, which keeps them: the process gets its own. `environment`
    comes on top of the gateway's. `argv` is a program and its arguments that is to start the
    interpreter ("numactl", "-N0"); the process is then not forked but executed. `affinity` are
    CPU numbers, `memory` NUMA nodes, `cwd` a folder; without them the process has the gateway's.
    """

    node: int
    name: str
    main: str
    argument: bytes
    stdout: int
    stderr: int
    fds: Mapping[str, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    python: str | None = None
    argv: tuple[str, ...] = ()
    cwd: str | None = None
    affinity: Collection[int] | None = None
    memory: Collection[int] | None = None


@dataclass(frozen=True)
class Exit:
    """The end of a process, told once for each that was asked for.

    Either `status` or `signal` is a number, unless the process never was: then `pid` is 0.
    `error` says why it did not start, or that its zygote died; else it is empty.
    """

    node: int
    pid: int
    status: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    error: str = ""
