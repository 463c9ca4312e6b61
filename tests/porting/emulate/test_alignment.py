"""Accesses at addresses that are no multiple of what their types ask for, on both platforms."""

import numpy as np
import pytest

from porting.emulate.alignment import CHECK, with_checks
from tests.porting.emulate.device_code import Device, Launch, Ran, device_on

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(900)

SOURCE = r"""
#include <cstring>
template <typename T> __device__ T* at(unsigned char* bytes, int by) {
  return reinterpret_cast<T*>(bytes + by);
}
extern "C" __global__ void word(unsigned char* bytes, int by) {
  *at<unsigned>(bytes, by) = 1;  // told: word
}
extern "C" __global__ void vector(unsigned char* bytes, int by) {
  at<uint4>(bytes, by)[1] = at<uint4>(bytes, by)[0];  // told: vector
}
extern "C" __global__ void parts(unsigned char* bytes, int by) {
  const float2 pair = *at<float2>(bytes, by);  // told: parts
  *at<float>(bytes, 0) = pair.x + pair.y;
}
extern "C" __global__ void row(unsigned char* bytes, int by) {
  __shared__ unsigned words[16];
  auto* inside = reinterpret_cast<unsigned char*>(words);
  *at<unsigned>(inside, by) = bytes[0];  // told: row
  bytes[0] = inside[by + bytes[1]];
}
extern "C" __global__ void atomic(unsigned char* bytes, int by) {
  atomicAdd(at<unsigned>(bytes, by), 1u);  // told: atomic
}
extern "C" __global__ void behind(unsigned char* bytes, int by) {
  *at<unsigned>(bytes, by) = 1;
}
struct __attribute__((packed)) Packed {
  char first;
  unsigned second;
  double third;
};
extern "C" __global__ void packed(unsigned char* bytes, int by) {
  at<Packed>(bytes, by)->second = 7;
  at<Packed>(bytes, by)->third = 0.5 + at<Packed>(bytes, by)->second;
}
extern "C" __global__ void copied(unsigned char* bytes, int by) {
  uint4 four;
  memcpy(&four, bytes + by, sizeof four);
  four.x += 1;
  memcpy(bytes + by, &four, sizeof four);
  memcpy(bytes + 32 + by, bytes + by, 24);
}
"""
CARRIED_OUT_BY_ROCM = ("word", "vector", "parts", "row")
MISALIGNED = [("word", 2), ("vector", 8), ("parts", 4), ("row", 1), ("atomic", 2)]
ALIGNED = [("word", 4), ("vector", 16), ("parts", 8), ("row", 4), ("atomic", 4)]
ALIGNED += [("packed", 3), ("copied", 1)]
STATUSES = {"cuda": 716, "rocm": 700}  # cudaErrorMisalignedAddress, hipErrorIllegalAddress


@pytest.fixture(scope="module", params=["cuda", "rocm"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    wave = 32 if request.param == "cuda" else 64
    return device_on(request, request.param, wave, tmp_path_factory.mktemp("alignment"))


def run(device: Device, kernel: str, by: int) -> Ran:
    include = "#include <hip/hip_runtime.h>" if device.headers.platform == "rocm" else ""
    arguments = (np.arange(64, dtype=np.uint8), np.int32(by))
    return device.run(include + SOURCE, [Launch(kernel, arguments, block=(1, 1, 1))])


def line_of(fault: str) -> int:
    lines = SOURCE.splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.endswith(f"// told: {fault}"))


@pytest.mark.parametrize(("kernel", "by"), MISALIGNED)
def test_an_access_when_it_is_misaligned(device: Device, kernel: str, by: int) -> None:
    ran = run(device, kernel, by)
    assert {found["code"] for found in ran.findings} == {"EMU014"}, ran.errors
    assert {found["at"]["line"] for found in ran.findings} == {line_of(kernel)}
    found = ran.findings[0]
    assert found["kernel"] == kernel
    assert found["at"]["label"] == "thread (0, 0, 0) of block (0, 0, 0)"
    assert ", which is no multiple of " in found["text"]
    if device.headers.platform == "rocm" and kernel in CARRIED_OUT_BY_ROCM:
        assert ran.status == 0
    else:
        assert f"DeviceSynchronize gave {STATUSES[device.headers.platform]}" in ran.errors


@pytest.mark.parametrize(("kernel", "by"), ALIGNED)
def test_an_access_when_its_type_allows_the_address(device: Device, kernel: str, by: int) -> None:
    ran = run(device, kernel, by)
    assert (ran.status, ran.findings) == (0, []), ran.errors


def test_what_is_misaligned_when_it_is_carried_out(device: Device) -> None:
    ran = run(device, "vector", 8)
    if device.headers.platform == "rocm":
        assert ran.arguments[0][0][24:40].tolist() == list(range(8, 24))
    else:
        assert ran.arguments == []


def test_an_access_when_it_is_misaligned_behind_an_allocation(device: Device) -> None:
    ran = run(device, "behind", 66)
    assert [found["code"] for found in ran.findings] == ["EMU001"]


def test_checks_when_a_type_asks_for_more_than_an_access() -> None:
    text = (
        "define void @f(ptr %p, ptr %q) {\n"
        "  %a = load i32, ptr %p, align 16, !dbg !7\n"
        "  %b = load volatile <2 x i64>, ptr %p, align 16\n"
        "  store float 1.0, ptr %q, align 4\n"
        "  store { i32, i32 } { i32 1, i32 2 }, ptr %q, align 8\n"
        "  tail call void @llvm.memcpy.p0.p0.i64(ptr noundef align 8 dereferenceable(24) %q, "
        "ptr align 1 %p, i64 24, i1 false), !dbg !8\n"
        "  %c = load atomic i32, ptr %p seq_cst, align 16\n"
        "  ret void\n"
        "}\n"
    )
    call = f"  call void @{CHECK}"
    checked = with_checks(text).splitlines()
    assert [line for line in checked if line.startswith(call)] == [
        f"{call}(ptr %p, i64 16, i64 4, i64 0), !dbg !7",
        f"{call}(ptr %p, i64 16, i64 16, i64 0)",
        f"{call}(ptr %q, i64 8, i64 8, i64 1)",
        f"{call}(ptr %q, i64 8, i64 24, i64 1), !dbg !8",
    ]
    assert "  %a = load i32, ptr %p, align 16, !dbg !7" in checked
    assert "  %b = load volatile <2 x i64>, ptr %p, align 1" in checked
