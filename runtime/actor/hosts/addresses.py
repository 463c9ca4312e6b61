"""Where hosts are reached: tcp://host:port, ipc://path, and what they bind to instead."""

from __future__ import annotations

import os
import socket
import stat
from dataclasses import dataclass

from runtime import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_BACKLOG = 128
_FORMS = "tcp://HOST:PORT, tls://HOST:PORT or ipc://PATH"
_SCHEMES = {"unix": "ipc", "tcp": "tcp", "tls": "tls"}  # by transport

#: Family and address of a socket.
Candidate = tuple[int, str | tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


@dataclass(frozen=True)
class Address:
    """One end of a connection: a host and a port, or the path of a unix socket."""

    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""

    @property
    def of_this_machine(self) -> bool:
        """Whether only processes of this machine can reach it."""
        if self.scheme == "ipc" or self.host == "localhost":
            return True
        import ipaddress

        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def candidates(self) -> list[Candidate]:
        """Return family and address of the sockets that it may mean. May wait for a name."""
        if self.scheme == "ipc":
            return [(socket.AF_UNIX, self.path)]
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        return [(family, address) for family, _, _, _, address in found]

    def __str__(self) -> str:
        if self.scheme == "ipc":
            return f"ipc://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def parsed(text: str) -> tuple[Address, Address]:
    """Return where a host is dialled and where it binds; `dial@bind` says both.

    What has no scheme gets that of the setting `transport`. ValueError for what is no address.
    """
    first, at, second = text.partition("@")
    dial = _one(first, text)
    return dial, _one(second, text) if at else dial


def refuse_clear(addresses: Iterable[Address]) -> None:
    """Raise ValueError for an address without TLS when the program counts on it."""
    for each in addresses:
        if config.get("transport") == "tls" and each.scheme == "tcp":
            raise ValueError(
                f"{each} is without TLS, and transport is tls; write tls://{each.host}:{each.port} "
                "there and at the host, or leave transport (enable_transport) as it was"
            )


def _one(text: str, whole: str) -> Address:
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = _SCHEMES[config.get("transport")], text
        if scheme == "ipc" and "/" not in text:
            raise ValueError(
                f"{whole!r} is no path, which it would have to be while transport is unix; write "
                f'{_FORMS}, or enable_transport("tcp") first'
            )
    if scheme == "ipc" and rest:
        return Address("ipc", path=rest)
    if scheme not in ("tcp", "tls"):
        raise ValueError(f"{whole!r} is no address of a host; write {_FORMS}")
    host, colon, port = rest.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdigit() or int(port) > 0xFFFF:  # noqa: PLR2004
        raise ValueError(f"{whole!r} has no host and port; write {_FORMS}")
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise ValueError(f"{whole!r} names no host: {error}; write {_FORMS}") from None
    return Address(scheme, "0.0.0.0" if host == "*" else host, int(port))  # noqa: S104 - asked for


def listener(bind: Address) -> socket.socket:
    """Return a socket that listens there. A unix socket is for this user alone.

    OSError when the address is taken or not of this machine.
    """
    try:
        family, address = bind.candidates()[0]
    except OSError as error:  # of the name
        raise OSError(error.errno, f"cannot listen at {bind}: {error.strerror or error}") from None
    sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        if family == socket.AF_UNIX:
            _make_room(bind.path)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        if family == socket.AF_UNIX:
            os.chmod(bind.path, 0o600)  # noqa: PTH101 - nobody is let in before listen
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        reason = error.strerror or error  # a path that is too long has no number of an error
        raise OSError(error.errno, f"cannot listen at {bind}: {reason}") from None
    except ValueError:
        sock.close()
        raise
    return sock


def bound(bind: Address, sock: socket.socket) -> Address:
    """Return the address with the port that the system chose, if it was 0."""
    return bind if bind.path else Address(bind.scheme, bind.host, sock.getsockname()[1])


def _make_room(path: str) -> None:
    """Remove the socket of a process that is gone; one that answers stays."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):  # noqa: PTH116
            return
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as probe:
        if probe.connect_ex(path) != 0:
            os.unlink(path)  # noqa: PTH108


def connecting(candidate: Candidate) -> socket.socket:
    """Return a socket that is being connected. OSError, ValueError when that cannot begin."""
    family, address = candidate
    sock = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        sock.connect(address)
    except BlockingIOError:
        pass
    except (OSError, ValueError):
        sock.close()
        raise
    return sock
