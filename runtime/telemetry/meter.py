"""Numbers of the program's own, which `/metrics` serves beside the runtime's.

The names are those of OpenTelemetry's API, which need not be installed; a program that has
imported it gets every number there too.
"""

from __future__ import annotations

import sys
import threading
import traceback

from runtime.telemetry.histogram import Histogram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Labels = tuple[tuple[str, str], ...]
    Made = TypeVar("Made", bound="Instrument")
    Callbacks = Iterable[Callable[[], Iterable["Observation"]]]

_lock = threading.Lock()
_instruments: dict[str, Instrument] = {}
NAME = "eclosion"


class Observation:
    """A number that a callback reports, with its attributes."""

    def __init__(self, value: float, attributes: Mapping[str, Any] | None = None) -> None:
        self.value = value
        self.attributes = attributes or {}


class Instrument:
    """One named number for each set of attributes. `kind`: counter, gauge or histogram."""

    def __init__(self, kind: str, name: str, unit: str, description: str) -> None:
        self.kind = kind
        self.name = name
        self.unit = unit
        self.description = description
        self.values: dict[Labels, Any] = {}
        self.elsewhere: Any = None

    def told(self) -> list[tuple[Labels, Any]]:
        """Return the attributes with their numbers; of a histogram its counts and its sum."""
        with _lock:
            return [
                (labels, (value.counts[:], value.total) if isinstance(value, Histogram) else value)
                for labels, value in self.values.items()
            ]


class Counter(Instrument):
    """A sum that grows."""

    def add(self, amount: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Add to it; ValueError for less than nothing."""
        if amount < 0:
            raise ValueError(
                f"counter {self.name} cannot go down by {-amount}; make it with "
                "create_up_down_counter"
            )
        _add(self, amount, attributes)


class UpDownCounter(Instrument):
    """A sum that grows and shrinks."""

    def add(self, amount: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Add to it."""
        _add(self, amount, attributes)


class Gauge(Instrument):
    """A number as it is now."""

    def set(self, amount: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Replace it."""
        with _lock:
            self.values[_labels(attributes)] = amount
        if self.elsewhere is not None:
            self.elsewhere.set(amount, attributes)


class Distribution(Instrument):
    """Times in seconds, counted in buckets."""

    def record(self, amount: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Count one."""
        with _lock:
            self.values.setdefault(_labels(attributes), Histogram()).add(amount)
        if self.elsewhere is not None:
            self.elsewhere.record(amount, attributes)


class Observed(Instrument):
    """A number that callbacks tell whenever somebody looks."""

    callbacks: tuple[Callable[[], Iterable[Observation]], ...] = ()

    def told(self) -> list[tuple[Labels, Any]]:
        """Ask the callbacks."""
        seen: list[tuple[Labels, Any]] = []
        for ask in self.callbacks:
            try:
                seen += [(_labels(each.attributes), each.value) for each in ask()]
            except Exception:  # noqa: BLE001 - the program's own; the other numbers are told
                traceback.print_exc()
        return seen


class Meter:
    """Makes instruments; those of one name are one."""

    name = NAME

    def create_counter(self, name: str, unit: str = "", description: str = "") -> Counter:
        """Return a sum that grows."""
        return _made(Counter("counter", name, unit, description))

    def create_up_down_counter(
        self, name: str, unit: str = "", description: str = ""
    ) -> UpDownCounter:
        """Return a sum that grows and shrinks."""
        return _made(UpDownCounter("gauge", name, unit, description))

    def create_gauge(self, name: str, unit: str = "", description: str = "") -> Gauge:
        """Return a number as it is now."""
        return _made(Gauge("gauge", name, unit, description))

    def create_histogram(self, name: str, unit: str = "", description: str = "") -> Distribution:
        """Return a distribution; its buckets are made for seconds."""
        return _made(Distribution("histogram", name, unit, description))

    def create_observable_counter(
        self, name: str, callbacks: Callbacks = (), unit: str = "", description: str = ""
    ) -> Observed:
        """Return a sum that callbacks tell: functions that return Observations."""
        return _observed(Observed("counter", name, unit, description), callbacks)

    def create_observable_gauge(
        self, name: str, callbacks: Callbacks = (), unit: str = "", description: str = ""
    ) -> Observed:
        """Return a number that callbacks tell."""
        return _observed(Observed("gauge", name, unit, description), callbacks)

    create_observable_up_down_counter = create_observable_gauge


def get_meter() -> Meter:
    """Return the meter of this process."""
    return Meter()


def snapshot() -> list[tuple[str, str, str, list[tuple[Labels, Any]]]]:
    """Return kind, name, description and numbers of every instrument."""
    with _lock:
        instruments = list(_instruments.values())
    return [(each.kind, each.name, each.description, each.told()) for each in instruments]


def _made(instrument: Made) -> Made:
    with _lock:
        found: Any = _instruments.setdefault(instrument.name, instrument)
    if type(found) is not type(instrument):
        raise ValueError(
            f"{instrument.name} is a {type(found).__name__} already, and cannot be a "
            f"{type(instrument).__name__} too; give it another name"
        )
    metrics = sys.modules.get("opentelemetry.metrics")
    if found is instrument and metrics is not None and not isinstance(found, Observed):
        create = {
            Counter: "create_counter",
            UpDownCounter: "create_up_down_counter",
            Gauge: "create_gauge",
            Distribution: "create_histogram",
        }[type(found)]
        facts = found.name, found.unit, found.description
        found.elsewhere = getattr(metrics.get_meter(NAME), create)(*facts)
    return found


def _observed(instrument: Observed, callbacks: Callbacks) -> Observed:
    found = _made(instrument)
    found.callbacks = (*found.callbacks, *callbacks)
    return found


def _add(instrument: Instrument, amount: float, attributes: Mapping[str, Any] | None) -> None:
    labels = _labels(attributes)
    with _lock:
        instrument.values[labels] = instrument.values.get(labels, 0) + amount
    if instrument.elsewhere is not None:
        instrument.elsewhere.add(amount, attributes)


def _labels(attributes: Mapping[str, Any] | None) -> Labels:
    return tuple(sorted((key, str(value)) for key, value in (attributes or {}).items()))
