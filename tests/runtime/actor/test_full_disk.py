"""Programs that find no room on a disk, no memory, or no memfd: they go on, and say so."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runtime.field.scripts import ROOT, Script

SECONDS = 30.0
Program = Callable[[str], Script]
HEAD = """
import ctypes, os, resource, struct, sys
import numpy as np
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint
failed = []
ra.unhandled_fault_hook = lambda failure: failed.append(str(failure))

class Echo(Actor):
    @endpoint
    def echo(self, value): return value
    @endpoint
    def say(self, text): print(text)
    @endpoint
    def limit(self, more):
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + more, resource.RLIM_INFINITY))

def fill(folder):
    try:
        with open(f"{folder}/fill", "wb", buffering=0) as file:
            while True: file.write(bytes(4096))
    except OSError as error: return error.errno

def spawn(n=1): return ra.this_host().spawn_procs({"r": n}).spawn("echo", Echo)
"""
_SECCOMP = """
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
class Program(ctypes.Structure): _fields_ = [("n", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(len(rows), ctypes.addressof(code))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder with room for 256 KiB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=256k,nr_inodes=8", "tmpfs", str(tmp_path)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this process may not mount")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_trace_when_the_disk_is_full(program: Program, disk: Path) -> None:
    script = program(
        HEAD
        + f"""
config.configure(trace_file="{disk}/trace", aggregate_window=0)
mesh = spawn()
mesh.echo.call(1).get(30)
fill("{disk}")
for number in range(200): assert mesh.echo.call_one(number).get(30) == number
print("FAILED", failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.marker("FAILED", SECONDS) == []
    said = "ends early: No space left on device"
    assert script.out.count(said) == 2  # by the client and by the process
    lines = (disk / "trace").read_bytes().splitlines()
    assert lines[0] == b"["
    assert all(json.loads(line.rstrip(b",")) for line in lines[1:])


def test_output_when_the_disk_is_full(disk: Path, signals_that_end: None) -> None:
    source = f"""{HEAD}
mesh = spawn()
mesh.say.call_one("before").get(30)
while b"before" not in open("{disk}/out", "rb").read(): pass
fill("{disk}")
for number in range(50): mesh.say.call_one("lost" * 500).get(30)
ra.shutdown_context().get(30)
os._exit(7 if failed else 6)
"""
    with (disk / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", source],
            stdout=out,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            timeout=SECONDS,
            check=False,
            text=True,
        )
    assert done.returncode == 6, done.stderr
    words = "what actors print to standard output is lost: No space left on device"
    assert done.stderr.count(words) == 1
    assert b"before" in (disk / "out").read_bytes()


def test_status_when_the_disk_is_full(program: Program, disk: Path) -> None:
    script = program(
        HEAD
        + f"""
os.environ["TMPDIR"] = os.environ["XDG_RUNTIME_DIR"] = "{disk}"
os.mkdir("{disk}/eclosion", 0o700)
try:
    for number in range(9): open(f"{disk}/{{number}}", "w")
except OSError: pass
print("HEARD", spawn().echo.call_one(7).get(30), flush=True)
from runtime.telemetry import places
def found():
    return [name for folder in places.folders() if os.path.isdir(folder)
        for name in os.listdir(folder)]
print("FOUND", places.socket_name(os.getpid()) in found(), flush=True)
from runtime.actor.debugging.debugger import debug_controller
assert debug_controller().problem.call_one().get(30) == ""
print("DEBUGGER", places.socket_name(os.getpid(), "debug") in found(), flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.marker("HEARD", SECONDS) == 7
    assert script.marker("FOUND", SECONDS) is True  # in the next folder
    assert script.marker("DEBUGGER", SECONDS) is True


def test_breakpoint_when_there_is_no_place_for_its_socket(program: Program) -> None:
    script = program(
        HEAD
        + """
from runtime.telemetry import places
places.folders = lambda: ["/proc/none"]
class Stops(Actor):
    @endpoint
    def stops(self):
        breakpoint()
        return 1
stops = ra.this_host().spawn_procs().spawn("stops", Stops)
print("PASSED", stops.stops.call_one().get(30) + stops.stops.call_one().get(30), flush=True)
print("FAILED", failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.marker("PASSED", SECONDS) == 2
    assert script.marker("FAILED", SECONDS) == []
    assert script.out.count("breakpoints are passed: nobody could reach the debugger") == 1


def test_calls_when_there_is_no_memory(program: Program) -> None:
    script = program(
        HEAD
        + """
mesh = spawn()
mesh.limit.call_one(64 << 20).get(30)
large = np.zeros(256 << 20, np.uint8)
for value in (large, large.tobytes()):
    error = mesh.echo.call_one(value).exception(30)
    print("ERROR", repr(f"{type(error).__name__}: {error}"), flush=True)
    assert mesh.echo.call_one(1).get(30) == 1
print("FAILED", failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.out.count("ERROR 'ActorError: actor call echo{r=0}.echo failed:") == 2
    assert script.marker("FAILED", SECONDS) == []


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of the call is another one")
@pytest.mark.parametrize("early", [True, False])
def test_program_when_the_kernel_gives_no_memfd(program: Program, *, early: bool) -> None:
    first = "" if early else "mesh = spawn(); mesh.echo.call_one(1).get(30)"
    script = program(
        HEAD
        + f"""
{first}
number = 319
{_SECCOMP}
mesh = spawn() if {early} else mesh
for value in (1, np.zeros(1 << 20, np.uint8), 2):
    try: print("GOT", repr(str(mesh.echo.call_one(value).get(30))), flush=True)
    except Exception as error: print("GOT", repr(str(error)), flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    got = [line for line in script.out.splitlines() if line.startswith("GOT")]
    if early:
        assert "no process was started: [Errno 38] memfd_create: Function not impl" in got[0]
    else:
        assert (got[0], got[2]) == ("GOT '1'", "GOT '2'")
        assert "memfd_create: Function not implemented" in got[1]
