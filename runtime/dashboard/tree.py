"""What programs answer, as a tree for people: program, host, process, actor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Row = dict[str, Any]
_FAILURES = 5
_KIB = 1024
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def as_text(told: Row) -> str:
    """Return the programs of `status` as lines."""
    if not told["programs"]:
        return "no program of this user is running"
    return "\n".join(line for program in told["programs"] for line in _program(program))


def _program(program: Row) -> Iterator[str]:
    head = f"program {program['pid']}: {program['command']}"
    if not program["answered"]:
        yield head
        facts = [_memory(program["rss"]), _age(program["uptime"])]
        yield f"  {', '.join(filter(None, facts))}"
        yield f"  {program['problem']}"
        return
    yield f"{head} ({program['role']}, {_age(program['uptime'])})"
    for host in program["hosts"]:
        yield f"  host {host['host'] or host['node']}"
        if host.get("answered") is False:
            yield "    no answer in time: the host or the way to it is slow, or gone"
        for process in host["processes"]:
            yield from _process(process)
    failures = sorted(_failures(program), key=lambda row: -row["seconds"])[-_FAILURES:]
    if failures:
        yield "  last failures"
    for failure in failures:
        yield f"    {_time(failure['seconds'])} ago: {failure['text']}"


def _failures(program: Row) -> list[Row]:
    """Return the failures of which any process of the program knows."""
    rows = [
        *program["failures"],
        *(
            row
            for host in program["hosts"]
            for process in host["processes"]
            for row in process.get("failures", ())
        ),
    ]
    return list({row["event"]: row for row in rows}.values())


def _process(process: Row) -> Iterator[str]:
    facts = [f"pid {process['pid']}", _memory(process["rss"]), _age(process["uptime"])]
    known = ", ".join(filter(None, facts if process["pid"] else []))
    state = "" if process["state"] == "running" else f" {process['state']}"
    yield f"    {process['name']}{state}" + (f" ({known})" if known else "")
    if not process["answered"]:
        if process["state"] == "running":
            yield "      no answer in time: it is stopped, or its interpreter's lock is held"
        return
    for actor in process["actors"]:
        if not actor["system"]:
            yield f"      {_actor(actor)}"


def _actor(actor: Row) -> str:
    parts = [f"{actor['path']} {actor['class']}".rstrip(), f"handled {actor['handled']}"]
    if actor["failed"]:
        parts.append(f"failed {actor['failed']}")
    if actor["cancelled"]:
        parts.append(f"cancelled {actor['cancelled']}")
    if actor["mailbox"]:
        parts.append(f"mailbox {actor['mailbox']}")
    at = "at a breakpoint in" if actor.get("at_breakpoint") else "in"
    parts += [f"{at} {span['endpoint']} for {_time(span['seconds'])}" for span in actor["running"]]
    return ", ".join(parts)


def _memory(size: int | None) -> str:
    if size is None:
        return ""
    return f"{size / _KIB**2:.0f} MiB" if size < _KIB**3 else f"{size / _KIB**3:.1f} GiB"


def _age(seconds: float | None) -> str:
    return "" if seconds is None else f"up {_time(seconds)}"


def _time(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"
    return f"{seconds // _DAY:.0f} d {seconds % _DAY // _HOUR:.0f} h"
