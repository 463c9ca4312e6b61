"""Types of the compiled module; runtime/core.py is its only importer."""

from collections.abc import Sequence
from typing import Any

class LibraryError(OSError):
    """None of a library's candidate names could be opened."""

    failures: tuple[tuple[str, str], ...]

class Symbol:
    """One row of a resolved symbol table."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int | None: ...
    @property
    def reason(self) -> str: ...

class Library:
    """An open shared library, closed with its last reference."""

    def __init__(self, candidates: Sequence[str]) -> None: ...
    def resolve(self, names: Sequence[str]) -> list[Symbol]: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def shared(self) -> bool: ...

class FullError(Exception):
    """There was no room for a message in its time; the text names what was full."""

class SenderDiedError(Exception):
    """A buffer of a message is not whole: its sender died while it wrote it."""

class Memory:
    """Writable memory of this process under the buffer protocol."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

class Message:
    """A request or a reply."""

    @property
    def source_node(self) -> int: ...
    @property
    def source_actor(self) -> int: ...
    @property
    def target_actor(self) -> int: ...
    @property
    def request(self) -> int: ...
    @property
    def index(self) -> int: ...
    @property
    def status(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def chain(self) -> tuple[tuple[int, int, int, str], ...]: ...
    @property
    def buffer_count(self) -> int: ...
    def buffers(self) -> list[bytes | Memory]:
        """Return the buffers out of band; once."""
    def reply(self, status: int, data: bytes, buffers: list[Any], /) -> None:
        """Answer who asked, if it waits; ValueError when the answer is over max_frame."""

class Notifier:
    """A descriptor that is readable while there are tokens of news."""

    def __init__(self) -> None: ...
    def fileno(self) -> int: ...
    def tell(self, token: int) -> None: ...
    def drain(self) -> list[int]: ...

class Mailbox:
    """Messages for one actor, in order."""

    def take(self) -> Message | None: ...
    def receive(self, timeout: float | None) -> Message | None: ...
    def notify(self, notifier: Notifier, token: int) -> None: ...
    def begin_wait(self, request: int) -> None: ...
    def end_wait(self, request: int) -> None: ...
    def wake(self) -> None:
        """Has all that wait look again."""
    @property
    def id(self) -> int: ...
    @property
    def news(self) -> int:
        """Return a count that changes whenever a message comes, or it is closed."""
    def wait(self, seen: int, timeout: float | None) -> bool:
        """Wait until `news` is another than what was seen; return whether it is."""
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...

class Call:
    """A request and its replies."""

    @property
    def id(self) -> int: ...
    @property
    def settled(self) -> bool: ...
    def wait(self, timeout: float | None) -> bool: ...
    def problem(self) -> Message | None: ...
    def next(self, timeout: float | None) -> Message | None: ...
    def take(self) -> list[Message]: ...
    def notify(self, notifier: Notifier, token: int) -> None: ...

class Targets:
    """The actors that a message goes to."""

    def __len__(self) -> int: ...

class OutputPipe:
    """The output of another process."""

    def drain(self) -> None: ...
    def take(self) -> tuple[bytes, int, bool]:
        """Return what came, how many bytes were dropped before it, and whether it has ended."""

class Credentials:
    """What a host proves to others, and asks of them."""

class Node:
    """A process of a running program."""

    @property
    def id(self) -> int: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def adopt(self, fd: int, peer: int, unix_socket: bool) -> None: ...
    def listen(self, fd: int) -> None: ...
    def watch(self, node: int) -> None: ...
    def disconnect(self, peer: int) -> None: ...
    def bury(self, dead: int, obituary: bytes, /) -> None: ...
    def bury_host(self, gateway: int, obituary: bytes, /) -> None: ...
    def revive(self, node: int) -> None: ...
    def welcome(self, fd: int, credentials: Credentials, at_most: float) -> None: ...
    def dial(
        self, fd: int, credentials: Credentials, expected: int, label: str, at_most: float
    ) -> None: ...
    def set_root(self, gateway: int) -> None: ...
    def route_through(self, gateway: int, relay: int) -> None: ...
    def obituary_of(self, node: int, /) -> bytes | None: ...
    def holdings(self) -> dict[str, int]: ...
    def close_mailbox(self, actor: int, failure: bytes, /) -> None: ...
    def tell(self, actor: int, method: str, data: bytes = ..., about: int = ...) -> None: ...
    def cast(
        self,
        targets: Targets,
        source: int,
        method: str,
        chain: tuple[tuple[int, int, int, str], ...],
        data: bytes,
        buffers: list[Any],
        timeout: float,
        /,
    ) -> None: ...
    def reply(
        self,
        caller: int,
        request: int,
        index: int,
        status: int,
        data: bytes,
        buffers: list[Any],
        /,
    ) -> None: ...

MIN_SECRET: int

class TlsError(RuntimeError):
    """There is no TLS, or a file that it needs cannot be used."""

def make_credentials(secret: bytes, files: tuple[str, str, str] | None = None) -> Credentials: ...
def tls_unavailable() -> str:
    """Return why there is no TLS in this process, empty when there is."""

def make_node(node: int, settings: dict[str, Any], /) -> Node: ...
def open_mailbox(node: Node, actor: int, /) -> Mailbox: ...
def open_channel(node: Node, number: int, /) -> Mailbox:
    """Open a mailbox that is dropped with the last reference to it."""

def make_targets(nodes: Sequence[int], actors: Sequence[int]) -> Targets: ...
def call(
    node: Node,
    targets: Targets,
    source: int,
    method: str,
    chain: tuple[tuple[int, int, int, str], ...],
    data: bytes,
    buffers: list[Any],
    timeout: float,
    caller: str,
    /,
) -> Call: ...
def socket_name(node: int, /) -> bytes: ...
def watch_output(
    node: Node, fd: int, capacity: int, notifier: Notifier, token: int, /
) -> OutputPipe: ...
def range_of_buffer(exporter: object, writable: bool) -> tuple[int, int, int, object]:
    """Return address, bytes, DLPack's device kind and what keeps them, of a buffer's bytes."""

def range_of_dlpack(capsule: object, writable: bool) -> tuple[int, int, int, object]:
    """Return the same of a contiguous array; the capsule is used up."""

def bytes_of(owner: object, address: int, nbytes: int) -> Any:  # noqa: ANN401 - an array of nanobind's
    """Return an array of the host's bytes that keeps their owner alive."""

def checksum(source: int, nbytes: int) -> int:
    """Return the 64-bit checksum of a range."""

def pack(buffer: int, segments: Sequence[tuple[int, int, int]]) -> None:
    """Copy (address, offset, size) ranges into a buffer."""

def unpack(buffer: int, segments: Sequence[tuple[int, int, int]]) -> None:
    """Copy a buffer back into its ranges."""

def accumulate(target: int, sources: Sequence[int], scale: float, element: int, count: int) -> None:
    """Set target to (target + all sources) * scale."""
