"""Probe libraries in child processes, so that a broken driver cannot take the caller with it."""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from runtime.devices.record import Finding, Probed

# The child gets our module search path as it is: -P, -I or an edited sys.path included.
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from runtime.devices.child import main; main(sys.argv[2])"
)
_KILL_SECONDS = 2.0


def probe_apart(records: Sequence[Probed], timeout: float) -> list[Finding]:
    """Probe every record in its own child at once; return findings in the order given.

    A child that is not done after `timeout` seconds is killed and its library does not work.
    """
    with ThreadPoolExecutor(max_workers=len(records) or 1) as pool:
        return list(pool.map(partial(_probe_one, timeout=timeout), records))


def _probe_one(record: Probed, timeout: float) -> Finding:
    command = [sys.executable, "-c", _CHILD, json.dumps(sys.path), record.name]
    try:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        return _unknown(record, f"the probe could not be started: {error}")
    try:
        output, errors = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as expired:
        ending = _end(child)
        so_far = _last_finding(record, expired.output or b"")
        return replace(so_far, works=False, detail=f"no answer within {timeout:g} s; {ending}")
    so_far = _last_finding(record, output)
    if child.returncode == 0:
        return so_far
    return replace(so_far, works=False, detail=describe_death(child.returncode, errors))


def _end(child: "subprocess.Popen[bytes]") -> str:
    """Kill the child; do not wait for one that a driver holds inside the kernel."""
    child.kill()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(_KILL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"process {child.pid} cannot be killed, the driver holds it in the kernel"
    return "the driver hangs"


def _last_finding(record: Probed, output: bytes) -> Finding:
    """Read the last whole line: a child that dies has said what it knew until then."""
    lines = output.split(b"\n")[:-1]
    if not lines:
        return _unknown(record, "the probe said nothing")
    return Finding(**json.loads(lines[-1]))


def _unknown(record: Probed, reason: str) -> Finding:
    return Finding(record.name, record.purpose, works=False, detail=reason, help=record.help)


def describe_death(returncode: int, errors: bytes) -> str:
    """Say how a probe ended, with the last line it wrote to stderr."""
    if returncode < 0:
        how = f"the probe died from {signal.Signals(-returncode).name}"
    else:
        how = f"the probe exited with status {returncode}"
    said = errors.decode(errors="replace").strip().splitlines()
    return f"{how}: {said[-1].strip()}" if said else how
