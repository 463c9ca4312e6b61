"""Metrics of a running program for Prometheus, on loopback."""

from __future__ import annotations

import ipaddress
import itertools
import re

from runtime.telemetry.histogram import LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from prometheus_client.core import Metric

    Rows = list[dict[str, Any]]

_NO_NAME = re.compile("[^a-zA-Z0-9_]")
_PATIENCE = 1.0  # seconds that the processes have to answer a scrape
_COUNTERS = (
    ("messages", "messages_sent", "Messages sent to actors."),
    ("message_bytes", "message_bytes_sent", "Bytes of arguments sent to actors."),
    ("replies", "replies_sent", "Replies sent to callers."),
    ("reply_bytes", "reply_bytes_sent", "Bytes of results sent to callers."),
    ("restarts", "restarts", "Actors and processes that were started again."),
)


class MetricsServer:
    """Serves /metrics; each scrape asks the processes by `gather(timeout)`."""

    def __init__(self, address: str, gather: Callable[[float], Rows]) -> None:
        try:
            from prometheus_client import CollectorRegistry, start_http_server
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "metrics_address is set, and prometheus-client is not installed; "
                "pip install 'eclosion[metrics]', or leave metrics_address empty",
                name=error.name,
            ) from None
        host, port = loopback(address)
        registry = CollectorRegistry()
        registry.register(_Collector(gather))
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except OSError as error:
            raise OSError(
                error.errno,
                f"metrics_address is {address!r}, and nothing can be served there: "
                f"{error.strerror or error}; choose another port, or 0 for any",
            ) from None
        self.url = f"http://{address_text(host)}:{self._server.server_port}/metrics"

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(_PATIENCE)


def address_text(host: str) -> str:
    """Return an address as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def loopback(address: str) -> tuple[str, int]:
    """Return host and port of "host:port" or "port"; ValueError unless it is on loopback."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host == "localhost":
        host = "127.0.0.1"
    try:
        inside = ipaddress.ip_address(host).is_loopback
        number = int(port)
    except ValueError:
        raise ValueError(
            f"metrics_address is {address!r}; write it like 127.0.0.1:9400, with port 0 for any"
        ) from None
    if not inside:
        raise ValueError(
            f"metrics_address is {address!r}, and metrics are served on loopback only, without a "
            "password; use 127.0.0.1, and a proxy that knows who may see them"
        )
    return host, number


class _Collector:
    def __init__(self, gather: Callable[[float], Rows]) -> None:
        self._gather = gather

    def describe(self) -> list[Metric]:
        """Return nothing: whoever registers it must not scrape."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Ask the processes."""
        hosts = self._gather(_PATIENCE)
        rows = [row for host in hosts for row in host["processes"]]
        answered = [row for row in rows if row.get("answered")]
        yield from _processes(rows)
        yield from _counts(answered)
        yield from _actors(answered)
        yield from _times(answered, "endpoints", "endpoint_seconds", "Time that endpoints ran.")
        yield from _times(answered, "calls", "call_seconds", "Time from a call to its result.")
        yield from _own(answered)


def _processes(rows: Rows) -> Iterator[Metric]:
    from prometheus_client.core import GaugeMetricFamily

    states: dict[str, int] = {"running": 0, "starting": 0, "stopping": 0, "silent": 0}
    for row in rows:
        silent = row["state"] == "running" and not row.get("answered")
        states["silent" if silent else row["state"]] += 1
    alive = GaugeMetricFamily("eclosion_processes", "Processes by state.", labels=["state"])
    memory = GaugeMetricFamily("eclosion_rss_bytes", "Memory in use.", labels=["process"])
    for state, count in states.items():
        alive.add_metric([state], count)
    for row in rows:
        if row["rss"] is not None:
            memory.add_metric([row["name"]], row["rss"])
    yield alive
    yield memory


def _counts(rows: Rows) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    for key, name, text in _COUNTERS:
        counter = CounterMetricFamily(f"eclosion_{name}", text, labels=["process"])
        for row in rows:
            counter.add_metric([row["name"]], row["counts"][key])
        yield counter
    pending = GaugeMetricFamily(
        "eclosion_calls_pending", "Calls without a result.", labels=["process"]
    )
    failures = CounterMetricFamily(
        "eclosion_failures",
        "Failures by kind, where they were decided.",
        labels=["process", "kind"],
    )
    for row in rows:
        pending.add_metric([row["name"]], row["counts"]["pending"])
        for kind, count in row["counts"]["failures"].items():
            failures.add_metric([row["name"], kind], count)
    yield pending
    yield failures


def _actors(rows: Rows) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    labels = ["process", "actor"]
    handled = CounterMetricFamily("eclosion_messages_handled", "Endpoints that ran.", labels=labels)
    failed = CounterMetricFamily(
        "eclosion_messages_failed", "Endpoints that raised.", labels=labels
    )
    cancelled = CounterMetricFamily(
        "eclosion_messages_cancelled", "Endpoints that their callers gave up.", labels=labels
    )
    waiting = GaugeMetricFamily("eclosion_mailbox_messages", "Messages that wait.", labels=labels)
    for row in rows:
        for actor in row["actors"]:
            who = [row["name"], actor["path"]]
            handled.add_metric(who, actor["handled"])
            failed.add_metric(who, actor["failed"])
            cancelled.add_metric(who, actor["cancelled"])
            waiting.add_metric(who, actor["mailbox"])
    yield from (handled, failed, cancelled, waiting)


def _times(rows: Rows, key: str, name: str, text: str) -> Iterator[Metric]:
    from prometheus_client.core import HistogramMetricFamily

    family = HistogramMetricFamily(f"eclosion_{name}", text, labels=["process", "endpoint"])
    for row in rows:
        for endpoint, (counts, total) in row["counts"][key].items():
            family.add_metric([row["name"], endpoint], _buckets(counts), total)
    yield family


def _buckets(counts: list[int]) -> list[tuple[str, int]]:
    limits = [*map(str, LIMITS), "+Inf"]
    return list(zip(limits, itertools.accumulate(counts), strict=True))


def _own(rows: Rows) -> Iterator[Metric]:
    """Yield the numbers of the program's own meters: one family of a name, of all processes."""
    from prometheus_client.core import (
        CounterMetricFamily,
        GaugeMetricFamily,
        HistogramMetricFamily,
    )

    told: dict[tuple[str, str], list[tuple[dict[str, str], Any]]] = {}
    texts: dict[tuple[str, str], str] = {}
    for row in rows:
        for kind, name, text, values in row["counts"]["meters"]:
            key = kind, _NO_NAME.sub("_", name)
            texts.setdefault(key, text or name)
            told.setdefault(key, []).extend(
                ({"process": row["name"]} | dict(labels), value) for labels, value in values
            )
    for (kind, name), samples in told.items():
        labels = list(dict.fromkeys(label for has, _ in samples for label in has))
        names = [_NO_NAME.sub("_", label) for label in labels]
        family: Any = {
            "counter": CounterMetricFamily,
            "gauge": GaugeMetricFamily,
            "histogram": HistogramMetricFamily,
        }[kind](name, texts[kind, name], labels=names)
        for has, value in samples:
            who = [has.get(label, "") for label in labels]
            if kind == "histogram":
                family.add_metric(who, _buckets(value[0]), value[1])
            else:
                family.add_metric(who, value)
        yield family
