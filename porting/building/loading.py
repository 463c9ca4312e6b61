"""Load what was built, each file in a process of its own, and ask its runtime for devices."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from porting.processes import run

_TIMEOUT = 60.0
_GLIBC = "ld-linux"
_UNRESOLVED = re.compile(r"=> not found|undefined symbol:|symbol lookup error|cannot open shared")
# Runs in the child: standard library alone, no import of ours.  An extension of PyTorch has no path
# to torch's libraries, because who uses it has imported torch.
_CHILD = r"""
import ctypes, json, os, re, sys
path = sys.argv[1]
answer = {}
def opened():
    return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
def opened_with_torch(error):
    if not re.match(r"lib(c10|torch)\w*\.so: cannot open shared", str(error)):
        raise error
    try:
        import torch
    except ImportError:
        answer["untried"] = f"it needs PyTorch, and {sys.executable} has none"
        raise error from None
    return opened()
try:
    try:
        library = opened()
    except OSError as error:
        library = opened_with_torch(error)
except OSError as error:
    answer["error"] = str(error)
else:
    for name in ("hipGetDeviceCount", "cudaGetDeviceCount"):
        count = ctypes.c_int(-1)
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        answer.update(call=name, status=function(ctypes.byref(count)), count=count.value)
        break
os.write(1, ("\n" + sys.argv[2] + json.dumps(answer) + "\n").encode())
os._exit(0)
"""
# Tells the answer from what the library itself prints.
_ANSWER = "eclosion: "
# hipErrorNoDevice and cudaErrorNoDevice; cudaErrorInsufficientDriver, without a driver;
# cudaErrorStubLibrary, with a link stub in its place.
_NO_DEVICE = (100, 35, 34)


@dataclass(frozen=True)
class Loaded:
    """What became of a file: `refused` by the loader, or `unclean` where it was called.

    `answer`: what its runtime said, in words; empty when it brings none that can be asked.
    `untried`: why nothing here can load it.
    """

    path: Path
    refused: str = ""
    unclean: str = ""
    answer: str = ""
    untried: str = ""


def load(path: Path, environment: Mapping[str, str]) -> Loaded:
    """Load a library with every symbol bound, and ask the runtime that it links for devices."""
    command = [sys.executable, "-P", "-c", _CHILD, str(path), _ANSWER]
    done = run(command, path.parent, environment, _TIMEOUT)
    if done.timed_out:
        return Loaded(path, unclean=f"it did not end in {_TIMEOUT:.0f} s after loading")
    said = [line for line in done.output.splitlines() if line.startswith(_ANSWER)]
    if done.code < 0 or not said:
        return Loaded(path, unclean=f"the process that loaded it {done.ending}")
    told = json.loads(said[-1].removeprefix(_ANSWER))
    if "untried" in told:
        return Loaded(path, untried=told["untried"])
    if "error" in told:
        return Loaded(path, refused=told["error"])
    return Loaded(path, **_judge(told))


def resolve(path: Path, loader: str, environment: Mapping[str, str]) -> Loaded:
    """Let the dynamic loader resolve every library and symbol of a program, without running it.

    `loader`: the one that starts it.  Only glibc's can be asked; without one it would run.
    """
    if not loader:
        return Loaded(path, answer="linked statically, nothing is left to resolve")
    if not Path(loader).name.startswith(_GLIBC):
        return Loaded(path, untried=f"its loader {loader} cannot be asked without running it")
    tracing = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "1", "LD_BIND_NOW": "1"}  # see ld.so(8)
    done = run([str(path)], path.parent, {**environment, **tracing}, _TIMEOUT)
    wrong = [line.strip() for line in done.output.splitlines() if _UNRESOLVED.search(line)]
    if wrong:
        return Loaded(path, refused="; ".join(wrong[:5]))
    return Loaded(path, unclean=f"the loader {done.ending}" if done.code else "")


def _judge(told: Mapping[str, str | int]) -> dict[str, str]:
    if "call" not in told:
        return {}
    said = f"{told['call']} returned {told['status']}, {told['count']} devices"
    if told["status"] in _NO_DEVICE:
        return {"answer": f"no device ({said})"}
    if told["status"] == 0 and int(told["count"]) >= 0:
        return {"answer": said}
    return {"unclean": said}
