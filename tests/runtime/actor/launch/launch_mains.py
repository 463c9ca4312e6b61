"""Main functions of the processes that the tests start; each tells what it sees through a pipe."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from runtime.actor.launch.child import leave_to_gateway

LONG = 600.0


def tell(fds: dict[str, int], /, **words: Any) -> None:  # noqa: ANN401 - whatever JSON has
    os.write(fds["told"], json.dumps({"pid": os.getpid(), **words}).encode() + b"\n")


def return_status(fds: dict[str, int], argument: bytes) -> int | None:
    return int(argument) if argument else None


def wait(fds: dict[str, int], argument: bytes) -> None:
    tell(fds)
    time.sleep(LONG)


def count_bytes(fds: dict[str, int], argument: bytes) -> None:
    tell(fds, size=len(argument), total=sum(argument))


def look_around(fds: dict[str, int], argument: bytes) -> None:
    names = argument.decode().split()
    open_fds = [path for path in sorted(Path("/proc/self/fd").iterdir()) if path.exists()]
    tell(
        fds,
        fds=fds,
        open=[int(path.name) for path in open_fds],
        links={fd: str(Path(f"/proc/self/fd/{fd}").readlink()) for fd in (0, 1, 2)},
        variables={name: os.environ.get(name) for name in names},
        inherited=Path("/proc/self/environ").read_text(encoding="utf-8").split("\0"),
        cwd=str(Path.cwd()),
        cpus=sorted(os.sched_getaffinity(0)),
        path=sys.path,
        name=Path("/proc/self/comm").read_text(encoding="utf-8").strip(),
        title=Path("/proc/self/cmdline").read_text(encoding="utf-8").rstrip("\0"),
        group=os.getpgid(0),
        session=os.getsid(0),
        parent=os.getppid(),
        random=random.getrandbits(64),
        interrupt=signal.getsignal(signal.SIGINT) is leave_to_gateway,
        terminate=signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
        blocked=sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        modules=sorted(name for name in sys.modules if "." not in name),
        executable=sys.executable,
        argv=sys.argv,
    )


def print_and_wait(fds: dict[str, int], argument: bytes) -> None:
    sys.stdout.write("a line\n")
    sys.stderr.write("another line\n")
    tell(fds)
    time.sleep(LONG)


def print_last_words(fds: dict[str, int], argument: bytes) -> None:
    import atexit

    atexit.register(sys.stdout.write, "said at exit\n")
    threading.Thread(target=sys.stdout.write, args=["said by a thread\n"]).start()
    sys.stdout.write("said without end")


def flood(fds: dict[str, int], argument: bytes) -> None:
    tell(fds)
    while True:
        os.write(1, b"x" * 65536)


def raise_error(fds: dict[str, int], argument: bytes) -> None:
    raise ValueError("wrong in main")


def dump_core(fds: dict[str, int], argument: bytes) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()


def ignore_termination(fds: dict[str, int], argument: bytes) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    tell(fds)
    time.sleep(LONG)


def end_when_terminated(fds: dict[str, int], argument: bytes) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(42))
    tell(fds)
    time.sleep(LONG)


def _daemon(environment: dict[str, str] | None = None) -> int:
    """Start a program that has left session, group and parent; return its pid."""
    code = "import subprocess as s, sys; p = s.Popen(['sleep', '600'], env=eval(sys.argv[1]), "
    code += "start_new_session=True, stdout=s.DEVNULL, stderr=s.DEVNULL); print(p.pid)"
    command = [sys.executable, "-c", code, repr(environment)]
    done = subprocess.run(command, start_new_session=True, check=True, capture_output=True)
    return int(done.stdout)


def have_descendants(fds: dict[str, int], argument: bytes) -> None:
    """Start one of each kind of process that is easily left behind, and wait."""
    plain = subprocess.Popen(["sleep", "600"])
    apart = subprocess.Popen(["sleep", "600"], start_new_session=True, env={"PATH": os.defpath})
    forked = os.fork()
    if forked == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    os.waitpid(forked, 0)
    left = [plain.pid, apart.pid, _daemon(), _daemon({})]
    tell(fds, left=left)
    time.sleep(LONG)


def start_daemon_and_wait(fds: dict[str, int], argument: bytes) -> None:
    tell(fds, left=[_daemon(), _daemon({})])
    time.sleep(LONG)


def roll_dice(fds: dict[str, int], argument: bytes) -> None:
    numpy = sys.modules.get("numpy")
    tell(
        fds,
        random=random.getrandbits(64),
        numpy=None if numpy is None else float(numpy.random.random()),
    )


def load_planted(fds: dict[str, int], argument: bytes) -> None:
    import ctypes

    tell(fds, planted=ctypes.CDLL("libplanted.so").planted())


def tell_hash(fds: dict[str, int], argument: bytes) -> None:
    tell(fds, hash=hash("a text"))


def look_at_python(fds: dict[str, int], argument: bytes) -> None:
    tell(fds, path=sys.path, flags=list(sys.flags))


def unmark_descendants(fds: dict[str, int], argument: bytes) -> None:
    """Start a daemon that has nothing of this process any more, the limit included."""
    resource.setrlimit(resource.RLIMIT_RTTIME, (resource.RLIM_INFINITY,) * 2)
    tell(fds, left=[_daemon({})])
    time.sleep(LONG)
