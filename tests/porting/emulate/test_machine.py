"""Which GPU is emulated, of what was asked for."""

import pytest

from porting.emulate.machine import architecture
from porting.errors import UsageError


@pytest.mark.parametrize(
    ("platform", "arch", "wave", "found"),
    [
        ("cuda", "", 0, ("sm_90", 32)),
        ("cuda", "sm_80", 32, ("sm_80", 32)),
        ("rocm", "", 0, ("gfx942", 64)),
        ("rocm", "", 32, ("gfx1100", 32)),
        ("rocm", "gfx950", 0, ("gfx950", 64)),
    ],
)
def test_architecture_when_it_is_emulated(
    platform: str, arch: str, wave: int, found: tuple[str, int]
) -> None:
    assert architecture(platform, arch, wave) == found


@pytest.mark.parametrize(
    ("platform", "arch", "wave", "said"),
    [
        ("cuda", "gfx942", 0, "gfx942 is no GPU of cuda that is emulated; say sm_80, sm_90"),
        ("rocm", "sm_90", 0, "sm_90 is no GPU of rocm that is emulated; say gfx90a, gfx942"),
        ("cuda", "sm_70", 0, "sm_70 is no GPU of cuda"),
        ("rocm", "gfx90a", 32, "gfx90a has waves of 64 lanes, not 32"),
        ("cuda", "", 64, "no GPU of cuda has waves of 64 lanes"),
    ],
)
def test_architecture_when_there_is_no_such_gpu(
    platform: str, arch: str, wave: int, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        architecture(platform, arch, wave)
