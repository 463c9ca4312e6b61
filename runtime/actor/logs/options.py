"""What happens to the output of a mesh of processes: shown or not, aggregated, from which level."""

from __future__ import annotations

from runtime.actor import sending
from runtime.actor.future import Future
from runtime.actor.local import local
from runtime.actor.nodes import gateway_of
from runtime.actor.replies import problem_of
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime import core

_LEVELS = range(256)


def set_options(
    nodes: Sequence[int], *, forwarded: bool, window: float | None, level: int
) -> Future[None]:
    """Set the options of processes; the future is there when their hosts and they know."""
    if window is not None and not forwarded:
        raise ValueError(
            f"aggregate_window_sec is {window} and stream_to_client is False: lines that are not "
            "brought to the client cannot be aggregated there; leave one of them out"
        )
    if window is not None and window < 0:
        raise ValueError(f"aggregate_window_sec is {window}; give seconds, 0 or more")
    if level not in _LEVELS:
        raise ValueError(f"level is {level}; give a level of `logging`, 0 to 255")
    gateways = sorted({gateway_of(node) for node in nodes})
    data, _ = dumps((tuple(nodes), forwarded, window or 0.0, level))
    call = sending.ask(local().node, [*gateways, *nodes], "log_options", data)
    return Future(call, _settle, lambda: None)


def _settle(call: core.Call) -> None:
    problem = call.problem()
    if problem is not None:
        raise problem_of(problem, "logging_option")
