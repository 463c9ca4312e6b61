"""The variables of both vendors, read together."""

import pytest

from runtime.devices import VisibleDevicesError
from runtime.devices.cuda import CUDA as NVIDIA
from runtime.devices.rocm import ROCM
from runtime.devices.visible import Filter, Filters, visible_devices

HIP, CUDA, ROCR = "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"
ORDINAL = "GPU_DEVICE_ORDINAL"


@pytest.mark.parametrize(
    ("filters", "environment", "expected"),
    [
        (NVIDIA.filters, {}, None),
        (NVIDIA.filters, {CUDA: "1"}, Filter(CUDA, "1")),
        (NVIDIA.filters, {HIP: "1", ROCR: "0"}, None),
        (ROCM.filters, {}, None),
        (ROCM.filters, {HIP: "0,1"}, Filter(HIP, "0,1")),
        (ROCM.filters, {CUDA: "2"}, Filter(CUDA, "2")),
        (ROCM.filters, {ROCR: "2"}, Filter(ROCR, "2")),
        (ROCM.filters, {HIP: "1", CUDA: "1"}, Filter(HIP, "1")),
        (ROCM.filters, {HIP: "0,1", CUDA: "0, 1 "}, Filter(HIP, "0,1")),
        (ROCM.filters, {ORDINAL: "1"}, Filter(ORDINAL, "1")),
        (NVIDIA.filters, {ORDINAL: "1"}, None),
        # HIP reads the next where one is empty; a list ends at the first entry that is none.
        (ROCM.filters, {HIP: "", CUDA: "-1"}, Filter(CUDA, "-1")),
        (ROCM.filters, {HIP: "-1", CUDA: ""}, Filter(HIP, "-1")),
        (ROCM.filters, {CUDA: "NoDevFiles", ORDINAL: ""}, Filter(CUDA, "NoDevFiles")),
        (ROCM.filters, {HIP: "0,-1,1", CUDA: "0"}, Filter(HIP, "0,-1,1")),
    ],
)
def test_one_variable_filters(
    filters: Filters, environment: dict[str, str], expected: Filter | None
) -> None:
    assert visible_devices(filters, environment) == expected


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({HIP: "1", ROCR: "0,1"}, r"^ROCR_VISIBLE_DEVICES=0,1 and HIP_VISIBLE_DEVICES=1 both"),
        ({CUDA: "1", ROCR: "0"}, r"^ROCR_VISIBLE_DEVICES=0 and CUDA_VISIBLE_DEVICES=1 both"),
        ({ORDINAL: "1", ROCR: "0"}, r"^ROCR_VISIBLE_DEVICES=0 and GPU_DEVICE_ORDINAL=1 both"),
        ({CUDA: "0", ORDINAL: "1"}, r"^CUDA_VISIBLE_DEVICES=0 and GPU_DEVICE_ORDINAL=1 name"),
        ({HIP: "0", CUDA: "1"}, r"^HIP_VISIBLE_DEVICES=0 and CUDA_VISIBLE_DEVICES=1 name"),
    ],
)
def test_two_filters_are_an_error_that_names_both(
    environment: dict[str, str], message: str
) -> None:
    with pytest.raises(VisibleDevicesError, match=message):
        visible_devices(ROCM.filters, environment)


@pytest.mark.parametrize("value", ["0", "0,1", "0, 1,2", "0,1,2,3,4,5,6,7"])
def test_all_devices_that_the_first_leaves_are_no_second_filter(value: str) -> None:
    """Slurm sets three variables alike; where it confines jobs to their devices, from 0 on."""
    environment = {ROCR: value, CUDA: value, ORDINAL: value, "SLURM_JOB_ID": "7"}
    assert visible_devices(ROCM.filters, environment) == Filter(ROCR, value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2,3", "2,3"),  # nothing would be left
        ("1,0", "1,0"),  # they would be turned round twice
        ("2,3", "0,1"),  # the machine's 0 and 1, or these?
        ("0,1", "0"),
        ("0", "0,1"),
        ("0,0", "0,0"),
        ("GPU-8f0c", "GPU-8f0c"),
    ],
)
def test_numbers_that_mean_others_once_the_first_has_filtered_are_an_error(
    first: str, second: str
) -> None:
    with pytest.raises(VisibleDevicesError, match=r"both filter the devices: the second counts"):
        visible_devices(ROCM.filters, {ROCR: first, HIP: second})


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({ROCR: "2,3", CUDA: "-1"}, Filter(CUDA, "-1")),
        ({ROCR: "2,3", HIP: "", CUDA: "-1"}, Filter(CUDA, "-1")),
        ({ROCR: "", HIP: "1"}, Filter(ROCR, "")),
        ({ROCR: "", HIP: "-1"}, Filter(ROCR, "")),
    ],
)
def test_hiding_all_is_no_second_filter(environment: dict[str, str], expected: Filter) -> None:
    assert visible_devices(ROCM.filters, environment) == expected


def test_what_to_unset_is_all_that_filters_again() -> None:
    environment = {ROCR: "2,3", CUDA: "2,3", ORDINAL: "2,3"}
    said = (
        "ROCR_VISIBLE_DEVICES=2,3 and CUDA_VISIBLE_DEVICES=2,3 both filter the devices: the second"
        " counts what the first leaves, from 0; unset CUDA_VISIBLE_DEVICES and GPU_DEVICE_ORDINAL,"
        " and choose by ROCR_VISIBLE_DEVICES alone"
    )
    with pytest.raises(VisibleDevicesError, match=f"^{said}$"):
        visible_devices(ROCM.filters, environment)
    in_a_job = (
        f"{said}: Slurm sets them for each step, so start it by"
        " `srun env -u CUDA_VISIBLE_DEVICES -u GPU_DEVICE_ORDINAL PROGRAM`"
    )
    with pytest.raises(VisibleDevicesError, match=f"^{in_a_job}$"):
        visible_devices(ROCM.filters, {**environment, "SLURM_JOB_ID": "7"})


def test_only_what_filters_again_is_to_be_unset() -> None:
    """A launcher's variable for each rank, in a job that has devices from 0 on."""
    environment = {ROCR: "0,1", CUDA: "0,1", HIP: "1"}
    with pytest.raises(VisibleDevicesError, match=r"; unset HIP_VISIBLE_DEVICES, and choose"):
        visible_devices(ROCM.filters, environment)
