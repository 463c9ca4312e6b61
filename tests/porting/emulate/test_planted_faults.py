"""Faults planted into a clean program are each named with file and line, on both platforms."""

from pathlib import Path

import pytest

from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.planted_programs import SOURCE, Planted, built, line_of

pytestmark = [pytest.mark.timeout(900), pytest.mark.xdist_group("planted faults")]

OUTPUT = "1 values: 44838\n1000 values: 1651\n1000 values: 134681\n"
# Each fault, its code, and whether it ends the kernel and so the program.
FAULTS = {
    "missing_barrier": ("EMU004", False),
    "divergent_barrier": ("EMU005", False),
    "inactive_lane": ("EMU006", False),
    "out_of_bounds": ("EMU001", True),
    "use_after_free": ("EMU002", True),
    "missing_event": ("EMU007", False),
    "missing_wait": ("EMU008", False),
}


@pytest.fixture(scope="module")
def programs(cuda_home: CudaHome, sysroot: Sysroot) -> dict[str, Planted]:
    homes = {"cuda": cuda_home.path, "rocm": sysroot.path}
    return {platform: built(platform, home) for platform, home in homes.items()}


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--seed", "7"), marks=pytest.mark.soak),
        pytest.param(("--delay-us", "500"), marks=pytest.mark.soak),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_a_program_when_it_has_no_fault(
    programs: dict[str, Planted], tmp_path: Path, platform: str, options: tuple[str, ...]
) -> None:
    ran = programs[platform].emulate("faultless", tmp_path, *options)
    assert (ran.status, ran.output, ran.errors) == (0, OUTPUT, "")
    assert ran.findings == []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_a_fault_when_it_is_planted(
    programs: dict[str, Planted], tmp_path: Path, platform: str, fault: str
) -> None:
    code, ends = FAULTS[fault]
    ran = programs[platform].emulate(fault, tmp_path)
    assert (code, SOURCE.name, line_of(fault)) in ran.places, ran.errors
    assert f"{SOURCE.name}:{line_of(fault)}:" in ran.errors
    assert f"{code} " in ran.errors
    assert ran.errors.splitlines()[-1].startswith(f"porting: {len(ran.findings)} finding")
    if ends:
        assert ran.status > 1
    else:
        assert ran.status == 1


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_memory_when_a_kernel_reads_it_after_it_was_freed(
    programs: dict[str, Planted], tmp_path: Path, platform: str
) -> None:
    [found] = programs[platform].emulate("use_after_free", tmp_path).findings
    assert "::divide(" in found["kernel"]
    assert found["at"]["line"] == line_of("row_of_32")  # where it reads what it divides
    assert found["also"][-1]["label"] == "it was freed here"
    assert found["also"][-1]["line"] == line_of("use_after_free")


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_a_kernel_when_no_sidecar_has_it(
    programs: dict[str, Planted], tmp_path: Path, platform: str
) -> None:
    ran = programs[platform].emulate_without("faultless", tmp_path)
    assert ran.status != 0
    assert {found["code"] for found in ran.findings} == {"EMU015"}, ran.errors
    assert any("the kernel faultless::" in found["text"] for found in ran.findings)
    assert "name the build folder whose sources it is in" in ran.errors


def test_a_row_of_32_when_waves_have_64_lanes(programs: dict[str, Planted], tmp_path: Path) -> None:
    ran = programs["rocm"].emulate("row_of_32", tmp_path)
    assert ran.status == 1
    assert ran.places == {("EMU004", SOURCE.name, line_of("row_of_32"))}


@pytest.mark.parametrize("program", ["row_of_32", "half_a_wave"])
def test_an_assumption_of_32_lanes_when_warps_have_them(
    programs: dict[str, Planted], tmp_path: Path, program: str
) -> None:
    ran = programs["cuda"].emulate(program, tmp_path)
    assert (ran.status, ran.output, ran.errors) == (0, OUTPUT, "")


def test_half_a_wave_when_waves_have_64_lanes(programs: dict[str, Planted], tmp_path: Path) -> None:
    """Nothing is done that may not be done: only the result tells, which `--diff` compares."""
    ran = programs["rocm"].emulate("half_a_wave", tmp_path)
    assert (ran.status, ran.findings) == (0, [])
    assert ran.output == OUTPUT.replace("44838", "22960")
