"""How xdist's workers share the suite: by groups, also after one of them has died."""

from collections.abc import Iterator
from contextlib import suppress

from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController


class Groups(LoadGroupScheduling):  # type: ignore[misc]
    """`--dist loadgroup` that goes on when a worker dies; pytest-xdist 3.8 then waits for ever.

    GR-1 a test that a worker died in has failed, and is not run again.
    GR-2 what is put back into the queue has a test to run: a worker that gets nothing says nothing.
    GR-3 a worker has two tests or is shut down: it begins none before it knows of the next one.
    GR-4 what is handed to a worker that has died unnoticed is its own until its end is told.
    """

    def remove_node(self, node: WorkerController) -> str | None:
        """Put back what a worker has not run; return the test that it died in, if any."""
        units = self.assigned_work[node]
        died_in = next(_left(units), None)
        for unit in units.values():
            if died_in in unit:
                unit[died_in] = True
        self.assigned_work[node] = {
            scope: unit for scope, unit in units.items() if not all(unit.values())
        }
        super().remove_node(node)
        return died_in

    def _assign_work_unit(self, node: WorkerController) -> None:
        with suppress(OSError):  # its end comes next, and puts back what it has not run
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        while self.workqueue and not node.shutting_down:
            if self._pending_of(self.assigned_work[node]) > 2:  # as in the superclass
                return
            self._assign_work_unit(node)
        super()._reschedule(node)


def _left(units: dict[str, dict[str, bool]]) -> Iterator[str]:
    return (test for unit in units.values() for test, done in unit.items() if not done)
