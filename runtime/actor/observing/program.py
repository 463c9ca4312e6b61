"""A program that can be looked at: its status socket, its metrics, its trace."""

from __future__ import annotations

from runtime import config
from runtime.actor import telling
from runtime.actor.observing.host import HostObserver
from runtime.actor.observing.process import observe
from runtime.actor.observing.status_server import StatusServer
from runtime.actor.observing.traces import collect, hand_over
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor.gateway import Gateway
    from runtime.telemetry.metrics import MetricsServer


class ObservedProgram:
    """All that a gateway does for those who look at it. `client` is the program's client."""

    def __init__(self, gateway: Gateway, role: str, client: int | None = None) -> None:
        here = gateway.agent.local
        self._role = role
        owner = here.node.id if client is None else client
        telling.begin(here, client=owner, first=True)
        if role == "client":
            collect(gateway.agent)
        self.host = HostObserver(gateway, observe(gateway.agent), owner)
        self._status: StatusServer | None = None
        self._metrics: MetricsServer | None = None
        if config.get("metrics_address") and role == "client":
            from runtime.telemetry.metrics import MetricsServer

            self._metrics = MetricsServer(config.get("metrics_address"), self.host.gather)

    def start(self) -> None:
        """Begin to answer. What cannot be served is told, and the program goes on without it."""
        try:
            self._status = StatusServer(self.host.gather, self._role)
            self._status.start()
        except OSError as error:
            self.host.tell(f"`python -m runtime status` will not find this program: {error}")
        if self._metrics is not None:
            self.host.tell(f"metrics are at {self._metrics.url}")

    def close(self) -> None:
        """Answer no more."""
        self.host.tell_stuck()
        if self._status is not None:
            self._status.close()
        if self._metrics is not None:
            self._metrics.close()

    def closed(self, *, heir: int | None = None) -> None:
        """End the trace: every process has ended. A host's goes to its client, if that is there."""
        trace = state.trace
        telling.end()
        if trace is not None and heir is not None:
            hand_over(self.host.gateway.agent.local.node, heir, trace.path)
