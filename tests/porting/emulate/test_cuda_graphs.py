"""Graphs of CUDA with memory of their own, objects that they keep, and the driver's functions."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
extern "C" __global__ void put(int* p, int value) { p[0] = value; }
static int at(const int* p) {
  int value = -1;
  cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  return value;
}
CASE(memory) {
  int* kept;
  T(cudaMalloc(&kept, sizeof(int)));
  cudaGraph_t graph;
  cudaGraphNode_t allocate, kernel, copy, release;
  T(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 64;
  T(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
  int* own = static_cast<int*>(memory.dptr);
  int value = 31;
  void* values[] = {&own, &value};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(&put);
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = values;
  T(cudaGraphAddKernelNode(&kernel, graph, &allocate, 1, &launch));
  T(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, kept, own, sizeof(int),
                             cudaMemcpyDeviceToDevice));
  T(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, own));
  void* freed = nullptr;
  T(cudaGraphMemFreeNodeGetParams(release, &freed));
  V(freed == own);
  cudaGraphExec_t exec;
  T(cudaGraphInstantiate(&exec, graph, 0));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaDeviceSynchronize());
  V(at(kept));
}
CASE(left) {
  cudaGraph_t graph;
  cudaGraphNode_t allocate;
  T(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 64;
  T(cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory));
  cudaGraphExec_t exec;
  T(cudaGraphInstantiate(&exec, graph, 0));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaFree(memory.dptr));
  T(cudaGraphLaunch(exec, nullptr));
  T(cudaFreeAsync(memory.dptr, nullptr));
  T(cudaDeviceSynchronize());
}
CASE(objects) {
  static int gone = 0;
  cudaUserObject_t object;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  T(cudaGraphCreate(&graph, 0));
  T(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  const auto count = [](void* p) { ++*static_cast<int*>(p); };
  T(cudaUserObjectCreate(&object, &gone, count, 1, 0));
  T(cudaUserObjectCreate(&object, &gone, count, 1, cudaUserObjectNoDestructorSync));
  T(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  V(gone);
  T(cudaGraphInstantiate(&exec, graph, 0));
  T(cudaGraphDestroy(graph));
  V(gone);
  T(cudaGraphExecDestroy(exec));
  V(gone);
  T(cudaUserObjectRelease(object, 1));
}
CASE(any_kind) {
  int* p;
  T(cudaMalloc(&p, 64));
  cudaGraph_t graph;
  cudaGraphNode_t node;
  T(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemset;
  params.memset = {p, 0, 9, 4, 4, 1};
  T(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params.type = cudaGraphNodeTypeConditional;
  T(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  cudaGraphExec_t exec;
  T(cudaGraphInstantiate(&exec, graph, 0));
  params.type = cudaGraphNodeTypeMemset;
  params.memset.value = 10;
  T(cudaGraphExecNodeSetParams(exec, node, &params));
  T(cudaGraphLaunch(exec, nullptr));
  V(at(p));
}
CASE(driver) {
  cudaFree(nullptr);
  int* p;
  T(cudaMalloc(&p, 64));
  cudaFunction_t function;
  T(cudaGetFuncBySymbol(&function, reinterpret_cast<void*>(&put)));
  CUgraph graph;
  CUgraphNode first, second;
  D(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS zero{(CUdeviceptr)p, 0, 0, 4, 4, 1};
  D(cuGraphAddMemsetNode(&first, graph, nullptr, 0, &zero, nullptr));
  int value = 77;
  void* values[] = {&p, &value};
  CUDA_KERNEL_NODE_PARAMS launch{function, 1, 1, 1, 1, 1, 1, 0, values, nullptr};
  D(cuGraphAddKernelNode(&second, graph, &first, 1, &launch));
  CUgraphNode before;
  std::size_t count = 1;
  D(cuGraphNodeGetDependencies(second, &before, nullptr, &count));
  V(before == first && count == 1);
  CUDA_KERNEL_NODE_PARAMS read;
  D(cuGraphKernelNodeGetParams(second, &read));
  V(read.func == function && read.blockDimX == 1);
  CUgraphExec exec;
  D(cuGraphInstantiate(&exec, graph, 0));
  D(cuGraphLaunch(exec, nullptr));
  V(at(p));
  CUgraph other;
  D(cuGraphCreate(&other, 0));
  CUgraphExecUpdateResultInfo info;
  D(cuGraphExecUpdate(exec, other, &info));
  V(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}
CASE(values) {
  cudaFree(nullptr);
  unsigned* p;
  T(cudaMalloc(&p, 64));
  T(cudaMemset(p, 0, 64));
  cudaStream_t waiting, writing;
  T(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
  T(cudaStreamCreateWithFlags(&writing, cudaStreamNonBlocking));
  D(cuStreamWaitValue32(waiting, (CUdeviceptr)p, 5, CU_STREAM_WAIT_VALUE_GEQ));
  T(cudaStreamQuery(waiting));
  D(cuStreamWriteValue32(writing, (CUdeviceptr)p, 5, 0));
  T(cudaStreamSynchronize(waiting));
  D(cuStreamWaitValue32(waiting, (CUdeviceptr)p + 1, 5, 0));
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("graphs"), CASES)


def test_memory_of_a_graph_when_launched_twice(program: Program) -> None:
    ran = program.run("memory")
    assert ran.lines == [*["cudaSuccess"] * 7, "1", *["cudaSuccess"] * 4, "31"]
    assert ran.findings == []


def test_memory_of_a_graph_when_a_launch_leaves_it(program: Program) -> None:
    """cuda_runtime_api.h, cudaGraphAddMemAllocNode: it is freed before the next launch."""
    assert program.run("left").lines == [
        *["cudaSuccess"] * 4,
        "cudaErrorInvalidValue",
        *["cudaSuccess"] * 4,
    ]


def test_objects_when_graphs_keep_them(program: Program) -> None:
    """cuda_runtime_api.h, cudaUserObjectCreate and cudaGraphRetainUserObject."""
    assert program.run("objects").lines == [
        *["cudaSuccess"] * 2,
        "cudaErrorInvalidValue",
        *["cudaSuccess"] * 2,
        *("0", "cudaSuccess", "cudaSuccess", "0", "cudaSuccess", "1"),
        "cudaErrorInvalidValue",
    ]


def test_nodes_when_added_by_the_function_for_any_kind(program: Program) -> None:
    assert program.run("any_kind").lines == [
        *["cudaSuccess"] * 3,
        "cudaErrorNotSupported",
        *["cudaSuccess"] * 3,
        "10",
    ]


def test_graph_when_built_by_the_driver(program: Program) -> None:
    assert program.run("driver").lines == [
        *["cudaSuccess"] * 2,
        *["CUDA_SUCCESS"] * 4,
        *("1", "CUDA_SUCCESS", "1", "CUDA_SUCCESS", "CUDA_SUCCESS", "77"),
        *("CUDA_SUCCESS", "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "1"),
    ]


def test_streams_when_they_wait_for_values(program: Program) -> None:
    """cuda.h, cuStreamWaitValue32: addresses are multiples of four."""
    assert program.run("values").lines == [
        *["cudaSuccess"] * 4,
        *("CUDA_SUCCESS", "cudaErrorNotReady", "CUDA_SUCCESS", "cudaSuccess"),
        "CUDA_ERROR_INVALID_VALUE",
    ]
