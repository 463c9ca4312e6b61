"""Messages between a gateway and its zygote: one packet each, with descriptors.

A message is a tuple of plain values, packed by marshal: it needs no import, and the only peer is
our own process at the other end of a socket pair. What is large travels in a memfd.
"""

import _socket
import marshal
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Message = tuple[Any, ...]

_FORMAT = 2  # of marshal: no references, and every Python that we support reads it
_INLINE = 16 * 1024
_MAX_FDS = 253  # SCM_MAX_FD of Linux
_PLAIN = b"p"
_IN_FILE = b"f"


def pair() -> "tuple[_socket.socket, _socket.socket]":
    """Return two connected packet sockets."""
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET | _socket.SOCK_CLOEXEC)


def pack(message: "Any") -> bytes:  # noqa: ANN401 - plain values
    """Return the bytes of plain values."""
    return marshal.dumps(message, _FORMAT)


def unpack(data: bytes) -> "Any":  # noqa: ANN401 - plain values
    """Return the plain values of `pack`."""
    return marshal.loads(data)  # noqa: S302 - from our own process, see above


def to_file(message: "Any", name: str) -> int:  # noqa: ANN401 - plain values
    """Return the descriptor of a new memfd that holds the message."""
    try:
        fd = os.memfd_create(name)
    except OSError as error:
        words = f"memfd_create: {error.strerror}; without it no process can be started"
        raise OSError(error.errno, words) from error
    data = memoryview(pack(message))
    while data:
        data = data[os.write(fd, data) :]
    return fd


def from_file(fd: int) -> "Any":  # noqa: ANN401 - plain values
    """Return the message that a memfd holds."""
    size = os.fstat(fd).st_size
    parts: list[bytes] = []
    done = 0
    while done < size:
        parts.append(os.pread(fd, size - done, done))
        done += len(parts[-1])
    return unpack(b"".join(parts))


class Control:
    """One end of the control socket; never blocks."""

    def __init__(self, socket: "_socket.socket") -> None:
        self._socket = socket
        socket.setblocking(False)  # noqa: FBT003 - its only parameter

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def send(self, message: "Message", fds: "Sequence[int]" = ()) -> bool:
        """Send one message; return False when the socket is full. Raises OSError: the peer is gone.

        The descriptors stay open here; the peer gets its own.
        """
        if len(fds) >= _MAX_FDS:
            raise ValueError(f"{len(fds)} descriptors in one message, {_MAX_FDS - 1} can pass")
        data = pack((len(fds), message))
        if len(data) <= _INLINE:
            return self._send(_PLAIN + data, fds)
        spilled = to_file((len(fds), message), "eclosion-request")
        try:
            return self._send(_IN_FILE, [spilled, *fds])
        finally:
            os.close(spilled)

    def _send(self, data: bytes, fds: "Sequence[int]") -> bool:
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))
        try:
            self._socket.sendmsg([data], [rights] if fds else [], _socket.MSG_NOSIGNAL)
        except BlockingIOError:
            return False
        return True

    def receive(self) -> "tuple[Message, list[int]] | None":
        """Return a message and its descriptors, which the caller owns; None at the end.

        Raises BlockingIOError when there is none yet. Descriptors that this process had no room
        for are missing: the message then comes with fewer than it was sent with, see `complete`.
        """
        room = _socket.CMSG_SPACE(_MAX_FDS * 4)
        flags = _socket.MSG_CMSG_CLOEXEC
        try:
            data, rights, _, _ = self._socket.recvmsg(2 * _INLINE, room, flags)
        except ConnectionResetError:
            # The peer closed with messages of ours unread. The kernel says so once, before it
            # gives out what the peer had sent.
            data, rights, _, _ = self._socket.recvmsg(2 * _INLINE, room, flags)
        fds: list[int] = []
        for level, kind, content in rights:
            if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
                fds += struct.unpack(f"{len(content) // 4}i", content[: len(content) // 4 * 4])
        if not data:
            return None
        return _opened(data, fds)


def _opened(data: bytes, fds: list[int]) -> "tuple[Message, list[int]]":
    if data[:1] == _PLAIN:
        expected, message = unpack(data[1:])
    elif fds:
        spilled = fds.pop(0)
        try:
            expected, message = from_file(spilled)
        finally:
            os.close(spilled)
    else:
        raise OSError("a message came without its file: no descriptor is free in this process")
    if len(fds) != expected:
        message = ("incomplete", message, expected, len(fds))
    return message, fds
