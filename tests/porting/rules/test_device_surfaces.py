"""Surfaces: boundary modes and results, which HIP's functions do not have."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
BODY = "__global__ void k(hipSurfaceObject_t s, float* p, int x, int y) {{ {} }}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "surf2Dwrite(p[0] + 1, s, x * 4, y, cudaBoundaryModeTrap);",
            "surf2Dwrite(p[0] + 1, s, x * 4, y);",
        ),
        ("surf3Dread(p, s, x, y, 0, cudaBoundaryModeZero);", "surf3Dread(p, s, x, y, 0);"),
        (
            "p[0] = 2 * surf2Dread<float>(s, x, y);",
            "p[0] = 2 * [&] { float value; surf2Dread(&value, s, x, y); return value; }();",
        ),
        (
            "p[0] = surf1Dread<float>(s, x, cudaBoundaryModeZero);",
            "p[0] = [&] { float value; surf1Dread(&value, s, x); return value; }();",
        ),
    ],
)
def test_form_that_hip_lacks_is_written_as_it_has_it(
    ported: Port, compiles: Callable[..., None], sysroot: Sysroot, before: str, after: str
) -> None:
    found = ported(check, BODY.format(before))
    assert after in found.text
    told = [d for d in found.findings if d.code == "DEV017"]
    assert [d.severity.value for d in told] == ["note"]
    # gfx942 has no texture units, and the functions are unavailable there.
    compiles(found.text, sysroot, "--no-offload-arch=gfx942")


def test_clamping_is_left_to_a_person(ported: Port) -> None:
    text = BODY.format("surf2Dread(p, s, x, y, cudaBoundaryModeClamp);")
    found = ported(check, text)
    assert found.text == text
    assert [d.severity.value for d in found.findings if d.code == "DEV017"] == ["error"]


def test_forms_of_hip_are_left(ported: Port) -> None:
    text = BODY.format("surf2Dread(p, s, x, y); surf2Dwrite(*p, s, x, y); surf2Dread(x, y);")
    assert [d for d in ported(check, text).findings if d.code == "DEV017"] == []
