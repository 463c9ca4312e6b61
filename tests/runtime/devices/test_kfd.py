"""The kernel's topology of AMD's GPUs, as files."""

from pathlib import Path

import pytest

from runtime.devices.kfd import architecture_at


def _node(topology: Path, number: int, **fields: int) -> None:
    folder = topology / str(number)
    folder.mkdir(parents=True)
    text = "".join(f"{name} {value}\n" for name, value in fields.items())
    (folder / "properties").write_text(f"cpu_cores_count 0\n{text}name_is_odd\n", encoding="ascii")


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (90402, "gfx942"),
        (90010, "gfx90a"),
        (110000, "gfx1100"),
        (90500, "gfx950"),
        (120001, "gfx1201"),
    ],
)
def test_the_name_is_the_compilers(tmp_path: Path, version: int, name: str) -> None:
    _node(tmp_path, 0, gfx_target_version=0, location_id=0, domain=0)
    _node(tmp_path, 1, gfx_target_version=version, location_id=0x4F00 | 2 << 3 | 1, domain=1)
    assert architecture_at("0001:4f:02.1", tmp_path) == name


@pytest.mark.parametrize("address", ["0000:4f:00.0", "0001:4f:02.0", "4f:00.0", "", "x:y:z.0"])
def test_another_slot_has_none(tmp_path: Path, address: str) -> None:
    _node(tmp_path, 1, gfx_target_version=90402, location_id=0x4F11, domain=1)
    assert architecture_at(address, tmp_path) is None


def test_a_machine_without_the_driver_has_none(tmp_path: Path) -> None:
    assert architecture_at("0000:4f:00.0", tmp_path / "none") is None
