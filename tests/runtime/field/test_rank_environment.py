"""The environment of processes is what was asked for, and the controller's stays as it is."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
from typing import Any


def test_environment_when_a_mesh_has_its_own(rt: Any) -> None:
    before = dict(os.environ)
    wanted = {"FIELD_A": "two words", "FIELD_B": "x=y\nz", "LD_LIBRARY_PATH": "/opt/vendor/lib"}
    with rt.mesh(2, env=wanted) as mesh:
        for found in mesh.call_env():
            assert {name: found[name] for name in wanted} == wanted
    assert dict(os.environ) == before
