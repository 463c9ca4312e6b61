"""What a process does between its fork from the zygote and its main function."""

import gc
import importlib
import os
import signal
import sys

from runtime.actor.launch import control, environment, family, marks, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

    Request = dict[str, Any]
    Main = Callable[[dict[str, int], bytes], int | None]

BLOCKED = (
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGTSTP,
)
_RESUME = "import marshal, os, sys; j = {fd}; r = marshal.loads(os.pread(j, {size}, 0)); "
_RESUME += "sys.path.extend(p for p in r['roots'] if p not in sys.path); "
_RESUME += "sys.path[:] = r['path'] or sys.path; "
_RESUME += "from runtime.actor.launch.child import resume; sys.exit(resume(j, r))"


class Child:
    """A process that was just forked: settles, then runs its main function."""

    def __init__(self, request: "Request", fds: "Sequence[int]", run: int, parent: int) -> None:
        self.request = request
        self.stdout, self.stderr, *named = fds
        self.fds = dict(zip(request["names"], named, strict=True))
        self.run = run
        self.parent = parent

    def settle(self) -> None:
        """Leave everything of the zygote's behind, except its open descriptors."""
        system.die_with_parent(signal.SIGKILL)
        if os.getppid() != self.parent:
            os._exit(1)
        os.setpgid(0, 0)
        marks.put(self.run, self.request["number"])
        _take_output(self.stdout, self.stderr)
        _reset_signals()

    def become(self, report: int) -> "Main":
        """Take the place that was asked for; return its main function, or never: then it is exec'd.

        An error is written to the descriptor `report`, which the zygote reads, and raised.
        """
        request = self.request
        try:
            if request["cwd"] is not None:
                os.chdir(request["cwd"])
            _take_cpus(request["affinity"])
            if request["memory"] is not None:
                system.bind_memory(request["memory"])
            _take_name(request["name"])
            if request["argv"]:
                _execute(request, self.fds)
            _take_environment(request["environment"])
            _take_python(request)
            main = find(request["main"])
        except BaseException as error:
            text = f"process {request['name']} could not start: {_line(error)}"
            os.write(report, family.report_line(os.getpid(), text))
            raise
        os.close(report)
        return main


def find(name: str) -> "Main":
    """Return the function that "module:function" names."""
    module, _, function = name.partition(":")
    main: Main = getattr(importlib.import_module(module), function)
    return main


def resume(fd: int, request: "Request") -> int | None:
    """Run the main function in an interpreter that was executed for it."""
    signal.signal(signal.SIGINT, leave_to_gateway)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    os.close(fd)
    for inherited in request["fds"].values():
        os.set_inheritable(inherited, False)  # noqa: FBT003 - its only parameter
    _take_name(request["name"])
    sys.argv = [request["name"]]
    _take_workspace()
    _line_buffered()
    return find(request["main"])(request["fds"], request["argument"])


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _take_output(stdout: int, stderr: int) -> None:
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    for fd in {stdout, stderr}:
        os.close(fd)


def _reset_signals() -> None:
    """Have each signal act as in a new interpreter, and only then let those through that waited.

    But SIGINT does nothing: Ctrl-C is for the gateway's program, which ends its processes in order.
    """
    signal.set_wakeup_fd(-1)
    for number in (*BLOCKED, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, leave_to_gateway)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def leave_to_gateway(number: int, frame: "FrameType | None") -> None:
    """Let SIGINT be. A handler, since programs that a process starts would inherit an ignored one.

    What is to end the process alone is SIGTERM.
    """


def _take_name(name: str) -> None:
    system.set_name(name)
    system.set_title(f"eclosion: {name}")


def _take_cpus(wanted: list[int] | None) -> None:
    if wanted is None:
        return
    try:
        os.sched_setaffinity(0, wanted)
    except OSError as error:
        present = sorted(os.sched_getaffinity(0))
        raise OSError(error.errno, f"CPUs {wanted} are none of those here, {present}") from error


def _take_environment(wanted: dict[str, str]) -> None:
    gone, new = environment.changes(os.environ, wanted)
    for name in gone:
        del os.environ[name]
    os.environ.update(new)


def _take_python(request: "Request") -> None:
    """Make the interpreter this process's own: paths, streams, random numbers, memory."""
    if request["path"]:
        sys.path[:] = request["path"]
    _take_workspace()
    sys.argv = [request["name"]]
    _line_buffered()
    _reseed()
    gc.enable()


def _take_workspace() -> None:
    """Find modules first where `sync_workspace` has put them, if the host has such a place."""
    place = os.environ.get("WORKSPACE_DIR")
    if place:
        place = os.path.abspath(place)  # noqa: PTH100 - pathlib costs every start of a process
        sys.path_importer_cache.pop(place, None)  # it may not have been there before the fork
        if place not in sys.path:
            sys.path.insert(0, place)


def _line_buffered() -> None:
    """Have lines leave as they are printed: a killed process flushes nothing."""
    if sys.stdout is None or sys.stderr is None:  # the gateway was started without them
        sys.stdout = open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)


def _reseed() -> None:
    """Give libraries that were loaded before the fork a seed of this process's own.

    The module `random` does so by itself.
    """
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()
    if torch_random := sys.modules.get("torch.random"):
        torch_random.default_generator.seed()


def _execute(request: "Request", fds: dict[str, int]) -> None:
    """Start the interpreter anew, by the program that was asked for."""
    job = control.to_file(
        {
            "main": request["main"],
            "name": request["name"],
            "argument": request["argument"],
            "fds": fds,
            "path": request["path"],
            "roots": request["roots"],
        },
        "eclosion-job",
    )
    for fd in (job, *fds.values()):
        os.set_inheritable(fd, True)  # noqa: FBT003 - its only parameter
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; programs expect them
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))  # until it is handled there too
    code = _RESUME.format(fd=job, size=os.fstat(job).st_size)
    command = [*request["argv"], *request["python"], "-c", code]
    os.execvpe(command[0], command, request["environment"])  # noqa: S606 - no shell is wanted
