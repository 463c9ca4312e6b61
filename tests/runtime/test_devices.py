"""What each vendor's proving call makes of the answers a library can give."""

from typing import TYPE_CHECKING, Any

import pytest

from runtime.devices.nccl_api import version_text as nccl_version
from runtime.devices.rocm import version_text as hip_version

if TYPE_CHECKING:
    from collections.abc import Callable

    Report = Callable[..., dict[str, dict[str, Any]]]


@pytest.mark.parametrize(
    ("library", "variables", "detail"),
    [
        ("libcuda", {"FAKE_CUDA_INIT": "100"}, "cuInit returned 100: no such luck"),
        ("libcuda", {"FAKE_CUDA_INIT": "999"}, "cuInit returned 999"),
        ("libcuda", {"FAKE_CUDA_COUNT": "3"}, "cuDeviceGetCount returned 3: no such luck"),
        ("libcuda", {"FAKE_CUDA_DEVICES": "0"}, "devices: 0"),
        (
            "libamdhip64",
            {"FAKE_HIP_STATUS": "100", "FAKE_HIP_DEVICES": "0"},
            "hipGetDeviceCount returned 100: no ROCm-capable device is detected",
        ),
        ("libamdhip64", {"FAKE_HIP_STATUS": "7"}, "hipGetDeviceCount returned 7"),
        ("libamdhip64", {"FAKE_HIP_DEVICES": "0"}, "devices: 0"),
        ("libnccl", {"FAKE_NCCL_STATUS": "2"}, "ncclGetVersion returned 2: unhandled system error"),
        ("librccl", {"FAKE_NCCL_STATUS": "9"}, "ncclGetVersion returned 9: other"),
        (
            "libibverbs",
            {"FAKE_VERBS_ERRNO": "38"},
            (
                "the kernel has no RDMA support: ibv_get_device_list failed with ENOSYS, "
                "Function not implemented"
            ),
        ),
        (
            "libibverbs",
            {"FAKE_VERBS_ERRNO": "13"},
            "no list: ibv_get_device_list failed with EACCES, Permission denied",
        ),
        ("libibverbs", {"FAKE_VERBS_DEVICES": "0"}, "the machine has no RDMA devices"),
    ],
)
def test_library_fails_when(
    report: "Report", library: str, variables: dict[str, str], detail: str
) -> None:
    row = report(**variables)[library]
    assert (row["status"], row["detail"]) == ("fail", detail)
    assert row["help"]


@pytest.mark.parametrize(
    ("library", "version", "detail"),
    [
        ("libcuda", "13.2", "devices: 2"),
        ("libamdhip64", "7.1.25424", "devices: 1"),
        ("libnccl", "2.28.9", "opens"),
        ("librccl", "2.28.9", "opens"),
        ("libibverbs", None, "devices: mlx5_0, mlx5_1"),
    ],
)
def test_library_passes_when_it_answers(
    report: "Report", library: str, version: str | None, detail: str
) -> None:
    row = report()[library]
    assert (row["status"], row["version"], row["detail"]) == ("pass", version, detail)
    assert row["help"] is None


@pytest.mark.parametrize(("number", "text"), [(2804, "2.8.4"), (20906, "2.9.6"), (22809, "2.28.9")])
def test_nccl_version_when_packed(number: int, text: str) -> None:
    assert nccl_version(number) == text


@pytest.mark.parametrize(("number", "text"), [(60241134, "6.2.41134"), (70125424, "7.1.25424")])
def test_hip_version_when_packed(number: int, text: str) -> None:
    assert hip_version(number) == text
