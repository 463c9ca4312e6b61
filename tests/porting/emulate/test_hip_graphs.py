"""HIP's graphs on the emulator: nodes of each kind, what they are asked, other parameters."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__device__ int variable;
__global__ void add(int* to, int by) { *to += by; }
struct Made {
  hipGraph_t graph;
  hipGraphExec_t exec = nullptr;
  Made() { (void)hipGraphCreate(&graph, 0); }
  void instantiate() { T(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0)); }
  void launch() {
    T(hipGraphLaunch(exec, nullptr));
    T(hipStreamSynchronize(nullptr));
  }
};
static int read(int* from) {
  int value = -1;
  (void)hipMemcpy(&value, from, 4, hipMemcpyDeviceToHost);
  return value;
}
CASE(copies) {
  Made made;
  int *a, *b, h = 41;
  hipGraphNode_t put, get;
  T(hipMalloc(&a, 4));
  T(hipHostMalloc(&b, 4));
  T(hipGraphAddMemcpyNode1D(&put, made.graph, nullptr, 0, a, &h, 4, hipMemcpyHostToDevice));
  T(hipGraphAddMemcpyNode1D(&get, made.graph, &put, 1, b, a, 4, hipMemcpyDeviceToHost));
  made.instantiate();
  made.launch();
  V(*b);
  static int other = 42;
  T(hipGraphExecMemcpyNodeSetParams1D(made.exec, put, a, &other, 4, hipMemcpyHostToDevice));
  made.launch();
  V(*b);
  hipMemcpy3DParms p{};
  T(hipGraphMemcpyNodeGetParams(get, &p));
  V(p.srcPtr.ptr == a && p.dstPtr.ptr == b);
  V(p.extent.width);
  hipMemsetParams wrong{};
  T(hipGraphMemsetNodeGetParams(get, &wrong));
  T(hipGraphAddMemcpyNode1D(&get, made.graph, &put, 1, b, a, 5, hipMemcpyDeviceToHost));
}
CASE(symbols) {
  Made made;
  static int in = 7, out = 0;
  hipGraphNode_t to, from;
  T(hipGraphAddMemcpyNodeToSymbol(&to, made.graph, nullptr, 0, &variable, &in, 4, 0,
                                  hipMemcpyHostToDevice));
  T(hipGraphAddMemcpyNodeFromSymbol(&from, made.graph, &to, 1, &out, &variable, 4, 0,
                                    hipMemcpyDeviceToHost));
  made.instantiate();
  made.launch();
  V(out);
  T(hipGraphAddMemcpyNodeToSymbol(&to, made.graph, nullptr, 0, &variable, &in, 4, 1,
                                  hipMemcpyHostToDevice));
}
CASE(children) {
  Made inner, outer;
  int *d, by = 3;
  T(hipMalloc(&d, 4));
  T(hipMemset(d, 0, 4));
  void* values[] = {&d, &by};
  hipKernelNodeParams kernel{};
  kernel.func = (void*)add;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = values;
  hipGraphNode_t node, child, again;
  T(hipGraphAddKernelNode(&node, inner.graph, nullptr, 0, &kernel));
  T(hipGraphAddChildGraphNode(&child, outer.graph, nullptr, 0, inner.graph));
  T(hipGraphAddChildGraphNode(&again, outer.graph, &child, 1, inner.graph));
  T(hipGraphDestroy(inner.graph));
  outer.instantiate();
  outer.launch();
  V(read(d));
  hipGraph_t copy;
  T(hipGraphChildGraphNodeGetGraph(child, &copy));
  size_t count = 0;
  T(hipGraphGetNodes(copy, nullptr, &count));
  V(count);
}
CASE(hosts) {
  Made made;
  static std::atomic<int> calls{0};
  hipHostNodeParams host{}, back{};
  host.fn = [](void* by) { calls += *static_cast<int*>(by); };
  static int by = 5;
  host.userData = &by;
  hipGraphNode_t node, empty;
  T(hipGraphAddEmptyNode(&empty, made.graph, nullptr, 0));
  T(hipGraphAddHostNode(&node, made.graph, &empty, 1, &host));
  made.instantiate();
  made.launch();
  V(calls);
  T(hipGraphHostNodeGetParams(node, &back));
  V(back.userData == &by);
  host.fn = nullptr;
  T(hipGraphHostNodeSetParams(node, &host));
}
CASE(events) {
  Made made;
  hipEvent_t a, b, found;
  hipGraphNode_t record, wait;
  T(hipEventCreate(&a));
  T(hipEventCreate(&b));
  T(hipGraphAddEventRecordNode(&record, made.graph, nullptr, 0, a));
  T(hipGraphAddEventWaitNode(&wait, made.graph, &record, 1, a));
  T(hipGraphEventRecordNodeGetEvent(record, &found));
  V(found == a);
  T(hipGraphEventRecordNodeGetEvent(wait, &found));
  made.instantiate();
  T(hipGraphExecEventRecordNodeSetEvent(made.exec, record, b));
  made.launch();
  T(hipEventSynchronize(b));
  T(hipEventRecord(a, nullptr));
  T(hipEventSynchronize(a));
  float ms = -1;
  T(hipEventElapsedTime(&ms, b, a));
  V(ms >= 0);
}
CASE(memory) {
  Made made;
  hipMemAllocNodeParams p{}, back{};
  p.poolProps.allocType = hipMemAllocationTypePinned;
  p.poolProps.location = {hipMemLocationTypeDevice, 0};
  p.bytesize = 1 << 20;
  hipGraphNode_t get, fill, put;
  T(hipGraphAddMemAllocNode(&get, made.graph, nullptr, 0, &p));
  hipMemsetParams zero{};
  zero.dst = p.dptr;
  zero.elementSize = 1;
  zero.width = 1 << 20;
  zero.height = 1;
  T(hipGraphAddMemsetNode(&fill, made.graph, &get, 1, &zero));
  T(hipGraphAddMemFreeNode(&put, made.graph, &fill, 1, p.dptr));
  made.instantiate();
  made.launch();
  T(hipGraphMemAllocNodeGetParams(get, &back));
  V(back.dptr == p.dptr && back.bytesize == p.bytesize);
  void* freed = nullptr;
  T(hipGraphMemFreeNodeGetParams(put, &freed));
  V(freed == p.dptr);
  uint64_t high = 0;
  T(hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &high));
  V(high >= 1 << 20);
}
static void keep(unsigned flags) {
  Made made;
  hipMemAllocNodeParams p{};
  p.poolProps.allocType = hipMemAllocationTypePinned;
  p.poolProps.location = {hipMemLocationTypeDevice, 0};
  p.bytesize = 256;
  hipGraphNode_t get;
  T(hipGraphAddMemAllocNode(&get, made.graph, nullptr, 0, &p));
  T(hipGraphInstantiateWithFlags(&made.exec, made.graph, flags));
  made.launch();
  made.launch();
  T(hipFree(p.dptr));
  made.launch();
}
CASE(kept_memory) { keep(0); }
CASE(kept_memory_freed) { keep(hipGraphInstantiateFlagAutoFreeOnLaunch); }
CASE(captured_memory) {
  Made made;
  hipStream_t s;
  void* p = nullptr;
  T(hipStreamCreate(&s));
  T(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
  T(hipMallocAsync(&p, 256, s));
  T(hipMemsetAsync(p, 0, 256, s));
  T(hipFreeAsync(p, s));
  T(hipStreamEndCapture(s, &made.graph));
  hipGraphNode_t nodes[3];
  size_t count = 3;
  T(hipGraphGetNodes(made.graph, nodes, &count));
  hipMemAllocNodeParams back{};
  T(hipGraphMemAllocNodeGetParams(nodes[0], &back));
  V(back.dptr == p);
  V(back.bytesize);
  made.instantiate();
  made.launch();
}
static int ended = 0;
CASE(objects) {
  Made made;
  hipUserObject_t object;
  hipGraph_t clone;
  hipHostFn_t end = [](void* by) { ended += *static_cast<int*>(by); };
  static int by = 1;
  T(hipUserObjectCreate(&object, &by, end, 2, hipUserObjectNoDestructorSync));
  T(hipUserObjectCreate(&object, &by, end, 2, 0));
  T(hipGraphRetainUserObject(made.graph, object, 1, hipGraphUserObjectMove));
  T(hipUserObjectRelease(object, 2));
  T(hipUserObjectRelease(object, 1));
  T(hipUserObjectRelease(object, 1));
  V(ended);
  T(hipGraphClone(&clone, made.graph));
  made.instantiate();
  T(hipGraphDestroy(made.graph));
  T(hipGraphDestroy(clone));
  V(ended);
  T(hipGraphExecDestroy(made.exec));
  V(ended);
}
CASE(any) {
  Made made;
  int *d, by = 6;
  T(hipMalloc(&d, 4));
  T(hipMemset(d, 0, 4));
  void* values[] = {&d, &by};
  hipGraphNodeParams p{};
  p.type = hipGraphNodeTypeKernel;
  p.kernel.func = (void*)add;
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = values;
  hipGraphNode_t node, listed[3] = {};
  T(hipGraphAddNode(&node, made.graph, nullptr, 0, &p));
  made.instantiate();
  by = 20;
  T(hipGraphExecNodeSetParams(made.exec, node, &p));
  made.launch();
  V(read(d));
  size_t count = 3;
  T(hipGraphGetRootNodes(made.graph, listed, &count));
  V(count);
  V(listed[0] == node && listed[1] == nullptr);
  p.type = hipGraphNodeTypeExtSemaphoreWait;
  T(hipGraphAddNode(&node, made.graph, nullptr, 0, &p));
}
CASE(stale) {
  Made made;
  hipGraphNode_t node;
  T(hipGraphAddEmptyNode(&node, made.graph, nullptr, 0));
  T(hipGraphDestroy(made.graph));
  T(hipGraphDestroy(made.graph));
  hipGraphNodeType type;
  T(hipGraphNodeGetType(node, &type));
  T(hipGraphLaunch(nullptr, nullptr));
  T(hipGraphExecDestroy(nullptr));
}
"""
OK = "hipSuccess"
INVALID = "hipErrorInvalidValue"


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("graphs"), CASES)


def test_copies_when_nodes_of_a_graph(program: Program) -> None:
    assert program.run("copies").lines == [
        *([OK] * 4),
        *(OK, OK, OK, "41"),
        *(OK, OK, OK, "42"),
        *(OK, "1", "4", INVALID, INVALID),
    ]


def test_symbols_when_nodes_copy_them(program: Program) -> None:
    assert program.run("symbols").lines == [OK, OK, OK, OK, OK, "7", INVALID]


def test_children_when_their_graph_is_destroyed(program: Program) -> None:
    """hip_runtime_api.h, hipGraphAddChildGraphNode: the node has a copy of the graph."""
    assert program.run("children").lines == [*([OK] * 6), OK, OK, OK, "6", OK, OK, "1"]


def test_functions_of_the_host_when_nodes_of_a_graph(program: Program) -> None:
    assert program.run("hosts").lines == [OK, OK, OK, OK, OK, "5", OK, "1", INVALID]


def test_events_when_nodes_of_a_graph(program: Program) -> None:
    assert program.run("events").lines == [
        *(OK, OK, OK, OK, OK, "1", INVALID),
        *(OK, OK, OK, OK, OK, OK, OK, OK, "1"),
    ]


def test_memory_when_a_graph_allocates_it(program: Program) -> None:
    assert program.run("memory").lines == [*([OK] * 6), OK, "1", OK, "1", OK, "1"]


@pytest.mark.parametrize(("case", "again"), [("kept_memory", INVALID), ("kept_memory_freed", OK)])
def test_memory_when_a_launch_before_left_it(program: Program, case: str, again: str) -> None:
    """hip_runtime_api.h, hipGraphInstantiateFlagAutoFreeOnLaunch."""
    assert program.run(case).lines == [OK, OK, OK, OK, again, OK, OK, OK, OK]


def test_memory_when_a_capture_allocates_it(program: Program) -> None:
    assert program.run("captured_memory").lines == [*([OK] * 8), "1", "256", OK, OK, OK]


def test_objects_when_graphs_keep_them(program: Program) -> None:
    """hip_runtime_api.h, hipGraphRetainUserObject: destroyed with the last that refers to it."""
    assert program.run("objects").lines == [
        *(OK, INVALID, OK, INVALID, OK, INVALID, "0"),
        *(OK, OK, OK, OK, "0", OK, "1"),
    ]


def test_nodes_when_added_by_the_union(program: Program) -> None:
    assert program.run("any").lines == [
        *(OK, OK, OK, OK, OK, OK, OK, "20"),
        *(OK, "1", "1", "hipErrorNotSupported"),
    ]


def test_handles_when_what_they_name_is_gone(program: Program) -> None:
    assert program.run("stale").lines == [OK, OK, INVALID, INVALID, INVALID, INVALID]
