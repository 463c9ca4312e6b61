"""What waits for what, and where memory ends: one program, built for each vendor.

Each case lets the wrong order happen if the emulator allows it, and says what happened.
"""

import pytest

from tests.porting.emulate import cuda_programs, hip_programs
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__global__ void add(int* to, int by) { *to += by; }
__global__ void store(int* to, int at) { to[at] = at; }
template <bool kHasBarrier>
__global__ void turn(int* values) {
  __shared__ int all[128];
  all[threadIdx.x] = values[threadIdx.x];
  if (kHasBarrier) __syncthreads();
  values[threadIdx.x] = all[127 - threadIdx.x];
}
struct Gate {
  std::atomic<bool> open{false};
  static void wait(void* gate) { while (!static_cast<Gate*>(gate)->open) usleep(100); }
  void close(cudaStream_t s) { T(cudaLaunchHostFunc(s, wait, this)); }
};
// What a stream says when it has had time to end.
static cudaError_t in_time(cudaStream_t s, int hundreds) {
  cudaError_t now = cudaStreamQuery(s);
  for (int i = 0; now == cudaErrorNotReady && i < hundreds * 100; ++i) {
    usleep(1000);
    now = cudaStreamQuery(s);
  }
  return now;
}
static int* zero() {
  int* made = nullptr;
  T(cudaMalloc(&made, 400));
  T(cudaMemset(made, 0, 400));
  T(cudaDeviceSynchronize());
  return made;
}
CASE(default_stream) {
  int *a = zero(), *b = zero();
  cudaStream_t blocking, other;
  Gate gate;
  T(cudaStreamCreate(&blocking));
  T(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  gate.close(nullptr);
  add<<<1, 1, 0, blocking>>>(a, 1);
  add<<<1, 1, 0, other>>>(b, 1);
  T(in_time(other, 50));
  T(in_time(blocking, 1));
  gate.open = true;
  T(cudaStreamSynchronize(blocking));
}
CASE(chain) {
  Gate gate;
  int *d = zero(), back = -1;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphNode_t first, second, third;
  cudaHostNodeParams nothing{[](void*) {}, nullptr}, waits{Gate::wait, &gate};
  cudaMemsetParams fills{};
  fills.dst = d;
  fills.elementSize = fills.width = fills.height = 1;
  fills.value = 1;
  T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  T(cudaGraphCreate(&graph, 0));
  T(cudaGraphAddHostNode(&first, graph, nullptr, 0, &nothing));
  T(cudaGraphAddHostNode(&second, graph, &first, 1, &waits));
  T(cudaGraphAddMemsetNode(&third, graph, &second, 1, &fills));
  T(cudaGraphInstantiateWithFlags(&ready, graph, 0));
  T(cudaGraphLaunch(ready, s));
  T(in_time(s, 1));
  T(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost));
  V(back);
  gate.open = true;
  T(cudaStreamSynchronize(s));
  T(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost));
  V(back);
}
CASE(after_a_graph) {
  Gate gate;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaGraphNode_t node;
  cudaStream_t s;
  cudaHostNodeParams step{Gate::wait, &gate};
  T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  T(cudaGraphCreate(&graph, 0));
  T(cudaGraphAddHostNode(&node, graph, nullptr, 0, &step));
  T(cudaGraphInstantiateWithFlags(&ready, graph, 0));
  T(cudaGraphLaunch(ready, s));
  T(in_time(s, 1));
  gate.open = true;
  T(cudaStreamSynchronize(s));
}
CASE(captured_fill) {
  int *d = zero(), back = -1;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  T(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  T(cudaMemsetAsync(d, 1, 4, s));
  T(cudaStreamEndCapture(s, &graph));
  T(cudaDeviceSynchronize());
  T(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost));
  V(back);
  T(cudaGraphInstantiateWithFlags(&ready, graph, 0));
  T(cudaGraphLaunch(ready, s));
  T(cudaStreamSynchronize(s));
  T(cudaMemcpy(&back, d, 4, cudaMemcpyDeviceToHost));
  V(back);
}
CASE(freed_in_order) {
  int *h = nullptr, *d = nullptr;
  cudaStream_t s;
  Gate gate;
  T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  T(cudaMallocHost(reinterpret_cast<void**>(&h), 4));
  *h = -1;
  T(cudaMallocAsync(reinterpret_cast<void**>(&d), 4, s));
  T(cudaMemsetAsync(d, 1, 4, s));
  gate.close(s);
  T(cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s));
  T(cudaFreeAsync(d, s));
  gate.open = true;
  T(cudaStreamSynchronize(s));
  V(*h);
}
CASE(last_element) {
  store<<<1, 1>>>(zero(), 99);
  T(cudaDeviceSynchronize());
}
CASE(one_behind) {
  store<<<1, 1>>>(zero(), 100);
  T(cudaDeviceSynchronize());
}
static void turned(bool has_barrier) {
  int* d = nullptr;
  T(cudaMalloc(&d, 512));
  T(cudaMemset(d, 0, 512));
  if (has_barrier) turn<true><<<1, 128>>>(d); else turn<false><<<1, 128>>>(d);
  T(cudaDeviceSynchronize());
}
CASE(with_barrier) { turned(true); }
CASE(without_barrier) { turned(false); }
"""
# HIP's own functions of virtual memory; CUDA's have the driver's names.
UNMAPPED = r"""
CASE(unmapped) {
  hipMemAllocationProp p{};
  p.type = hipMemAllocationTypePinned;
  p.location = {hipMemLocationTypeDevice, 0};
  const hipMemAccessDesc both = {p.location, hipMemAccessFlagsProtReadWrite};
  size_t unit = 0;
  void* at = nullptr;
  hipMemGenericAllocationHandle_t one;
  char back = 0;
  T(hipMemGetAllocationGranularity(&unit, &p, hipMemAllocationGranularityMinimum));
  T(hipMemAddressReserve(&at, unit, 0, nullptr, 0));
  T(hipMemCreate(&one, unit, &p, 0));
  for (int i = 0; i < 2; ++i) {
    T(hipMemMap(at, unit, 0, one, 0));
    T(hipMemSetAccess(at, unit, &both, 1));
    T(hipMemcpy(&back, at, 1, hipMemcpyDeviceToHost));
    T(hipMemUnmap(at, unit));
    T(hipMemcpy(&back, at, 1, hipMemcpyDeviceToHost));
    hipPointerAttribute_t found{};
    (void)hipPointerGetAttributes(&found, at);
    V(found.type == hipMemoryTypeDevice);
  }
}
"""
CUDA, ROCM = "cuda", "hip"


@pytest.fixture(scope="module", params=[CUDA, ROCM])
def vendor(request: pytest.FixtureRequest) -> str:
    """Return the prefix of a vendor's names."""
    return str(request.param)


@pytest.fixture(scope="module")
def program(
    vendor: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Program:
    """Return the program for a vendor; only what is built is asked for."""
    folder = tmp_path_factory.mktemp(f"order-{vendor}")
    if vendor == CUDA:
        return cuda_programs.build(request.getfixturevalue("cuda_home"), folder, CASES)
    cases = CASES.replace("cudaMallocHost", "hipHostMalloc").replace("cuda", "hip") + UNMAPPED
    return hip_programs.build(request.getfixturevalue("sysroot"), folder, cases)


def _ok(vendor: str, count: int) -> list[str]:
    return [f"{vendor}Success"] * count


def test_default_stream_when_others_block_or_not(program: Program, vendor: str) -> None:
    """A blocking stream waits for the default one, a non-blocking stream does not."""
    assert program.run("default_stream").lines == [
        *_ok(vendor, 6 + 3 + 1),
        f"{vendor}ErrorNotReady",
        *_ok(vendor, 1),
    ]


def test_nodes_when_in_a_chain_run_one_after_the_other(program: Program, vendor: str) -> None:
    assert program.run("chain").lines == [
        *_ok(vendor, 3 + 7),
        f"{vendor}ErrorNotReady",
        *(*_ok(vendor, 1), "0"),
        *(*_ok(vendor, 2), "1"),
    ]


def test_stream_when_a_graph_runs_is_not_done(program: Program, vendor: str) -> None:
    assert program.run("after_a_graph").lines == [
        *_ok(vendor, 5),
        f"{vendor}ErrorNotReady",
        *_ok(vendor, 1),
    ]


def test_fill_when_captured_is_done_by_the_launch(program: Program, vendor: str) -> None:
    ran = program.run("captured_fill")

    assert ran.lines == [*_ok(vendor, 3 + 6), "0", *_ok(vendor, 4), str(0x01010101)]
    assert ran.findings == []


def test_memory_when_freed_in_order_is_there_for_the_work_before(
    program: Program, vendor: str
) -> None:
    ran = program.run("freed_in_order")

    assert ran.lines == [*_ok(vendor, 8), str(0x01010101)]
    assert ran.findings == []


def test_write_when_it_is_the_last_element(program: Program, vendor: str) -> None:
    ran = program.run("last_element")

    assert ran.lines == _ok(vendor, 4)
    assert ran.findings == []


def test_write_when_it_is_one_element_behind(program: Program, vendor: str) -> None:
    ran = program.run("one_behind")

    assert ran.lines == [*_ok(vendor, 3), f"{vendor}ErrorIllegalAddress"]
    assert [finding["kind"] for finding in ran.findings] == ["out of bounds"]


@pytest.mark.parametrize(
    ("case", "kinds"), [("with_barrier", frozenset()), ("without_barrier", frozenset({"race"}))]
)
def test_shared_memory_when_warps_exchange(
    program: Program, vendor: str, case: str, kinds: frozenset[str]
) -> None:
    ran = program.run(case)

    assert ran.lines == _ok(vendor, 3)
    assert {finding["kind"].split()[0] for finding in ran.findings} == kinds


@pytest.mark.parametrize("vendor", [ROCM], indirect=True, scope="module")
def test_memory_when_it_was_unmapped_is_nobodys(program: Program, vendor: str) -> None:
    once = [*_ok(vendor, 4), "hipErrorInvalidValue", "0"]

    assert program.run("unmapped").lines == [*_ok(vendor, 3), *once, *once]
