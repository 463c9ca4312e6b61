"""The system calls of a process's birth and death that the standard library lacks."""

import ctypes
import errno
import os
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_SET_PDEATHSIG = 1
_SET_NAME = 15
_SET_CHILD_SUBREAPER = 36
_BIND = 2  # MPOL_BIND of linux/mempolicy.h
_SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237}  # asm/unistd.h
_WORD = 64

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = (
    ctypes.c_int,
    ctypes.c_ulong,
    ctypes.c_ulong,
    ctypes.c_ulong,
    ctypes.c_ulong,
)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")


def become_subreaper() -> None:
    """Make orphaned descendants of this process its own children."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: int) -> None:
    """Have the kernel send the signal `number` to this process when its parent thread ends.

    A parent that died before this call is not noticed: compare os.getppid() afterwards.
    """
    _prctl(_SET_PDEATHSIG, number)


def set_name(name: str) -> None:
    """Give this process the name that `ps -o comm` and `top` show, 15 bytes of it."""
    text = ctypes.create_string_buffer(name.encode("utf-8", "replace")[:15])
    _prctl(_SET_NAME, ctypes.addressof(text))


def set_title(title: str) -> None:
    """Give this process the command line that `ps` shows, as long as the one it was started with.

    The kernel reads it from where it put the arguments; Python has copied them.
    """
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123
        words = file.read().rpartition(b")")[2].split()
    begin, end = int(words[45]), int(words[46])  # arg_start and arg_end of proc(5)
    if begin:  # 0 where the kernel does not tell
        ctypes.memset(begin, 0, end - begin)
        text = title.encode("utf-8", "replace")[: end - begin - 1]
        ctypes.memmove(begin, text, len(text))


def bind_memory(nodes: "Collection[int]") -> None:
    """Have the memory of this process, and of what it executes, come from these NUMA nodes alone.

    OSError when the kernel refuses (set_mempolicy(2)), or its number of the call is not known.
    """
    call = _SET_MEMPOLICY.get(os.uname().machine)
    if call is None:
        raise OSError(
            errno.ENOSYS,
            f"set_mempolicy is not known for {os.uname().machine}; use numactl --membind",
        )
    words = max(nodes) // _WORD + 1
    mask = (ctypes.c_ulong * words)()
    for node in nodes:
        mask[node // _WORD] |= 1 << node % _WORD
    # The kernel takes one bit less than it is told.
    if _libc.syscall(call, _BIND, mask, ctypes.c_ulong(words * _WORD + 1)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"memory of NUMA nodes {sorted(nodes)}: {os.strerror(number)}")


def children_of(parent: int) -> list[int]:
    """Return the direct children of a process, zombies included."""
    return [pid for pid in processes() if _state(pid)[1] == parent]


def is_dead(pid: int) -> bool:
    """Say whether a process has ended, be it reaped or not."""
    return _state(pid)[0] in {"", "Z", "X"}


def is_stopped(pid: int) -> bool:
    """Say whether a process is stopped, by a signal or by who traces it."""
    return _state(pid)[0] in {"T", "t"}


def signal_child(pid: int, parent: int, number: int) -> None:
    """Send a signal to a process that is a child of `parent`; nothing happens when it is none."""
    try:
        held = os.pidfd_open(pid)  # so that the number cannot pass to a stranger
    except OSError:
        return
    with suppress(OSError):
        if _state(pid)[1] == parent:
            signal.pidfd_send_signal(held, number)
    os.close(held)


def processes() -> list[int]:
    """Return all processes of the machine that this one can see."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def _state(pid: int) -> tuple[str, int]:
    """Return the letter of a process's state and its parent; ("", 0) when it is not there."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            # The name of the program, in parentheses, may hold anything.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except OSError:
        return "", 0
    return state.decode(), int(parent)
