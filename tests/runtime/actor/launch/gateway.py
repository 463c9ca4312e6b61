"""A gateway in a process of its own, for tests that kill it or give it other flags."""

import ctypes
import json
import os
import queue
import resource
import select
import signal
import subprocess
import sys
import time
from typing import Any

SECONDS = 30.0


class Gateway:
    """A launcher with the pipe through which its processes tell."""

    def __init__(self) -> None:
        from runtime.actor.launch.launcher import Exit, Launcher

        self.exits: queue.Queue[Exit] = queue.Queue()
        self.launcher = Launcher(on_exit=self.exits.put)
        self.read, self.write = os.pipe()
        self.number = 0

    def start(self, main: str, argument: bytes = b"") -> dict[str, Any]:
        """Start a process; return what it tells."""
        from runtime.actor.launch.launcher import Spawn

        self.number += 1
        request = Spawn(
            self.number, "node", f"launch_mains:{main}", argument, 2, 2, {"told": self.write}
        )
        self.launcher.spawn(request)
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([self.read], [], [], SECONDS)[0], "the process tells nothing"
            line += os.read(self.read, 1)
        return dict(json.loads(line))


def say(value: object) -> None:
    """Tell the test something."""
    os.write(1, json.dumps(value).encode() + b"\n")


def look() -> None:
    """Tell how the interpreters of gateway and process were started."""
    gateway = Gateway()
    heard = gateway.start("look_at_python")
    say([{"path": sys.path, "flags": list(sys.flags)}, heard])
    gateway.launcher.close(0)


def family(gateway: Gateway) -> dict[str, list[int]]:
    """Start processes with descendants; return all pids, and the zygotes'."""
    heard = [gateway.start("have_descendants"), gateway.start("ignore_termination")]
    pids = [pid for each in heard for pid in [each["pid"], *each.get("left", [])]]
    return {
        "pids": pids,
        "processes": [each["pid"] for each in heard],
        "zygotes": [each.pid for each in gateway.launcher._all()],
    }


def live() -> None:
    """Tell of a family and wait to be killed."""
    gateway = Gateway()
    say(family(gateway))
    signal.pause()


def live_forked() -> None:
    """Tell of a family and a fork of this process that holds all its descriptors, and wait.

    It is forked as a C library does, without the hooks of Python that close some.
    """
    gateway = Gateway()
    told = family(gateway)
    libc = ctypes.PyDLL(None)
    pid = libc.fork()
    if pid == 0:
        libc.pause()
    say({**told, "fork": pid})
    signal.pause()


def exec_away() -> None:
    """Become another program, under the same process number."""
    gateway = Gateway()
    say(family(gateway))
    os.execvp("sleep", ["sleep", "600"])  # noqa: S606 - no shell is wanted


def exit_early() -> None:
    """End as a program that forgot to close."""
    gateway = Gateway()
    say(family(gateway))


def collect_children() -> None:
    """Reap every child of this process, as some programs do, and lose the zygote."""
    gateway = Gateway()
    heard = gateway.start("have_descendants")
    zygote = gateway.launcher._all()[0].pid
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.kill(zygote, signal.SIGKILL)
    told = gateway.exits.get(timeout=SECONDS)
    again = gateway.start("look_at_python")
    say([heard, told.signal, told.error, again["pid"]])
    gateway.launcher.close(0)


def use_subprocess() -> None:
    """Start a program that outlives this process and holds what it inherited."""
    gateway = Gateway()
    told = family(gateway)
    other = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, close_fds=False)
    say({**told, "fork": other.pid})
    signal.pause()


def lack_descriptors() -> None:
    """Lose the zygote when no descriptor is free; tell what is said of its process."""
    gateway = Gateway()
    heard = gateway.start("have_descendants")
    zygote = gateway.launcher._all()[0].pid
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    os.kill(zygote, signal.SIGKILL)
    told = gateway.exits.get(timeout=SECONDS)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    again = gateway.start("look_at_python")
    say([heard, told.signal, told.error, again["pid"]])
    gateway.launcher.close(0)


def become_another_user() -> None:
    """Close after this process has lost the right to signal what it has started."""
    gateway = Gateway()
    heard = gateway.start("ignore_termination")
    os.setuid(65534)
    before = time.monotonic()
    gateway.launcher.close(0)
    say([heard, time.monotonic() - before])


if __name__ == "__main__":
    sys.path[:] = json.loads(os.environ["LAUNCH_PATH"])  # whatever flags it was given
    globals()[sys.argv[1]]()
