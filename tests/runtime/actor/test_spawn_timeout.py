"""A process that does not get ready in its time has failed."""

import threading

import pytest

from runtime import actor as ra
from runtime import config
from tests.runtime.actor.test_controllers import Counter

SECONDS = 30.0


def never() -> None:
    """Be a bootstrap that does not end."""
    threading.Event().wait(2 * SECONDS)


def test_process_when_its_bootstrap_does_not_end(failures: list[ra.MeshFailure]) -> None:
    with config.configured(spawn_timeout=0.5), ra.this_host().spawn_procs({"r": 2}) as fine:
        counter = fine.spawn("counter", Counter)
        stuck = ra.this_host().spawn_procs({"r": 2}, bootstrap=never, name="stuck")
        with pytest.raises(ra.SupervisionError, match=r"not ready after 0\.5 s"):
            stuck.initialized.get(SECONDS)
        with pytest.raises(ra.SupervisionError, match=r"not ready after 0\.5 s"):
            stuck.spawn("other", Counter).next.call().get(SECONDS)
        # Those that are ready are left alone.
        assert list(counter.next.call().get(SECONDS).values()) == [1, 1]
    assert {failure.kind for failure in failures} == {"init"}
    assert "counter" not in {failure.mesh_name for failure in failures}
