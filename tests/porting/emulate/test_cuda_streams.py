"""Streams, events, captures and graphs of CUDA's runtime, and the driver's contexts."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import RELEASE, build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
extern "C" __global__ void add(int* p, int value) { p[0] += value; }
static std::atomic<bool> go{false};
static void hold(void*) {
  while (!go) usleep(100);
}
CASE(handles) {
  cudaStream_t s;
  T(cudaStreamCreateWithFlags(&s, 8));
  T(cudaStreamCreate(&s));
  T(cudaStreamDestroy(s));
  T(cudaStreamDestroy(s));
  T(cudaStreamSynchronize(s));
  T(cudaStreamDestroy(nullptr));
  cudaEvent_t e;
  T(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
  T(cudaEventCreate(&e));
  T(cudaEventDestroy(e));
  T(cudaEventDestroy(e));
}
CASE(events) {
  cudaStream_t s;
  cudaEvent_t a, b, untimed;
  float ms = -1;
  T(cudaStreamCreate(&s));
  T(cudaEventCreate(&a));
  T(cudaEventCreate(&b));
  T(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  T(cudaEventElapsedTime(&ms, a, b));
  T(cudaEventRecord(a, s));
  T(cudaLaunchHostFunc(s, hold, nullptr));
  T(cudaEventRecord(b, s));
  T(cudaEventQuery(b));
  T(cudaEventElapsedTime(&ms, a, b));
  go = true;
  T(cudaEventSynchronize(b));
  T(cudaEventElapsedTime(&ms, a, b));
  V(ms > 0);
  T(cudaEventRecord(untimed, s));
  T(cudaStreamSynchronize(s));
  T(cudaEventElapsedTime(&ms, a, untimed));
}
CASE(priorities) {
  int least = 1, greatest = 1, own = 1;
  T(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t s;
  T(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1000));
  T(cudaStreamGetPriority(s, &own));
  V(own == greatest && greatest < least);
  unsigned flags = 0;
  T(cudaStreamGetFlags(s, &flags));
  V(flags);
}
CASE(callbacks) {
  static int told = 0;
  cudaStream_t s;
  T(cudaStreamCreate(&s));
  T(cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t code, void* out) {
    *static_cast<int*>(out) = 10 + code;
  }, &told, 0));
  T(cudaStreamSynchronize(s));
  V(told);
  T(cudaStreamAddCallback(s, nullptr, nullptr, 0));
}
CASE(captured) {
  int* p;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  T(cudaMalloc(&p, sizeof(int)));
  T(cudaMemset(p, 0, sizeof(int)));
  T(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  T(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1, 0, s>>>(p, 5);
  cudaStreamCaptureStatus status;
  cudaGraph_t open;
  std::size_t count = 0;
  const cudaGraphNode_t* after;
  T(cudaStreamGetCaptureInfo(s, &status, nullptr, &open, &after, nullptr, &count));
  V(status * 10 + count);
  T(cudaMemcpyAsync(p, p, 0, cudaMemcpyDeviceToDevice, s));
  T(cudaStreamEndCapture(s, &graph));
  V(graph == open);
  T(cudaGraphGetNodes(graph, nullptr, &count));
  V(count);
  cudaGraphNode_t node;
  count = 1;
  T(cudaGraphGetNodes(graph, &node, &count));
  cudaKernelNodeParams params;
  T(cudaGraphKernelNodeGetParams(node, &params));
  V(*static_cast<int*>(params.kernelParams[1]));
  T(cudaGraphInstantiate(&exec, graph, 0));
  int more = 7;
  void* values[] = {&p, &more};
  params.kernelParams = values;
  T(cudaGraphExecKernelNodeSetParams(exec, node, &params));
  T(cudaGraphLaunch(exec, s));
  T(cudaGraphLaunch(exec, s));
  T(cudaStreamSynchronize(s));
  int back = 0;
  T(cudaMemcpy(&back, p, sizeof(int), cudaMemcpyDeviceToHost));
  V(back);
  T(cudaGraphDestroy(graph));
  T(cudaGraphDestroy(graph));
  T(cudaGraphExecDestroy(exec));
}
CASE(forbidden) {
  void* p;
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  T(cudaStreamCreate(&s));
  T(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  T(cudaMalloc(&p, 64));
  T(cudaStreamEndCapture(s, &graph));
  V(graph == nullptr);
  T(cudaStreamEndCapture(s, &graph));
  T(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  T(cudaMalloc(&p, 64));
  T(cudaStreamEndCapture(s, &graph));
  T(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed));
}
CASE(built) {
  int* p;
  T(cudaMalloc(&p, 16 * sizeof(int)));
  cudaGraph_t graph;
  cudaGraphNode_t fill, kernel, host;
  T(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero{p, 0, 3, 4, 16, 1};
  T(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  int value = 4;
  void* values[] = {&p, &value};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(&add);
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = values;
  T(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  static int seen = 0;
  cudaHostNodeParams call{[](void* out) { *static_cast<int*>(out) = 1; }, &seen};
  T(cudaGraphAddHostNode(&host, graph, &kernel, 1, &call));
  T(cudaGraphAddDependencies(graph, &host, &fill, nullptr, 1));
  std::size_t count = 0;
  T(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  V(count);
  cudaGraphNodeType type;
  T(cudaGraphNodeGetType(host, &type));
  V(type == cudaGraphNodeTypeHost);
  cudaGraphExec_t exec;
  T(cudaGraphInstantiate(&exec, graph, 0));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaDeviceSynchronize());
  int back[2];
  T(cudaMemcpy(back, p, sizeof(back), cudaMemcpyDeviceToHost));
  V(back[0] * 100 + back[1] * 10 + seen);
  T(cudaGraphDestroy(graph));
  T(cudaGraphNodeGetType(host, &type));
}
CASE(contexts) {
  int n;
  unsigned flags;
  int active;
  CUcontext context, current;
  CUdeviceptr p;
  D(cuDeviceGetCount(&n));
  D(cuInit(1));
  D(cuInit(0));
  D(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V(active);
  D(cuMemAlloc(&p, 64));
  T(cudaGetDevice(&n));
  D(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V(active);
  T(cudaFree(nullptr));
  D(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V(active);
  D(cuCtxGetCurrent(&current));
  D(cuDevicePrimaryCtxRetain(&context, 0));
  V(context == current);
  CUcontext other;
  D(cuCtxCreate(&other, nullptr, 0, 1));
  T(cudaGetDevice(&n));
  V(n);
  D(cuCtxDestroy(other));
  T(cudaGetDevice(&n));
  V(n);
  D(cuCtxDestroy(context));
}
CASE(entries) {
  cudaFree(nullptr);
  void* f = nullptr;
  CUdriverProcAddressQueryResult r;
  D(cuGetProcAddress("cuMemAlloc", &f, 12000, 0, &r));
  V(f == reinterpret_cast<void*>(&cuMemAlloc));
  D(cuGetProcAddress("cuMemAlloc", &f, 2000, 0, &r));
  V(f != nullptr && f != reinterpret_cast<void*>(&cuMemAlloc));
  D(cuGetProcAddress("cuMemAllocAsync", &f, 11000, 0, &r));
  V(r == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT && f == nullptr);
  D(cuGetProcAddress("cuNothing", &f, 12000, 0, &r));
  V(r == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  D(cuGetProcAddress("cuInit", &f, 99000, 0, &r));
  cudaDriverEntryPointQueryResult found;
  T(cudaGetDriverEntryPointByVersion("cuStreamQuery", &f, 13000, cudaEnableDefault, &found));
  V(found == cudaDriverEntryPointSuccess);
  D(reinterpret_cast<CUresult (*)(CUstream)>(f)(nullptr));
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("streams"), CASES)


def test_handles_when_stale_or_wrong(program: Program) -> None:
    """cuda.h, cuEventCreate: events of several processes are made without timing."""
    assert program.run("handles").lines == [
        *("cudaErrorInvalidValue", "cudaSuccess", "cudaSuccess"),
        *["cudaErrorInvalidResourceHandle"] * 3,
        *("cudaErrorInvalidValue", "cudaSuccess", "cudaSuccess"),
        "cudaErrorInvalidResourceHandle",
    ]


def test_events_when_not_recorded_not_done_or_untimed(program: Program) -> None:
    """cuda_runtime_api.h, cudaEventElapsedTime."""
    assert program.run("events").lines == [
        *["cudaSuccess"] * 4,
        "cudaErrorInvalidResourceHandle",
        *["cudaSuccess"] * 3,
        *["cudaErrorNotReady"] * 2,
        *("cudaSuccess", "cudaSuccess", "1", "cudaSuccess", "cudaSuccess"),
        "cudaErrorInvalidResourceHandle",
    ]


def test_priorities_when_out_of_range(program: Program) -> None:
    """cuda_runtime_api.h, cudaStreamCreateWithPriority: they are clamped."""
    assert program.run("priorities").lines == [*["cudaSuccess"] * 3, "1", "cudaSuccess", "1"]


def test_callbacks_when_run(program: Program) -> None:
    lines = program.run("callbacks").lines
    assert lines == [*["cudaSuccess"] * 3, "10", "cudaErrorInvalidValue"]


def test_captured_work_when_changed_and_launched(program: Program) -> None:
    ran = program.run("captured")
    assert [line for line in ran.lines if line != "cudaSuccess"] == [
        *("11", "1", "1", "5", "14"),
        "cudaErrorInvalidValue",
    ]
    assert ran.lines[-3:] == ["cudaSuccess", "cudaErrorInvalidValue", "cudaSuccess"]


def test_calls_when_forbidden_in_captures(program: Program) -> None:
    """CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" and "Invalidation"."""
    assert program.run("forbidden").lines == [
        *["cudaSuccess"] * 2,
        "cudaErrorStreamCaptureUnsupported",
        *("cudaErrorStreamCaptureInvalidated", "1", "cudaErrorIllegalState"),
        *["cudaSuccess"] * 3,
        "cudaErrorStreamCaptureUnsupported",
    ]


def test_graphs_when_built_by_hand(program: Program) -> None:
    assert program.run("built").lines == [
        *["cudaSuccess"] * 5,
        "cudaErrorInvalidValue",
        *("cudaSuccess", "2", "cudaSuccess", "1"),
        *["cudaSuccess"] * 4,
        *("731", "cudaSuccess", "cudaErrorInvalidValue"),
    ]


def test_contexts_when_made_by_either_library(program: Program) -> None:
    """cuda.h: cuInit comes first; the runtime makes the primary context, questions make none."""
    assert program.on(release=RELEASE, devices=2).run("contexts").lines == [
        *("CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS"),
        *("CUDA_SUCCESS", "0", "CUDA_ERROR_INVALID_CONTEXT"),
        *("cudaSuccess", "CUDA_SUCCESS", "0"),
        *("cudaSuccess", "CUDA_SUCCESS", "1"),
        *("CUDA_SUCCESS", "CUDA_SUCCESS", "1"),
        *("CUDA_SUCCESS", "cudaSuccess", "1"),
        *("CUDA_SUCCESS", "cudaSuccess", "0"),
        "CUDA_ERROR_INVALID_CONTEXT",
    ]


def test_entry_points_when_looked_up(program: Program) -> None:
    """cuda.h, cuGetProcAddress: the version of a function that a release has."""
    assert program.run("entries").lines == [
        *("CUDA_SUCCESS", "1", "CUDA_SUCCESS", "1"),
        *("CUDA_SUCCESS", "1", "CUDA_SUCCESS", "1"),
        "CUDA_ERROR_INVALID_VALUE",
        *("cudaSuccess", "1", "CUDA_SUCCESS"),
    ]
