"""Actors that have ended in processes that may begin again: the next life does not know of them."""

from __future__ import annotations

_REMEMBERED = 4096


class Bygones:
    """Those of one owner, or of owners that have ended themselves.

    A message to an actor that nobody starts would wait for ever. Of more than 4096 the oldest are
    forgotten.
    """

    def __init__(self) -> None:
        self._names: dict[int, dict[int, str]] = {}  # by node and actor, the oldest first
        self._count = 0

    def add(self, node: int, actor: int, name: str) -> None:
        """Take an actor that has ended and is not started again, with the name of its mesh."""
        actors = self._names.setdefault(node, {})
        self._count += actor not in actors
        actors[actor] = name
        while self._count > _REMEMBERED:
            oldest = next(iter(self._names))
            actors = self._names[oldest]
            del actors[next(iter(actors))]
            self._count -= 1
            if not actors:
                del self._names[oldest]

    def take(self, other: Bygones) -> None:
        """Take those of another."""
        for node, actors in other._names.items():
            for actor, name in actors.items():
                self.add(node, actor, name)

    def forget(self, node: int) -> None:
        """Forget those of a process that does not begin again."""
        self._count -= len(self._names.pop(node, ()))

    def of(self, node: int) -> dict[int, str]:
        """Return those of a process: the names of their meshes."""
        return dict(self._names.get(node, ()))
