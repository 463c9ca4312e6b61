"""Where running programs of this user are found: one socket each, in a folder of the user's own."""

from __future__ import annotations

import os
import socket
import stat
import struct
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BACKLOG = 8
_CREDENTIALS = struct.Struct("3i")  # pid, user and group
_NAME = "{pid}-{begun}.{kind}"


class NotPrivateError(OSError):
    """A folder for sockets that others could use too."""


def folders() -> list[str]:
    """Return the folders in which programs of this user may be found, the best one first."""
    under = os.environ.get("XDG_RUNTIME_DIR")
    own = f"eclosion-{os.geteuid()}"
    temporary = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - `tempfile` takes long to import
    found = [os.path.join(temporary, own), os.path.join("/tmp", own)]  # noqa: PTH118, S108
    if under and os.path.isdir(under):  # noqa: PTH112 - pathlib costs every start of a program
        found.insert(0, os.path.join(under, "eclosion"))  # noqa: PTH118
    return list(dict.fromkeys(found))


def open_private(folder: str, *, make: bool) -> int:
    """Return a descriptor of a folder that only this user can use.

    FileNotFoundError where it is not and `make` is not asked for, NotPrivateError where it is
    another user's, a link, or open to others.
    """
    if make:
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)  # noqa: PTH102
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        fd = os.open(folder, flags)
    except (NotADirectoryError, PermissionError) as error:
        raise NotPrivateError(f"{folder} is no folder of this user's; remove it") from error
    facts = os.fstat(fd)
    if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) & 0o077:
        os.close(fd)
        mode = stat.S_IMODE(facts.st_mode)
        raise NotPrivateError(
            f"{folder} belongs to user {facts.st_uid} with mode {mode:o}; it must be this "
            f"user's ({os.geteuid()}) with mode 700: remove it"
        )
    return fd


def listener(kind: str = "sock") -> tuple[socket.socket, int, str]:
    """Return a socket of this process that listens, the descriptor of its folder, and its name.

    It is in the first folder that takes it; the OSError of the last one when none does.
    """
    problem = OSError("there is no folder for sockets")
    name = socket_name(os.getpid(), kind)
    for folder in folders():
        one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            fd = open_private(folder, make=True)
        except OSError as error:
            problem = error
            one.close()
            continue
        try:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)
            one.bind(path_of(fd, name))
            one.listen(_BACKLOG)
        except OSError as error:
            problem = error
            one.close()
            os.close(fd)
            continue
        return one, fd, name
    raise problem


def socket_name(pid: int, kind: str = "sock") -> str:
    """Return the name of a live process's socket; the time of its start tells it from others.

    `kind` is sock where it tells its status, and debug where its debugger is.
    """
    return _NAME.format(pid=pid, begun=begun(pid), kind=kind)


def peer_of(connection: socket.socket) -> tuple[int, int]:
    """Return the process at the other end of a unix socket, and its user, as the kernel knows."""
    facts = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(facts)
    return pid, user


def is_for_user(connection: socket.socket) -> bool:
    """Tell whether whoever has connected is this user, or root."""
    return peer_of(connection)[1] in (0, os.geteuid())


def expect(connection: socket.socket, pid: int) -> None:
    """Raise PermissionError unless a socket is served by a process, and as this user."""
    if peer_of(connection) != (pid, os.geteuid()):
        raise PermissionError("its socket is served by another process")


def begun(pid: int) -> int:
    """Return when a process began, in ticks since the machine did; 0 for none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


def sockets(fd: int, kind: str = "sock") -> Iterator[tuple[int, str]]:
    """Yield the pids and sockets in a folder whose programs run; what others left is removed."""
    for name in sorted(os.listdir(fd)):
        pid = name.partition("-")[0]
        if not name.endswith(f".{kind}") or not pid.isdigit():
            continue
        if name == socket_name(int(pid), kind):
            yield int(pid), name
        else:
            with suppress(OSError):
                os.unlink(name, dir_fd=fd)


def path_of(fd: int, name: str) -> str:
    """Return a path of a socket that is short enough, however deep its folder is."""
    return f"/proc/self/fd/{fd}/{name}"
