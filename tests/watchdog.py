"""Ends a worker of the suite that hangs where no signal handler of Python's runs any more."""

import faulthandler
import os
from collections.abc import Iterator
from typing import Any

import pytest


class Watchdog:
    """Writes every thread's stack and exits once a test, or the end of a worker, takes too long.

    pytest-timeout interrupts Python code. A thread that waits in C with the GIL, or in an exit
    handler, is not ended by it; this is a thread without Python, so that the run goes on with
    another worker and the test counts as failed. `slack` is in seconds: what pytest-timeout has to
    end a test by itself, and a worker to end.
    """

    def __init__(self, slack: float = 60.0) -> None:
        self._slack = slack
        self._stderr = os.dup(2)  # the real one: tests run with another in its place

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test with its fixtures."""
        if limit := _limit(item):
            self._bark_after(limit)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Watch the end of a worker; the controller's own would end the report."""
        if hasattr(session.config, "workerinput"):
            self._bark_after(0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ANN401 - xdist's
        """Say how a worker ended that was not to: its test is named by xdist."""
        if error:
            status = node.gateway._io.popen.wait()
            os.write(self._stderr, f"[{node.gateway.id}] status {status}: {error}\n".encode())

    def _bark_after(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds + self._slack, exit=True, file=self._stderr)


def _limit(item: pytest.Item) -> float:
    """Return the seconds that pytest-timeout gives a test, by its marker or by default; or 0."""
    marker = item.get_closest_marker("timeout")
    named = (marker.args or [marker.kwargs.get("timeout")])[0] if marker else None
    return float(named or item.config.getoption("timeout") or item.config.getini("timeout") or 0)
