"""HIP's streams, events, captures and graphs on the emulator."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__global__ void add(int* to, int by) { *to += by; }
struct Gate {
  std::atomic<bool> open{false};
  static void wait(void* gate) { while (!static_cast<Gate*>(gate)->open) usleep(100); }
  void close(hipStream_t s) { T(hipLaunchHostFunc(s, wait, this)); }
};
CASE(asynchronous) {
  hipStream_t s;
  Gate gate;
  int *d, *h;
  T(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  T(hipMalloc(&d, 4));
  T(hipHostMalloc(&h, 4));
  T(hipMemset(d, 0, 4));
  *h = -1;
  gate.close(s);
  add<<<1, 1, 0, s>>>(d, 5);
  T(hipMemcpyAsync(h, d, 4, hipMemcpyDeviceToHost, s));
  T(hipStreamQuery(s));
  gate.open = true;
  T(hipStreamSynchronize(s));
  V(*h);
}
CASE(pageable) {
  hipStream_t s;
  int *d, h = -1;
  T(hipStreamCreate(&s));
  T(hipMalloc(&d, 4));
  T(hipMemset(d, 1, 4));
  T(hipMemcpyAsync(&h, d, 4, hipMemcpyDeviceToHost, s));
  V(h);
}
CASE(waits) {
  hipStream_t a, b;
  hipEvent_t e;
  Gate gate;
  T(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  T(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  T(hipEventCreate(&e));
  gate.close(a);
  T(hipEventRecord(e, a));
  T(hipStreamWaitEvent(b, e, 0));
  T(hipStreamQuery(b));
  T(hipEventQuery(e));
  gate.open = true;
  T(hipStreamSynchronize(b));
  T(hipEventQuery(e));
}
CASE(null_stream) {
  hipStream_t blocking, other;
  Gate gate;
  T(hipStreamCreate(&blocking));
  T(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  gate.close(blocking);
  T(hipStreamQuery(nullptr));
  T(hipStreamQuery(other));
  T(hipStreamQuery(hipStreamPerThread));
  gate.open = true;
  T(hipStreamSynchronize(nullptr));
}
CASE(events) {
  hipEvent_t a, b, untimed;
  float ms = 0;
  T(hipEventCreate(&a));
  T(hipEventCreate(&b));
  T(hipEventQuery(a));
  T(hipEventElapsedTime(&ms, a, b));
  T(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  T(hipEventRecord(untimed, nullptr));
  T(hipEventRecord(a, nullptr));
  T(hipEventSynchronize(untimed));
  T(hipEventElapsedTime(&ms, untimed, a));
  T(hipEventCreateWithFlags(&b, hipEventInterprocess));
  T(hipEventCreateWithFlags(&b, 0x100));
  T(hipEventDestroy(a));
  T(hipEventDestroy(a));
  T(hipEventRecord(a, nullptr));
}
CASE(streams) {
  hipStream_t s;
  unsigned flags = 9, words[10] = {}, mask[2] = {0xf, 0};
  int priority = 9, least = 9, greatest = 9;
  T(hipDeviceGetStreamPriorityRange(&least, &greatest));
  V(least);
  V(greatest);
  T(hipStreamCreateWithPriority(&s, hipStreamNonBlocking, -5));
  T(hipStreamGetPriority(s, &priority));
  V(priority);
  T(hipStreamGetFlags(s, &flags));
  V(flags);
  T(hipStreamDestroy(s));
  T(hipStreamDestroy(s));
  T(hipStreamDestroy(nullptr));
  T(hipStreamCreateWithFlags(&s, 2));
  T(hipExtStreamCreateWithCUMask(&s, 2, mask));
  T(hipExtStreamGetCUMask(s, 10, words));
  V(words[0]);
  T(hipExtStreamGetCUMask(nullptr, 10, words));
  V(words[9]);
  T(hipExtStreamGetCUMask(s, 1, words));
}
CASE(values) {
  hipStream_t s;
  uint32_t* signal;
  int* d;
  T(hipStreamCreate(&s));
  T(hipMalloc(&d, 4));
  T(hipExtMallocWithFlags(reinterpret_cast<void**>(&signal), 8, hipMallocSignalMemory));
  T(hipMemset(signal, 0, 8));
  T(hipStreamWaitValue32(s, signal, 7, hipStreamWaitValueGte, 0xff));
  T(hipStreamQuery(s));
  T(hipStreamWriteValue32(hipStreamPerThread, signal, 0x107, 0));
  T(hipStreamSynchronize(s));
  T(hipStreamWaitValue32(s, signal, 7, 9, ~0u));
  uint32_t here = 0;
  T(hipStreamWriteValue32(s, &here, 1, 0));
}
CASE(callbacks) {
  static int seen = 0;
  hipStream_t s;
  T(hipStreamCreate(&s));
  hipStreamCallback_t see = [](hipStream_t, hipError_t e, void*) { seen = e == hipSuccess; };
  T(hipStreamAddCallback(s, see, nullptr, 0));
  T(hipStreamSynchronize(s));
  V(seen);
  T(hipStreamAddCallback(s, nullptr, nullptr, 0));
}
CASE(capture) {
  hipStream_t s, t;
  hipEvent_t fork, join;
  hipGraph_t g;
  hipGraphExec_t x;
  int *d, h = 0;
  T(hipMalloc(&d, 8));
  T(hipStreamCreate(&s));
  T(hipStreamCreate(&t));
  T(hipEventCreate(&fork));
  T(hipEventCreate(&join));
  T(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
  T(hipMemsetAsync(d, 0, 4, s));
  T(hipEventRecord(fork, s));
  T(hipStreamWaitEvent(t, fork, 0));
  add<<<1, 1, 0, t>>>(d, 3);
  T(hipEventRecord(join, t));
  T(hipMemsetAsync(d + 1, 0, 4, s));
  T(hipStreamWaitEvent(s, join, 0));
  add<<<1, 1, 0, s>>>(d, 4);
  T(hipStreamEndCapture(s, &g));
  size_t nodes = 0, edges = 0;
  T(hipGraphGetNodes(g, nullptr, &nodes));
  T(hipGraphGetEdges(g, nullptr, nullptr, &edges));
  V(nodes * 10 + edges);
  T(hipGraphInstantiate(&x, g, nullptr, nullptr, 0));
  T(hipGraphDestroy(g));
  T(hipGraphLaunch(x, s));
  T(hipGraphLaunch(x, s));
  T(hipMemcpy(&h, d, 4, hipMemcpyDeviceToHost));
  V(h);
}
CASE(capture_errors) {
  hipStream_t s;
  hipGraph_t g;
  void* p;
  T(hipStreamCreate(&s));
  T(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  T(hipStreamEndCapture(s, &g));
  T(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  T(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  T(hipMalloc(&p, 8));
  hipStreamCaptureStatus status;
  T(hipStreamIsCapturing(s, &status));
  V(status == hipStreamCaptureStatusInvalidated);
  T(hipStreamEndCapture(s, &g));
  V(g == nullptr);
}
CASE(capture_by_release) {
  hipStream_t s;
  hipGraph_t g;
  hipEvent_t e;
  T(hipStreamCreate(&s));
  T(hipEventCreate(&e));
  T(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  T(hipDeviceSetCacheConfig(hipFuncCachePreferNone));
  T(hipEventQuery(e));
  (void)hipStreamEndCapture(s, &g);
}
CASE(graph) {
  hipGraph_t g, clone;
  hipGraphExec_t x;
  hipGraphNode_t fill, first, second, found;
  int *d, h = 0, by = 5;
  T(hipMalloc(&d, 4));
  T(hipGraphCreate(&g, 0));
  hipMemsetParams zero{};
  zero.dst = d;
  zero.elementSize = 4;
  zero.value = 100;
  zero.width = 1;
  zero.height = 1;
  T(hipGraphAddMemsetNode(&fill, g, nullptr, 0, &zero));
  void* values[] = {&d, &by};
  hipKernelNodeParams kernel{};
  kernel.func = (void*)add;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = values;
  T(hipGraphAddKernelNode(&first, g, &fill, 1, &kernel));
  by = 7;
  T(hipGraphAddKernelNode(&second, g, &first, 1, &kernel));
  T(hipGraphAddDependencies(g, &second, &fill, 1));
  T(hipGraphClone(&clone, g));
  T(hipGraphNodeFindInClone(&found, first, clone));
  V(found != first);
  T(hipGraphInstantiateWithFlags(&x, g, 0));
  T(hipGraphLaunch(x, nullptr));
  T(hipMemcpy(&h, d, 4, hipMemcpyDeviceToHost));
  V(h);
  by = 1;
  T(hipGraphExecKernelNodeSetParams(x, second, &kernel));
  T(hipGraphNodeSetEnabled(x, first, 0));
  T(hipGraphLaunch(x, nullptr));
  T(hipMemcpy(&h, d, 4, hipMemcpyDeviceToHost));
  V(h);
  hipGraphNodeType type;
  T(hipGraphNodeGetType(second, &type));
  V(type == hipGraphNodeTypeKernel);
  T(hipGraphDestroyNode(second));
  T(hipGraphNodeGetType(second, &type));
  hipGraphExecUpdateResult result;
  T(hipGraphExecUpdate(x, g, &found, &result));
  V(result == hipGraphExecUpdateErrorTopologyChanged);
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"
BUSY = "hipErrorNotReady"
HANDLE = "hipErrorInvalidHandle"
UNSUPPORTED = "hipErrorStreamCaptureUnsupported"
INVALIDATED = "hipErrorStreamCaptureInvalidated"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("streams"), CASES)


def test_work_when_a_stream_is_held_back(program: Program) -> None:
    assert program.run("asynchronous").lines == [*([OK] * 6), BUSY, OK, "5"]


def test_copy_when_the_host_is_pageable(program: Program) -> None:
    """hip_runtime_api.h, hipMemcpyAsync: not pinned, "will be performed synchronously"."""
    assert program.run("pageable").lines == [*([OK] * 4), str(0x01010101)]


def test_stream_when_it_waits_for_an_event(program: Program) -> None:
    assert program.run("waits").lines == [*([OK] * 6), BUSY, BUSY, OK, OK]


def test_null_stream_when_a_blocking_stream_is_held_back(program: Program) -> None:
    """hip_runtime_api.h, hipStreamNonBlocking; the thread's stream is a blocking one."""
    assert program.run("null_stream").lines == [OK, OK, OK, BUSY, OK, OK, OK]


def test_events_when_not_recorded_or_gone(program: Program) -> None:
    """hip_runtime_api.h: hipEventQuery, hipEventElapsedTime, hipEventInterprocess."""
    assert program.run("events").lines == [
        *(OK, OK, OK, HANDLE),
        *(OK, OK, OK, OK, HANDLE),
        *(INVALID, INVALID, OK, HANDLE, HANDLE),
    ]


def test_streams_when_asked_and_destroyed(program: Program) -> None:
    assert program.run("streams").lines == [
        *(OK, "1", "-1", OK, OK, "-1", OK, "1"),
        *(OK, HANDLE, HANDLE, INVALID),
        *(OK, OK, "15", OK, str(0xFFFF), INVALID),
    ]


def test_values_when_a_stream_waits_for_one(program: Program) -> None:
    """hip_runtime_api.h, hipStreamWaitValue32: (*ptr & mask) >= value."""
    assert program.run("values").lines == [*([OK] * 5), BUSY, OK, OK, INVALID, INVALID]


def test_callbacks_when_added(program: Program) -> None:
    assert program.run("callbacks").lines == [OK, OK, OK, "1", INVALID]


def test_capture_when_streams_fork_and_join(program: Program) -> None:
    lines = program.run("capture").lines
    assert lines == [*([OK] * 15), "44", *([OK] * 5), "7"]


def test_capture_when_misused(program: Program) -> None:
    state = "hipErrorIllegalState"
    assert program.run("capture_errors").lines == [
        *(OK, UNSUPPORTED, state, OK, state, UNSUPPORTED, OK, "1", INVALIDATED, "1"),
    ]


@pytest.mark.parametrize(("release", "answer"), [("7.0", UNSUPPORTED), ("6.4", OK)])
def test_capture_when_calls_are_restricted(program: Program, release: str, answer: str) -> None:
    """See "HIP API 7.0 changes", "Stream capture updates"."""
    lines = program.on(release=release).run("capture_by_release").lines
    assert lines == [OK, OK, OK, answer, answer]


def test_graph_when_made_by_hand(program: Program) -> None:
    assert program.run("graph").lines == [
        *([OK] * 5),
        *(INVALID, OK, OK, "1"),
        *(OK, OK, OK, "112"),
        *(OK, OK, OK, OK, "101"),
        *(OK, "1", OK, INVALID),
        *("hipErrorGraphExecUpdateFailure", "1"),
    ]
