"""What a program on one host shows to others: nothing listens where they could reach it."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
from typing import Any


def test_listeners_when_all_is_on_one_host(rt: Any) -> None:
    with rt.mesh(2) as mesh:
        assert rt.ping(mesh) == [True, True]
        pids = [os.getpid(), *rt.os.children(os.getpid())]
        assert len(pids) >= 4  # the zygote and two processes
        assert [each for pid in pids for each in rt.os.listeners(pid)] == []
        assert rt.ping(mesh) == [True, True]
        assert rt.events() == []
