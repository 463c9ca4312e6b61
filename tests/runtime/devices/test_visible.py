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
