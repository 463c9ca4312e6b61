"""The GPU modules as files, and at work where there is no GPU."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.devices.ranges import DLPACK_CUDA, DLPACK_ROCM

from .conftest import ROOT, GpuBuild

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("gpu")]

# Every function and class, with arguments that are right in kind; each needs a device.
_CALLS = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
m = importlib.import_module(sys.argv[2])
page = bytearray(4096)
calls = {
    "device_count": (), "current_device": (), "driver_version": (),
    **{name: (0,) for name in ("set_device", "device_properties", "memory_info",
       "synchronize_device", "pci_address", "numa_node", "has_context", "Stream", "Event", "Pool")},
    **{name: (0, 1) for name in ("can_access_peer", "enable_peer_access", "disable_peer_access",
       "allocate", "allocate_pinned", "device_address", "export_dmabuf", "export_ipc",
       "VirtualRange")},
    "register_host": (0, 1, 0, page),
    "open_ipc": (b"h" * 64, 8, 0),
}
said = {}
for name, arguments in calls.items():
    try:
        said[name] = ["returned", repr(getattr(m, name)(*arguments))]
    except Exception as error:
        fields = [getattr(error, field, None) for field in ("call", "code", "name", "text")]
        said[name] = [type(error).__name__, str(error), *fields]
names = sorted(n for n in dir(m) if n[0] != "_")
print(json.dumps({"said": said, "names": names, "dlpack": m.DLPACK_DEVICE}))
"""


def _said(gpu: GpuBuild, platform: str, libraries: Path | None = None) -> dict[str, Any]:
    module = gpu.module(platform)
    path = {} if libraries is None else {"LD_LIBRARY_PATH": str(libraries)}
    done = subprocess.run(
        [sys.executable, "-c", _CALLS, str(module.parent), f"_gpu_{platform}"],
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _dynamic(path: Path) -> dict[str, list[str]]:
    """Return the entries of an ELF file's dynamic section by tag, as readelf shows them."""
    done = subprocess.run(
        ["readelf", "--dynamic", "--wide", path], capture_output=True, text=True, check=True
    )
    entries: dict[str, list[str]] = {}
    for tag, value in re.findall(r"\((\w+)\).*\[(.*)\]", done.stdout):
        entries.setdefault(tag, []).append(value)
    return entries


def test_rocms_module_needs_hip_by_its_soname_and_finds_it_by_a_runpath(gpu: GpuBuild) -> None:
    entries = _dynamic(gpu.module("rocm"))
    assert "libamdhip64.so.7" in entries["NEEDED"]
    assert entries["RUNPATH"] == ["/opt/rocm/lib"]
    assert not any("cuda" in name for name in entries["NEEDED"])


def test_cudas_module_has_its_runtime_inside(gpu: GpuBuild) -> None:
    entries = _dynamic(gpu.module("cuda"))
    assert not any("cuda" in name for name in entries["NEEDED"])
    assert "RUNPATH" not in entries


@pytest.mark.parametrize(
    ("platform", "plan", "archs"),
    [
        ("cuda", "cuda-static", {"sm_80", "sm_90"}),
        ("rocm", "rocm", {"gfx90a", "gfx942", "gfx1100"}),
    ],
)
def test_device_code_is_there_for_each_architecture(
    gpu: GpuBuild, platform: str, plan: str, archs: set[str]
) -> None:
    command = [sys.executable, "-m", "porting", "link", "audit", str(gpu.module(platform))]
    command += ["--platform", platform, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert file["follows"] == plan
    assert {arch for group in file["device_code"] for arch in group["targets"]} >= archs


def test_every_call_says_on_rocm_that_there_is_no_device(gpu: GpuBuild) -> None:
    said = _said(gpu, "rocm", gpu.rocm_libraries)["said"]
    for name, (kind, message, call, code, *_) in said.items():
        assert kind == "GpuError", (name, message)
        assert code == 100, (name, message)
        assert call.startswith("hip"), (name, call)
        assert message.startswith(f"{call} returned 100 (hipErrorNoDevice): "), message


def test_every_call_says_on_cuda_that_there_is_no_driver(gpu: GpuBuild) -> None:
    if Path("/proc/driver/nvidia").exists():
        pytest.skip("this machine has NVIDIA's driver")
    said = _said(gpu, "cuda")["said"]
    by_driver = {"driver_version", "has_context"}
    for name, (kind, message, call, code, *_) in said.items():
        if name in by_driver:
            assert kind == "DriverLibraryError", (name, message)
            assert "libcuda.so.1: cannot open shared object file" in message
        else:
            assert (kind, code) == ("GpuError", 35), (name, message)
            assert message.startswith(f"{call} returned 35 (cudaErrorInsufficientDriver): ")


def test_both_modules_have_the_same_interface(gpu: GpuBuild) -> None:
    assert _said(gpu, "rocm", gpu.rocm_libraries)["names"] == _said(gpu, "cuda")["names"]


def test_each_module_numbers_its_devices_as_the_runtime_does(gpu: GpuBuild) -> None:
    assert _said(gpu, "rocm", gpu.rocm_libraries)["dlpack"] == DLPACK_ROCM
    assert _said(gpu, "cuda")["dlpack"] == DLPACK_CUDA


def test_rocms_module_without_its_library_says_which(gpu: GpuBuild) -> None:
    folder = str(gpu.module("rocm").parent)
    code = f"import sys; sys.path.insert(0, {folder!r}); import _gpu_rocm"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ImportError: libamdhip64.so.7: cannot open shared object file" in done.stderr


def _found_in_sources(pattern: str) -> list[str]:
    expression = re.compile(pattern, re.MULTILINE)
    sources = [p for p in (ROOT / "bindings/gpu").rglob("*") if p.suffix in (".cu", ".cpp", ".h")]
    assert len(sources) > 20
    return [p.name for p in sources if expression.search(p.read_text(encoding="utf-8"))]


def test_the_sources_have_no_condition_on_a_vendor() -> None:
    assert _found_in_sources(r"^\s*#\s*(?:if|elif|ifdef|ifndef)\b") == []


def test_the_sources_have_no_vendors_name_as_a_text() -> None:
    """It would name the other vendor's function there; the driver's symbols are a table."""
    assert _found_in_sources(r'"cu(?:da)?[A-Z]') == ["driver.h"]
