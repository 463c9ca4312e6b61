"""Workers are no forks of the controller: its locks and its memory are not copied."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import builtins
import logging
import threading
import time
from typing import Any

from tests.runtime.field.rig import Actor, endpoint


class Probe(Actor):
    """Logs, which would hang with a lock that another thread held at a fork."""

    @endpoint
    def looks(self) -> bool:
        logging.getLogger("churn").error("alive")
        return hasattr(builtins, "_mark_of_the_controller")


def test_workers_when_the_controller_has_threads(rt: Any) -> None:
    ended = threading.Event()

    def churn() -> None:
        log = logging.getLogger("churn")
        log.addHandler(logging.NullHandler())
        while not ended.is_set():
            log.error("busy")

    threads = [threading.Thread(target=churn, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    builtins._mark_of_the_controller = True  # type: ignore[attr-defined]
    try:
        for _ in range(20):
            before = time.monotonic()
            with rt.mesh(2) as mesh:
                assert mesh.spawn(Probe).call_all("looks", timeout=20) == [False, False]
            assert time.monotonic() - before < 25
    finally:
        ended.set()
        for thread in threads:
            thread.join()
        logging.getLogger("churn").handlers.clear()
        del builtins._mark_of_the_controller  # type: ignore[attr-defined]
