"""HIP's other copies on the emulator: symbols, drivers' structs, batches, threads' own streams."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__device__ int numbers[4];
__constant__ float fixed;
CASE(symbols) {
  int host[4] = {1, 2, 3, 4}, back[2] = {};
  size_t size = 0;
  void* at = nullptr;
  T(hipMemcpyToSymbol(HIP_SYMBOL(numbers), host, 8, 8));
  T(hipMemcpyFromSymbol(back, HIP_SYMBOL(numbers), 8, 8));
  V(back[1]);
  T(hipMemcpyToSymbol(HIP_SYMBOL(numbers), host, 8, 12));
  T(hipGetSymbolSize(&size, HIP_SYMBOL(numbers)));
  V(size);
  T(hipGetSymbolAddress(&at, HIP_SYMBOL(numbers)));
  T(hipMemcpy(back, static_cast<int*>(at) + 2, 4, hipMemcpyDeviceToHost));
  V(back[0]);
  T(hipGetSymbolSize(&size, static_cast<const void*>(host)));
  float f = 2.5f, g = 0;
  T(hipMemcpyToSymbolAsync(HIP_SYMBOL(fixed), &f, 4, 0, hipMemcpyHostToDevice, hipStreamPerThread));
  T(hipMemcpyFromSymbol(&g, HIP_SYMBOL(fixed), 4));
  V(g * 2);
}
CASE(drivers) {
  unsigned char host[12], back[12] = {};
  for (int i = 0; i < 12; ++i) host[i] = static_cast<unsigned char>(i);
  void* d = nullptr;
  T(hipMalloc(&d, 12));
  T(hipMemcpyHtoD(d, host, 12));
  hip_Memcpy2D plane{};
  plane.srcMemoryType = hipMemoryTypeDevice;
  plane.srcDevice = d;
  plane.srcPitch = 4;
  plane.srcXInBytes = 1;
  plane.srcY = 1;
  plane.dstMemoryType = hipMemoryTypeHost;
  plane.dstHost = back;
  plane.dstPitch = 3;
  plane.WidthInBytes = 3;
  plane.Height = 2;
  T(hipMemcpyParam2D(&plane));
  V(back[0]);
  V(back[5]);
  plane.srcMemoryType = hipMemoryTypeArray;
  T(hipMemcpyParam2D(&plane));
  HIP_MEMCPY3D box{};
  box.srcMemoryType = box.dstMemoryType = hipMemoryTypeDevice;
  box.srcDevice = d;
  box.dstDevice = static_cast<char*>(d) + 6;
  box.WidthInBytes = 2;
  box.Height = 3;
  box.Depth = 1;
  T(hipDrvMemcpy3D(&box));
  T(hipMemcpyDtoH(back, d, 12));
  V(back[6] == 0 && back[11] == 5);
  T(hipDrvMemcpy3D(nullptr));
}
CASE(batches) {
  int host[3] = {7, 8, 9}, back[3] = {};
  int* d = nullptr;
  size_t wrong = 77;
  T(hipMalloc(&d, 12));
  void* to[] = {d, d + 1, d + 2};
  void* from[] = {host, host + 1, host + 2};
  size_t sizes[] = {4, 4, 4};
  T(hipMemcpyBatchAsync(to, from, sizes, 3, nullptr, nullptr, 0, &wrong, nullptr));
  T(hipMemcpy(back, d, 12, hipMemcpyDefault));
  V(back[2]);
  sizes[1] = 4000;
  T(hipMemcpyBatchAsync(to, from, sizes, 3, nullptr, nullptr, 0, &wrong, nullptr));
  V(wrong);
}
CASE(peers) {
  unsigned char* d = nullptr;
  unsigned char host[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[4] = {};
  T(hipMalloc(&d, 8));
  T(hipMemcpy(d, host, 8, hipMemcpyDefault));
  hipMemcpy3DPeerParms p{};
  p.srcPtr = make_hipPitchedPtr(d, 4, 4, 2);
  p.srcPos = {2, 0, 0};
  p.dstPtr = make_hipPitchedPtr(back, 2, 2, 2);
  p.extent = {2, 2, 1};
  T(hipMemcpy3DPeer(&p));
  V(back[0] * 1000 + back[3]);
  p.srcDevice = 3;
  T(hipMemcpy3DPeer(&p));
}
CASE(per_thread) {
  hipStream_t held;
  std::atomic<bool> go{false};
  hipHostFn_t wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) usleep(100);
  };
  T(hipStreamCreate(&held));
  T(hipLaunchHostFunc(held, wait, &go));
  void* d = nullptr;
  T(hipMalloc(&d, 64));
  unsigned char back = 0;
  T(hipMemset_spt(d, 5, 64));
  T(hipMemcpyAsync_spt(&back, d, 1, hipMemcpyDeviceToHost, nullptr));
  V(back);
  T(hipStreamQuery_spt(nullptr));
  T(hipStreamQuery(nullptr));
  go = true;
  T(hipStreamSynchronize(nullptr));
}
CASE(values) {
  hipStream_t s;
  uint64_t* at = nullptr;
  T(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  T(hipHostMalloc(reinterpret_cast<void**>(&at), 64));
  const struct { uint64_t before, after, value, mask; unsigned how; } rows[] = {
      {4, 5, 5, ~uint64_t{0}, hipStreamWaitValueGte},
      {6, 5, 5, ~uint64_t{0}, hipStreamWaitValueEq},
      {4, 3, 1, ~uint64_t{0}, hipStreamWaitValueAnd},
      {~uint64_t{0}, 1, 2, ~uint64_t{0}, hipStreamWaitValueNor},
  };
  for (const auto& row : rows) {
    *at = row.before;
    (void)hipStreamWaitValue64(s, at, row.value, row.how, row.mask);
    T(hipStreamQuery(s));
    (void)hipStreamWriteValue64(hipStreamPerThread, at, row.after, 0);
    T(hipStreamSynchronize(s));
    T(hipStreamSynchronize(hipStreamPerThread));
  }
}
CASE(batched_values) {
  hipStream_t s;
  uint32_t* at = nullptr;
  T(hipStreamCreate(&s));
  T(hipHostMalloc(reinterpret_cast<void**>(&at), 64));
  at[0] = 1;
  at[1] = 0;
  hipStreamBatchMemOpParams list[2] = {};
  list[0].waitValue.operation = hipStreamMemOpWaitValue32;
  list[0].waitValue.address = at;
  list[0].waitValue.value = 1;
  list[0].waitValue.flags = hipStreamWaitValueEq;
  list[1].writeValue.operation = hipStreamMemOpWriteValue32;
  list[1].writeValue.address = at + 1;
  list[1].writeValue.value = 6;
  T(hipStreamBatchMemOp(s, 2, list, 0));
  T(hipStreamSynchronize(s));
  V(at[1]);
  list[0].operation = hipStreamMemOpBarrier;
  T(hipStreamBatchMemOp(s, 1, list, 0));
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("copies"), CASES)


def test_symbols_when_parts_are_copied(program: Program) -> None:
    assert program.run("symbols").lines == [
        *(OK, OK, "2", INVALID, OK, "16", OK, OK, "1"),
        *("hipErrorInvalidSymbol", OK, OK, "5"),
    ]


def test_copies_when_asked_by_the_drivers_structs(program: Program) -> None:
    assert program.run("drivers").lines == [
        *(OK, OK, OK, "5", "11", "hipErrorNotSupported"),
        *(OK, OK, "1", INVALID),
    ]


def test_batch_when_one_copy_is_wrong(program: Program) -> None:
    """hip_runtime_api.h, hipMemcpyBatchAsync: failIdx is "failure index inside the batch"."""
    assert program.run("batches").lines == [OK, OK, OK, "9", INVALID, "1"]


def test_boxes_when_copied_between_peers(program: Program) -> None:
    assert program.run("peers").lines == [OK, OK, OK, "3008", "hipErrorInvalidDevice"]


def test_null_stream_when_it_is_the_threads_own(program: Program) -> None:
    """amd_hip_runtime_pt_api.h: what a program gets that is compiled for it."""
    assert program.run("per_thread").lines == [
        *(OK, OK, OK, OK, OK, "5", OK, "hipErrorNotReady", OK),
    ]


def test_values_when_streams_wait_for_them(program: Program) -> None:
    """hip_runtime_api.h, hipStreamWaitValue32: the four conditions."""
    assert program.run("values").lines == [OK, OK, *(["hipErrorNotReady", OK, OK] * 4)]


def test_values_when_in_a_batch(program: Program) -> None:
    """hip_runtime_api.h, hipStreamBatchMemOpType: barriers are "currently not supported"."""
    assert program.run("batched_values").lines == [OK, OK, OK, OK, "6", "hipErrorNotSupported"]
