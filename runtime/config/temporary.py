"""Settings for the length of a `with` block."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from runtime.config.keys import Value
    from runtime.config.layers import Configuration


class Override:
    """Set keys on entry and put exactly these back on exit; can be entered again, also nested."""

    def __init__(self, configuration: Configuration, given: Mapping[str, object]) -> None:
        self._configuration = configuration
        self._given = given
        self._before: list[dict[str, Value | None]] = []

    def __enter__(self) -> dict[str, Value]:
        from runtime.config.keys import find

        before = self._configuration.runtime()
        self._configuration.configure(self._given)
        self._before.append({(name := find(each).name): before.get(name) for each in self._given})
        return self._configuration.merged()

    def __exit__(self, *_: object) -> None:
        self._configuration.restore(self._before.pop())
