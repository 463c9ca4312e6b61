"""What doctor says about a machine."""

from pathlib import Path

import pytest

from porting.toolkits import doctor
from porting.toolkits.detect import State
from porting.toolkits.doctor import Row
from porting.toolkits.sysroot import Sysroot


def rows(environment: dict[str, str]) -> dict[str, list[Row]]:
    """Return the rows of doctor by their first word."""
    found: dict[str, list[Row]] = {}
    for row in doctor.examine(environment):
        found.setdefault(row.name.split(" (")[0], []).append(row)
    return found


def test_doctor_when_there_is_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ECLOSION_CLANG", raising=False)
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path / "cache"))
    found = rows({})
    (clang,) = found["clang"]
    assert clang.state is State.ABSENT
    assert clang.help == "install clang-19 and lld-19, or set ECLOSION_CLANG"
    assert "ROCm 7.1 tree" not in found
    (cache,) = found["cache"]
    assert cache.state is State.ABSENT


def test_doctor_when_a_home_is_unusable(tmp_path: Path) -> None:
    found = rows({"ROCM_PATH": str(tmp_path), "GPU_PLATFORM": "rocm"})
    home = found["ROCm home"][0]
    assert (home.name, home.state) == ("ROCm home (ROCM_PATH)", State.UNUSABLE)
    assert home.detail.startswith(f"{tmp_path} has no include/hip/hip_runtime_api.h")


def test_doctor_when_the_choice_is_impossible() -> None:
    (choice,) = rows({"GPU_PLATFORM": "metal"})["GPU_PLATFORM"]
    assert choice.state is State.UNUSABLE
    assert choice.detail.startswith("GPU_PLATFORM=metal is none of")


def test_doctor_when_the_toolchain_is_there(sysroot: Sysroot) -> None:
    found = rows({})
    for name in ("clang", "ld.lld", "ROCm 7.1 tree", "pip", "cache"):
        assert found[name][0].state is State.USABLE, found[name]
    assert found["ROCm 7.1 tree"][0].detail == f"HIP {sysroot.version} at {sysroot.path}"


def test_doctor_when_a_tree_is_missing(
    sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path))
    (row,) = rows({})["ROCm 6.2 tree"]
    assert row.state is State.ABSENT
    assert row.detail.startswith(
        "not created; to download: triton==3.4.0, hip-python==6.2.0.499.16"
    )
    assert row.help == "porting sysroot create --rocm 6.2"


def test_rows_when_written_as_json() -> None:
    row = Row("clang", State.UNUSABLE, "too old", "install another")
    assert doctor.to_json([row]) == [
        {
            "name": "clang",
            "state": "found, unusable",
            "detail": "too old",
            "help": "install another",
        }
    ]
