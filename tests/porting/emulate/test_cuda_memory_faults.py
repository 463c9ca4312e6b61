"""CUDA's memory that is freed by the wrong side or under a copy, or may only be read."""

from pathlib import Path

import pytest

from porting.emulate.launch import buffers_of
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import RELEASE, build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__global__ void frees(void* p) { free(p); }
__global__ void gives(void** out) { *out = malloc(16); }
__global__ void reads(const int* from, int* to) { *to += *from; }
__global__ void writes(int* to) { *to = 1; }
__global__ void adds(int* to) { atomicAdd(to, 1); }
constexpr std::size_t kSize = 32 << 20;

void copy_from_pinned(int device, bool is_drivers) {
  T(cudaSetDevice(device));
  char *pinned, *memory, back = 0;
  T(cudaMallocHost(&pinned, kSize));
  T(cudaMalloc(&memory, kSize));
  std::memset(pinned, 7, kSize);
  T(cudaMemcpyAsync(memory, pinned, kSize, cudaMemcpyHostToDevice, nullptr));
  T(cudaSetDevice(0));
  if (is_drivers) D(cuMemFreeHost(pinned));
  if (!is_drivers) T(cudaFreeHost(pinned));
  T(cudaMemcpy(&back, memory + kSize - 1, 1, cudaMemcpyDeviceToHost));
  V(back);
}
CASE(freed_by_the_runtime) { copy_from_pinned(0, false); }
CASE(freed_by_the_driver) { copy_from_pinned(0, true); }
CASE(freed_from_another_device) { copy_from_pinned(1, false); }
CASE(freed_while_captured) {
  cudaStream_t stream;
  cudaGraph_t graph;
  void* pinned;
  T(cudaMallocHost(&pinned, 64));
  T(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  T(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  T(cudaFreeHost(pinned));
  T(cudaStreamEndCapture(stream, &graph));
}

CASE(device_frees_the_hosts) {
  void* p;
  T(cudaMalloc(&p, 64));
  frees<<<1, 1>>>(p);
  T(cudaDeviceSynchronize());
}
CASE(device_frees_a_pools) {
  void* p;
  T(cudaMallocAsync(&p, 64, nullptr));
  frees<<<1, 1>>>(p);
  T(cudaDeviceSynchronize());
}
CASE(host_frees_the_devices) {
  void** out;
  void* p;
  T(cudaMallocManaged(&out, sizeof *out));
  gives<<<1, 1>>>(out);
  T(cudaDeviceSynchronize());
  p = *out;
  T(cudaFree(p));
  T(cudaFreeAsync(p, nullptr));
  frees<<<1, 1>>>(p);
  T(cudaDeviceSynchronize());
}
CASE(device_frees_nobodys) {
  void* p;
  T(cudaMalloc(&p, 64));
  T(cudaFree(p));
  frees<<<1, 1>>>(p);
  T(cudaDeviceSynchronize());
}

CUdeviceptr shut(unsigned char value,
                 CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READ) {
  cudaFree(nullptr);
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  constexpr std::size_t kUnit = 2 << 20;
  CUdeviceptr base;
  cuMemAddressReserve(&base, 2 * kUnit, 0, 0, 0);
  for (std::size_t at = 0; at < 2 * kUnit; at += kUnit) {
    CUmemGenericAllocationHandle handle;
    cuMemCreate(&handle, kUnit, &kind, 0);
    cuMemMap(base + at, kUnit, 0, handle, 0);
  }
  CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  cuMemSetAccess(base, 2 * kUnit, &access, 1);
  D(cuMemsetD8(base, value, 2 * kUnit));
  T(cudaDeviceSynchronize());
  access.flags = flags;
  D(cuMemSetAccess(base, 2 * kUnit, &access, 1));
  return base;
}
CASE(only_read) {
  const CUdeviceptr base = shut(1);
  int *sum, back = 0;
  T(cudaMalloc(&sum, 4));
  T(cudaMemset(sum, 0, 4));
  reads<<<1, 1>>>(reinterpret_cast<int*>(base), sum);
  T(cudaMemcpy(&back, sum, 4, cudaMemcpyDeviceToHost));
  V(back);
  std::vector<char> all(4 << 20);
  D(cuMemcpyDtoH(all.data(), base, all.size()));
  V(all.back());
}
CASE(only_read_and_filled) {
  D(cuMemsetD8(shut(1), 2, 16));
  T(cudaDeviceSynchronize());
}
CASE(only_read_and_copied_to) {
  int value = 0;
  const CUdeviceptr base = shut(1);
  D(cuMemcpyHtoD(base, &value, 4));
  T(cudaDeviceSynchronize());
}
CASE(only_read_and_written) {
  writes<<<1, 1>>>(reinterpret_cast<int*>(shut(1)));
  T(cudaDeviceSynchronize());
}
CASE(closed_and_written) {
  const CUdeviceptr base = shut(1, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  writes<<<1, 1>>>(reinterpret_cast<int*>(base));
  T(cudaDeviceSynchronize());
}
CASE(only_read_and_added_to) {
  adds<<<1, 1>>>(reinterpret_cast<int*>(shut(1)));
  T(cudaDeviceSynchronize());
}

CASE(large) {
  cudaPitchedPtr p{};
  T(cudaMalloc3D(&p, make_cudaExtent(256, 1ull << 33, 1ull << 31)));
  T(cudaMalloc3D(&p, make_cudaExtent(256, 2, 3)));
  V(p.pitch);
}
CASE(graphs) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int* p;
  T(cudaStreamCreate(&stream));
  T(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaMallocAsync(&p, 4, stream);
  writes<<<1, 1, 0, stream>>>(p);
  cudaFreeAsync(p, stream);
  T(cudaStreamEndCapture(stream, &graph));
  T(cudaGraphInstantiate(&exec, graph, 0));
  T(cudaGraphLaunch(exec, stream));
  T(cudaGraphLaunch(exec, stream));
  T(cudaStreamSynchronize(stream));
  T(cudaGraphExecDestroy(exec));
  T(cudaGraphDestroy(graph));
}
"""
OK = "cudaSuccess"


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("memory_faults"), CASES)


@pytest.mark.parametrize(
    ("case", "freed"),
    [
        ("freed_by_the_runtime", OK),
        ("freed_by_the_driver", "CUDA_SUCCESS"),
        ("freed_from_another_device", OK),
    ],
)
def test_pinned_memory_when_a_copy_still_uses_it(program: Program, case: str, freed: str) -> None:
    late = program.on({"ECLOSION_EMULATOR_DELAY_US": "100000"}, release=RELEASE, devices=2)
    ran = late.run(case, succeeds=False)
    assert ran.findings == []
    assert ran.lines == [*[OK] * 5, freed, OK, "7"]


def test_a_capture_when_pinned_memory_is_freed(program: Program) -> None:
    assert program.run("freed_while_captured").lines == [OK] * 5


@pytest.mark.parametrize("case", ["device_frees_the_hosts", "device_frees_a_pools"])
def test_memory_of_the_host_when_device_code_frees_it(program: Program, case: str) -> None:
    """CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"."""
    ran = program.run(case)
    assert ran.lines == [OK, "cudaErrorLaunchFailure"]
    [finding] = ran.findings
    assert finding["code"] == "EMU012"
    assert finding["text"] == "free of what the host allocated"
    assert [place["label"] for place in finding["also"]] == ["it was allocated here"]


def test_memory_of_device_code_when_the_host_frees_it(program: Program) -> None:
    """The same chapter: only device code frees what its malloc gave."""
    ran = program.run("host_frees_the_devices")
    assert ran.lines == [OK, OK, *["cudaErrorInvalidValue"] * 2, OK]
    assert ran.findings == []


def test_memory_when_device_code_frees_it_again(program: Program) -> None:
    ran = program.run("device_frees_nobodys")
    assert ran.lines == [OK, OK, "cudaErrorLaunchFailure"]
    assert [(one["code"], one["text"]) for one in ran.findings] == [
        ("EMU012", "free of what malloc did not give")
    ]


ILLEGAL = "cudaErrorIllegalAddress"
SHUT = ["CUDA_SUCCESS", OK, "CUDA_SUCCESS"]


def test_memory_when_it_is_mapped_for_reading(program: Program) -> None:
    ran = program.run("only_read")
    assert ran.lines == [*SHUT, *[OK] * 3, str(0x01010101), "CUDA_SUCCESS", "1"]


@pytest.mark.parametrize(
    ("case", "statuses", "text"),
    [
        ("only_read_and_filled", ["CUDA_SUCCESS", ILLEGAL], "fill of 16 bytes"),
        ("only_read_and_copied_to", ["CUDA_SUCCESS", ILLEGAL], "copy from the host of 4 bytes"),
        ("only_read_and_written", [ILLEGAL], "write of 4 bytes"),
        ("only_read_and_added_to", [ILLEGAL], "atomic access of 4 bytes"),
    ],
)
def test_memory_when_it_is_mapped_for_reading_and_written(
    program: Program, case: str, statuses: list[str], text: str
) -> None:
    """cuda.h, CU_MEM_ACCESS_FLAGS_PROT_READ: "Make the address range read accessible"."""
    ran = program.run(case, succeeds=False)
    assert (ran.status, ran.lines) == (0, [*SHUT, *statuses])
    [finding] = ran.findings
    assert finding["code"] == "EMU001"
    assert finding["text"].startswith(text)
    assert finding["text"].endswith("in memory that is mapped for reading only")


def test_memory_when_it_is_mapped_and_closed(program: Program) -> None:
    ran = program.run("closed_and_written")
    assert ran.lines == [*SHUT, ILLEGAL]
    [finding] = ran.findings
    assert finding["text"].endswith("in mapped memory to which no access was given")


def test_boxes_when_their_rows_are_more_than_there_can_be(program: Program) -> None:
    assert program.run("large").lines == ["cudaErrorMemoryAllocation", OK, "512"]


def test_memory_of_graphs_when_traced(program: Program, tmp_path: Path) -> None:
    """Each launch frees it, and it is traced with what it held then."""
    trace = tmp_path / "trace.json"
    machine = program.on({"ECLOSION_EMULATOR_TRACE": str(trace)}, release=RELEASE)
    assert machine.run("graphs").lines == [OK] * 9
    buffers = buffers_of(trace)
    assert [buffer["size"] for buffer in buffers] == [4, 4]
    assert buffers[0]["digests"] == buffers[1]["digests"]
