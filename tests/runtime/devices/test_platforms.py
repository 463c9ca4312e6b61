"""Why a platform has no device: each reason is told by the exception and by the report alike."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porting.toolkits.platforms import CHOICES, SELECTOR, UNKNOWN_CHOICE
from runtime.devices import (
    Availability,
    DeviceUnavailableError,
    VisibleDevicesError,
    _only,
    available,
    device,
)
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.platforms import examine, load, open_device
from runtime.devices.rocm import ROCM

Make = Callable[..., GpuPlatform]

_MODULE = """
class GpuError(RuntimeError):
    def __init__(self, call, code, name, text):
        super().__init__(f"{call} returned {code} ({name}): {text}")
        self.call, self.code, self.name, self.text = call, code, name, text

def runtime_version():
    if VERSION < 0:
        raise GpuError("gpuRuntimeGetVersion", CODE, "gpuErrorSomething", "it is not here")
    return VERSION

def device_count():
    if CODE:
        raise GpuError("gpuGetDeviceCount", CODE, "gpuErrorSomething", "it is not here")
    return COUNT
"""


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Return a function that makes a platform whose module answers as told."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names: list[str] = []

    def platform(version: int = 70_100_000, code: int = 0, count: int = 2) -> GpuPlatform:
        name = f"gpu_module_{len(names)}_{tmp_path.name}"
        settings = f"VERSION, CODE, COUNT = {version}, {code}, {count}\n"
        (tmp_path / f"{name}.py").write_text(settings + _MODULE, encoding="utf-8")
        names.append(name)
        return replace(ROCM, module=name)

    yield platform
    for name in names:
        sys.modules.pop(name, None)


def _reason(platform: GpuPlatform, **environment: str) -> str:
    """Return the reason, which the exception and the examination have to give alike."""
    with pytest.raises(DeviceUnavailableError) as caught:
        load(platform, environment)
    found = examine(platform, environment)
    assert (found.platform, found.devices, found.reason) == ("rocm", 0, str(caught.value))
    return found.reason


def test_a_platform_with_devices_is_loaded(make: Make) -> None:
    platform = make()
    assert examine(platform, {}).devices == 2
    found = open_device(platform, 1, {})
    assert (found.platform, found.index) == ("rocm", 1)


def test_a_module_that_was_not_built_says_how_to_build_it() -> None:
    platform = replace(ROCM, module="runtime._gpu_absent")
    assert _reason(platform) == (
        "runtime._gpu_absent is not in this installation; build it with"
        " pip install . -C cmake.define.ECLOSION_GPU=rocm"
    )


def test_a_module_without_its_library_says_so(tmp_path: Path, make: Make) -> None:
    platform = make()
    text = 'raise ImportError("libamdhip64.so.7: cannot open shared object file")\n'
    (tmp_path / f"{platform.module}.py").write_text(text, encoding="utf-8")
    assert _reason(platform) == (
        f"{platform.module} cannot be loaded: libamdhip64.so.7: cannot open shared object file;"
        " install ROCm, or put the folder of libamdhip64.so.7 on LD_LIBRARY_PATH"
    )


def test_a_home_that_does_not_help_is_named(tmp_path: Path, make: Make) -> None:
    platform = make()
    text = 'raise ImportError("libamdhip64.so.7: cannot open shared object file")\n'
    (tmp_path / f"{platform.module}.py").write_text(text, encoding="utf-8")
    home = tmp_path / "rocm"
    said = _reason(platform, ROCM_PATH=str(home))
    assert f"; ROCM_PATH={home} is unusable, it has no lib/libamdhip64.so.7;" in said
    (home / "lib").mkdir(parents=True)
    (home / "lib/libamdhip64.so.7").touch()
    said = _reason(platform, ROCM_PATH=str(home))
    assert f"; it is in {home}/lib, which the loader does not search;" in said


def test_a_library_without_driver_says_so(make: Make) -> None:
    assert _reason(make(code=35)) == (
        "ROCm is here without a driver: gpuGetDeviceCount returned 35 (gpuErrorSomething):"
        " it is not here; install the driver"
    )


def test_a_runtime_that_does_not_know_its_version_is_a_reason(make: Make) -> None:
    assert _reason(make(version=-1, code=35)).startswith(
        "ROCm is here without a driver: gpuRuntimeGetVersion returned 35"
    )


def test_a_driver_without_device_says_so(make: Make) -> None:
    assert _reason(make(code=100)) == (
        "ROCm has no usable device: gpuGetDeviceCount returned 100 (gpuErrorSomething):"
        " it is not here"
    )
    assert _reason(make(count=0)) == "the driver has no ROCm device"


def test_devices_that_a_variable_hides_are_named_with_it(make: Make) -> None:
    said = _reason(make(count=0), HIP_VISIBLE_DEVICES="-1")
    assert said == "the driver has no ROCm device; HIP_VISIBLE_DEVICES=-1 hides them"


def test_a_variable_that_hides_what_another_leaves_is_named(make: Make) -> None:
    said = _reason(make(count=0), ROCR_VISIBLE_DEVICES="2,3", CUDA_VISIBLE_DEVICES="-1")
    assert said == "the driver has no ROCm device; CUDA_VISIBLE_DEVICES=-1 hides them"


def test_a_variable_that_may_hide_devices_is_named_with_the_runtimes_error(make: Make) -> None:
    """Both runtimes say by an error that none is visible."""
    said = _reason(make(code=100), HIP_VISIBLE_DEVICES="")
    assert said.endswith(": it is not here; HIP_VISIBLE_DEVICES= may hide them")
    assert "hide" not in _reason(make(code=35), HIP_VISIBLE_DEVICES="")


def test_a_release_that_is_too_old_says_what_is_needed(make: Make) -> None:
    assert _reason(make(version=60_443_483)) == (
        "ROCm 6.4 was loaded, 7.0 or newer is needed; put the folder of a newer libamdhip64.so.7"
        " on LD_LIBRARY_PATH"
    )


def test_two_filters_are_a_reason(make: Make) -> None:
    said = _reason(make(), ROCR_VISIBLE_DEVICES="1", HIP_VISIBLE_DEVICES="0")
    assert said.startswith("ROCR_VISIBLE_DEVICES=1 and HIP_VISIBLE_DEVICES=0 both filter")


@pytest.mark.parametrize("index", [2, 99])
def test_a_device_that_is_not_there_is_an_error(make: Make, index: int) -> None:
    with pytest.raises(DeviceUnavailableError, match=rf"no device rocm:{index}; 2 are visible"):
        open_device(make(), index, {})


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cpu:1", "rocm:-1", ":0"])
def test_a_name_of_no_device_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match=r"names no device; write one of cuda, rocm, cpu"):
        device(name, {})


def test_none_and_cpu_are_the_processor() -> None:
    assert device("cpu").platform == "cpu"
    assert device("", {"GPU_PLATFORM": "none"}).platform == "cpu"


def test_an_unknown_choice_is_an_error() -> None:
    """In the words of the toolchain, whose rule it is."""
    said = UNKNOWN_CHOICE.format(selector=SELECTOR, value="amd", choices=", ".join(CHOICES))
    with pytest.raises(DeviceUnavailableError, match=f"^{re.escape(said)}$"):
        device("", {"GPU_PLATFORM": "amd"})


@pytest.mark.parametrize(
    ("cuda", "rocm", "chosen"), [(0, 0, "cpu"), (2, 0, "cuda"), (0, 1, "rocm")]
)
def test_the_platform_that_has_devices_is_used(cuda: int, rocm: int, chosen: str) -> None:
    assert _only(_rows(cuda, rocm)) == chosen


def test_two_platforms_with_devices_need_a_choice() -> None:
    message = (
        r"^cuda and rocm both have devices and nothing says which to use;"
        r" set GPU_PLATFORM=cuda or GPU_PLATFORM=rocm$"
    )
    with pytest.raises(DeviceUnavailableError, match=message):
        _only(_rows(1, 1))


def test_variables_that_contradict_each_other_are_no_reason_for_the_processor(make: Make) -> None:
    both = {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}
    contradicted, cpu = examine(make(), both), Availability("cpu", 1)
    with pytest.raises(VisibleDevicesError, match=f"^{re.escape(contradicted.reason)}$"):
        _only([Availability("cuda", 0, "no driver"), contradicted, cpu])
    assert _only([Availability("cuda", 1), contradicted, cpu]) == "cuda"


def test_variables_are_of_no_interest_where_the_platform_cannot_be_loaded() -> None:
    both = {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}
    absent = examine(replace(ROCM, module="runtime._gpu_absent"), both)
    assert "is not in this installation" in absent.reason
    assert _only([absent, Availability("cpu", 1)]) == "cpu"


def _rows(cuda: int, rocm: int) -> list[Availability]:
    return [Availability("cuda", cuda), Availability("rocm", rocm), Availability("cpu", 1)]


def test_a_platform_that_was_chosen_and_is_not_there_is_no_other_one() -> None:
    hidden = {"GPU_PLATFORM": "rocm", "ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}
    with pytest.raises(DeviceUnavailableError):
        device("", hidden)


def test_the_processor_is_always_there() -> None:
    rows = available({})
    assert (rows[-1].platform, rows[-1].devices) == ("cpu", 1)
    assert [row.platform for row in rows] == ["cuda", "rocm", "cpu"]
    assert all(row.devices or row.reason for row in rows)
