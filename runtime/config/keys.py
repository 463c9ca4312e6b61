"""The table of settings: one entry per key, with what it takes, its default and what it does.

This module is imported at the start of every process, so its classes are plain ones: `dataclasses`
and `typing` alone would cost more than all of it.
"""

from __future__ import annotations

from runtime.config.errors import ConfigError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

#: Seconds that every clock of the core can hold, about 31 years.
LONGEST = 1e9
LARGEST = (1 << 63) - 1

Value = str | int | float | bool | tuple[str, ...]


class Key:
    """One setting.

    `kind` is duration (seconds, float), size (bytes), count, flag, text or names (a tuple of
    them). `low` and `high` are the smallest and largest value; a text with `choices` is one of
    them; `aliases` are names of the same setting in PyTorch Monarch. A key that does not travel
    belongs to a machine: the workers of a program do not get its value from the program.
    """

    __slots__ = ("aliases", "choices", "default", "doc", "high", "kind", "low", "name", "travels")

    def __init__(  # noqa: PLR0913  a row of a table
        self,
        name: str,
        kind: str,
        default: Value,
        doc: str,
        *,
        low: float | None = None,
        high: float | None = None,
        aliases: tuple[str, ...] = (),
        choices: tuple[str, ...] = (),
        travels: bool = True,
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.doc = doc
        self.low = _LIMITS[kind][0] if low is None else low
        self.high = _LIMITS[kind][1] if high is None else high
        self.aliases = aliases
        self.choices = choices
        self.travels = travels

    def __repr__(self) -> str:
        return f"Key({self.name})"


_LIMITS: dict[str, tuple[float, float]] = {
    "duration": (0.001, LONGEST),
    "size": (0, LARGEST),
    "count": (0, LARGEST),
    "flag": (0, 1),
    "text": (0, 0),
    "names": (0, 0),
}

_TABLE = (
    Key(
        "transport",
        "text",
        "unix",
        "How hosts are reached whose address does not say it; with `tls` no host without TLS is.",
        aliases=("default_transport",),
        choices=("unix", "tcp", "tls"),
        travels=False,
    ),
    Key(
        "secret_file",
        "text",
        "",
        "File with the secret that hosts prove to each other before anything is unpickled.",
        travels=False,
    ),
    Key(
        "mailbox_capacity",
        "count",
        4096,
        "Messages of one sender that wait at one actor; then the sender is held back.",
        low=1,
    ),
    Key(
        "send_timeout",
        "duration",
        30.0,
        "How long a full mailbox holds a sender back before MailboxFullError.",
        low=0,
        aliases=("message_delivery_timeout",),
    ),
    Key(
        "max_frame",
        "size",
        10 * GIB,
        "Largest message; a larger one is refused by its sender, and its claim by the receiver.",
        low=64 * KIB,
        aliases=("codec_max_frame_length",),
    ),
    Key(
        "shared_memory_threshold",
        "size",
        128 * KIB,
        "Payloads from this size on go through shared memory between processes of one host.",
    ),
    Key(
        "shared_memory_limit",
        "size",
        1 * GIB,
        "Shared memory that one process holds at a time; 0 sends everything through sockets.",
    ),
    Key(
        "heartbeat_interval",
        "duration",
        0.5,
        "Time between two signs of life of a process; Python cannot delay them.",
        low=0.01,
        aliases=("server_heartbeat_interval",),
    ),
    Key(
        "heartbeat_timeout",
        "duration",
        5.0,
        "Silence after which a process is taken for dead; at least two intervals.",
        low=0.02,
    ),
    Key(
        "eof_grace",
        "duration",
        2.0,
        "Time that a lost connection has to be explained before it is a failure of its own.",
        low=0,
    ),
    Key(
        "cast_fanout",
        "count",
        8,
        "Hosts that a message for more goes to from one; each passes it on to as many. 0: to all.",
        low=0,
    ),
    Key(
        "stuck_after",
        "duration",
        60.0,
        "Time in one endpoint after which it is reported as stuck, with its stack; 0 is never.",
        low=0,
    ),
    Key(
        "spawn_timeout",
        "duration",
        30.0,
        "How long a process may take to start, with its bootstrap, before it has failed.",
        aliases=("host_spawn_ready_timeout", "mesh_proc_spawn_max_idle"),
    ),
    Key(
        "stop_timeout",
        "duration",
        10.0,
        "Time to leave until a stopped process gets SIGTERM; at the program's end, SIGKILL.",
        low=0,
        aliases=("process_exit_timeout", "mesh_terminate_timeout"),
    ),
    Key(
        "cleanup_timeout",
        "duration",
        3.0,
        "How long `__cleanup__` of an actor may take.",
        low=0,
    ),
    Key(
        "preload",
        "names",
        (),
        "Modules that the zygote of a host imports once, before it forks processes.",
    ),
    Key(
        "log_forwarding",
        "flag",
        True,  # noqa: FBT003  a default of the table
        "Bring what actors print to the client.",
        aliases=("enable_log_forwarding",),
    ),
    Key(
        "prefix_logs",
        "flag",
        True,  # noqa: FBT003  a default of the table
        "Begin forwarded lines with the actor and its rank.",
        aliases=("prefix_with_rank",),
    ),
    Key(
        "aggregate_window",
        "duration",
        3.0,
        "Time over which identical lines of several ranks become one; 0 is none.",
        low=0,
    ),
    Key(
        "tail_lines",
        "count",
        20,
        "Last lines of a process's output that its failure shows.",
        high=10_000,
        aliases=("tail_log_lines",),
    ),
    Key(
        "log_buffer",
        "size",
        1 * MIB,
        "Output of one process that waits for the client; beyond it lines are counted, not kept.",
        low=4 * KIB,
        aliases=("read_log_buffer",),
    ),
    Key(
        "metrics_address",
        "text",
        "",
        "Loopback address where the client serves metrics, like `127.0.0.1:9400`; port 0 is any.",
    ),
    Key(
        "trace_file",
        "text",
        "",
        "File that gets the spans of calls and endpoints of the program's processes, for Perfetto.",
    ),
)

KEYS: dict[str, Key] = {key.name: key for key in _TABLE}
_BY_EVERY_NAME = KEYS | {alias: key for key in _TABLE for alias in key.aliases}


def find(name: str, place: str = "") -> Key:
    """Return the key of this name or alias; `place` says in an error where the name stands."""
    key = _BY_EVERY_NAME.get(name)
    if key is None:
        raise ConfigError(unknown(name, name, _BY_EVERY_NAME, place))
    return key


def unknown(shown: str, name: str, known: object, place: str) -> str:
    """Return the message for a name that is in no table, with the nearest one that is."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1)  # type: ignore[call-overload]
    hint = f"; did you mean '{near[0]}'?" if near else "; docs/configuration.md lists all keys"
    return f"there is no setting '{shown}'{place}{hint}"
