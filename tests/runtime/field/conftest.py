"""The rig of the field cases as a fixture."""

from collections.abc import Iterator
from types import ModuleType

import pytest

from runtime import actor as ra
from tests.runtime.field import rig


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have every case run in real time, one at a time, with a limit of its own."""
    for item in items:
        if item.path.parent.samefile(rig.__file__.rpartition("/")[0]):
            item.add_marker(pytest.mark.realtime)
            item.add_marker(pytest.mark.timeout(300))
            item.add_marker(pytest.mark.xdist_group("field cases"))


@pytest.fixture
def rt() -> Iterator[ModuleType]:
    """Give the rig; afterwards nothing of the case is left in this process."""
    before = ra.unhandled_fault_hook
    yield rig
    rig.forget()
    ra.unhandled_fault_hook = before
