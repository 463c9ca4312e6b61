"""Whether processes take messages: their agents answer."""

from __future__ import annotations

from runtime.actor import sending
from runtime.actor.future import Future
from runtime.actor.local import local
from runtime.actor.replies import problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime import core


def when_ready(nodes: Sequence[int]) -> Future[None]:
    """Return a future that is there when every process has answered."""
    return Future(sending.ask(local().node, nodes, "ping"), _settle, lambda: None)


def _settle(call: core.Call) -> None:
    problem = call.problem()
    if problem is not None:
        raise problem_of(problem, "start of a process")
