"""The end of the actors of a process that ends: what they are told, and what is said of them."""

from __future__ import annotations

import time

from runtime import config
from runtime.actor.raised import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from runtime.actor.actors import Runner


def end(runners: Collection[Runner]) -> None:
    """Have actors end: coroutines are cancelled, and nobody can end a function."""
    for runner in runners:
        runner.stop("its process ends")
        runner.interrupt()


def wait(runners: Collection[Runner], begun: float) -> None:
    """Give actors that have something to do at their end the time for it, and say who took more."""
    for runner in runners:
        if runner.has_cleanup:
            runner.join(max(0.0, begun + config.get("cleanup_timeout") - time.monotonic()))
    say_cut_off([each for each in runners if not each.join(0.0)], begun)


def say_cut_off(runners: Collection[Runner], begun: float) -> None:
    """Say which actors have not ended with their process, and what they did not do."""
    for runner in runners:
        say(_cut_off(runner, time.monotonic() - begun))


def _cut_off(runner: Runner, seconds: float) -> str:
    running = [span[0] for span in list(runner.watch.running.values())]
    if not running or not runner.has_cleanup:
        return ""
    if "__cleanup__" in running:
        return f"{runner.path}.__cleanup__ is cut off after {seconds:.2g} s: its process ends\n"
    return (
        f"{runner.path}.{running[0]} has not returned within {seconds:.2g} s: "
        "its process ends without its __cleanup__\n"
    )
