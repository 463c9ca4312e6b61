"""A TCP link that can be cut, stalled and healed: a relay between a client and a host's port."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

_CHUNK = 1 << 16


class Link:
    """Relay what comes to `port` to another port of this machine, while it is healthy.

    A cut closes every connection and refuses new ones; a stall keeps them open and passes nothing.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._whole = threading.Event()
        self._flowing = threading.Event()
        self._lock = threading.Lock()
        self._ends: set[socket.socket] = set()
        self._closed = False
        self.heal()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Close every connection, and every new one at once, until healed."""
        self._whole.clear()
        self._flowing.set()
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            _close(end)

    def stall(self) -> None:
        """Pass nothing on, in either direction, until healed or cut."""
        self._flowing.clear()

    def heal(self) -> None:
        """Pass on what comes again; connections that were cut are gone."""
        self._whole.set()
        self._flowing.set()

    def connections(self) -> int:
        """Return how many connections run through the link."""
        with self._lock:
            return len(self._ends) // 2

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                host = socket.create_connection(("127.0.0.1", self._target), timeout=5)
            except OSError:
                client.close()
                continue
            host.settimeout(None)
            self._join(client, host)

    def _join(self, client: socket.socket, host: socket.socket) -> None:
        for end in (client, host):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._ends |= {client, host}
        if not self._whole.is_set():
            self._drop(client, host)
            return
        for source, sink in ((client, host), (host, client)):
            threading.Thread(target=self._relay, args=(source, sink), daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(_CHUNK):
                self._flowing.wait()
                sink.sendall(data)
        except OSError:
            pass
        finally:
            self._drop(source, sink)

    def _drop(self, *ends: socket.socket) -> None:
        with self._lock:
            self._ends -= set(ends)
        for end in ends:
            _close(end)


def _close(end: socket.socket) -> None:
    """End a connection for whoever reads from it, in this process and in the other."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
