"""Launches by CUDA's runtime and driver: what is refused, variables, attributes, occupancy."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import RELEASE, build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
__constant__ int scale[4];
__device__ int counter = 5;
__managed__ int offset = 7;
namespace {
__global__ void unnamed(int* p) { p[threadIdx.x] = scale[1] * threadIdx.x + offset; }
}
static __global__ void reversed(int* p, double factor) {
  __shared__ int values[64];
  extern __shared__ int more[];
  values[threadIdx.x] = p[threadIdx.x];
  more[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x] * factor + more[0];
}
template <int N> __global__ void __launch_bounds__(128) bounded(int* p) { p[threadIdx.x] = N; }
extern "C" __global__ void plain(int* p, int value) { p[0] = value; }

static int at(const int* p, int i) {
  int value = -1;
  cudaMemcpy(&value, p + i, sizeof(int), cudaMemcpyDeviceToHost);
  return value;
}
static int* ints(int n) {
  int* p = nullptr;
  cudaMalloc(&p, n * sizeof(int));
  cudaMemset(p, 0, n * sizeof(int));
  return p;
}

CASE(kernels) {
  int* p = ints(64);
  const int values[4] = {1, 3, 0, 0};
  T(cudaMemcpyToSymbol(scale, values, sizeof(values)));
  unnamed<<<1, 64>>>(p);
  V(at(p, 63));
  offset = 100;
  unnamed<<<1, 64>>>(p);
  V(at(p, 63));
  reversed<<<1, 64, 64 * sizeof(int)>>>(p, 2.0);
  V(at(p, 0));
  bounded<9><<<2, 32>>>(p);
  V(at(p, 31));
}
CASE(largest) {
  int* p = ints(1);
  plain<<<1, 1024>>>(p, 5);
  T(cudaGetLastError());
  V(at(p, 0));
}
CASE(refused) {
  int* p = ints(64);
  bounded<1><<<1, 1025>>>(p);
  T(cudaGetLastError());
  bounded<1><<<1, 256>>>(p);
  T(cudaGetLastError());
  bounded<1><<<0, 1>>>(p);
  T(cudaGetLastError());
  bounded<1><<<1, 1, 100 << 10>>>(p);
  T(cudaGetLastError());
  void* arguments[] = {&p};
  T(cudaLaunchKernel(reinterpret_cast<void*>(&at), dim3(1), dim3(1), arguments, 0, nullptr));
  V(at(p, 0));
}
CASE(symbols) {
  int value = 6;
  std::size_t size = 0;
  T(cudaGetSymbolSize(&size, scale));
  V(size);
  T(cudaMemcpyToSymbol(scale, &value, sizeof(value), sizeof(scale)));
  T(cudaMemcpyToSymbol(counter, &value, sizeof(value), 0, cudaMemcpyDeviceToHost));
  T(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  V(value);
  T(cudaGetSymbolSize(&size, &value));
}
CASE(devices) {
  int value = 50;
  T(cudaMemcpyToSymbol(counter, &value, sizeof(value)));
  T(cudaSetDevice(1));
  T(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  V(value);
  int* p = ints(1);
  cudaStream_t s;
  T(cudaStreamCreate(&s));
  T(cudaSetDevice(0));
  plain<<<1, 1, 0, s>>>(p, 3);
  T(cudaGetLastError());
  T(cudaMemsetAsync(p, 0, sizeof(int), s));
}
CASE(attributes) {
  cudaFuncAttributes a;
  T(cudaFuncGetAttributes(&a, reversed));
  V(a.sharedSizeBytes);
  V(a.maxThreadsPerBlock);
  V(a.maxDynamicSharedSizeBytes);
  T(cudaFuncGetAttributes(&a, bounded<1>));
  V(a.maxThreadsPerBlock);
  const auto which = cudaFuncAttributeMaxDynamicSharedMemorySize;
  T(cudaFuncSetAttribute(reversed, which, 227 << 10));
  cudaGetLastError();
  T(cudaFuncSetAttribute(reversed, which, (227 << 10) - 256));
  int* p = ints(64);
  reversed<<<1, 64, 200 << 10>>>(p, 1.0);
  T(cudaGetLastError());
}
CASE(occupancy) {
  int blocks = 0;
  T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed, 256, 0));
  V(blocks);
  T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed, 32, 0));
  V(blocks);
  T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed, 256, 100 << 10));
  V(blocks);
  T(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reversed, 0, 0));
}
CASE(launch_attributes) {
  int* p = ints(1);
  int value = 9;
  void* values[] = {&p, &value};
  cudaLaunchAttribute attribute = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaFunction_t function;
  T(cudaGetFuncBySymbol(&function, reinterpret_cast<void*>(&plain)));
  for (const auto which : {cudaLaunchAttributePriority, cudaLaunchAttributeProgrammaticEvent,
                           cudaLaunchAttributeLaunchCompletionEvent,
                           cudaLaunchAttributeDeviceUpdatableKernelNode}) {
    attribute.id = which;
    T(cudaLaunchKernelExC(&config, reinterpret_cast<void*>(&plain), values));
    CUlaunchAttribute own = {};
    own.id = static_cast<CUlaunchAttributeID>(which);
    CUlaunchConfig driver = {1, 1, 1, 1, 1, 1, 0, nullptr, &own, 1};
    D(cuLaunchKernelEx(&driver, function, values, nullptr));
  }
  V(at(p, 0));
}
CASE(driver) {
  int* p = ints(1);
  cudaFunction_t function;
  T(cudaGetFuncBySymbol(&function, reinterpret_cast<void*>(&plain)));
  const char* name = "";
  D(cuFuncGetName(&name, function));
  std::puts(name);
  int value = 11;
  void* values[] = {&p, &value};
  D(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr));
  V(at(p, 0));
  struct { int* p; int value; } packed{p, 12};
  std::size_t size = sizeof(packed);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  D(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  V(at(p, 0));
  D(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, values, extra));
  D(cuLaunchKernel(reinterpret_cast<CUfunction>(p), 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr));
}
CASE(modules) {
  cudaFree(nullptr);
  int* p = ints(1);
  CUmodule module;
  CUfunction function;
  D(cuModuleLoadData(&module, "what is no image of device code"));
  D(cuModuleLoad(&module, "/does/not/exist"));
  D(cuModuleLoadData(&module, "// of a compiler\n.version 8.0\n"));
  D(cuModuleGetFunction(&function, module, "nobody"));
  D(cuModuleGetFunction(&function, module, "plain"));
  int value = 21;
  void* values[] = {&p, &value};
  D(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, values, nullptr));
  V(at(p, 0));
  CUdeviceptr address;
  std::size_t size;
  D(cuModuleGetGlobal(&address, &size, module, "counter"));
  V(size);
  D(cuModuleUnload(module));
  D(cuModuleUnload(module));
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("launches"), CASES)


def test_kernels_when_launched(program: Program) -> None:
    ran = program.run("kernels")
    assert ran.lines == ["cudaSuccess", "196", "289", "578", "9"]
    assert ran.findings == []


def test_launch_when_its_block_is_the_largest(program: Program) -> None:
    """CUDA C++ Programming Guide, "Compute Capabilities": 1024 threads of a block."""
    assert program.run("largest").lines == ["cudaSuccess", "5"]


def test_launch_when_it_breaks_a_limit(program: Program) -> None:
    """CUDA C++ Programming Guide: "Compute Capabilities", "Launch Bounds"; cuda.h of the driver."""
    assert program.run("refused").lines == [
        "cudaErrorInvalidConfiguration",
        "cudaErrorLaunchOutOfResources",
        "cudaErrorInvalidConfiguration",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidDeviceFunction",
        "0",
    ]


def test_symbols_when_copied(program: Program) -> None:
    """cuda_runtime_api.h, cudaMemcpyToSymbol: ranges, directions, what is no symbol."""
    assert program.run("symbols").lines == [
        "cudaSuccess",
        "16",
        "cudaErrorInvalidValue",
        "cudaErrorInvalidMemcpyDirection",
        "cudaSuccess",
        "5",
        "cudaErrorInvalidSymbol",
    ]


def test_variables_and_streams_when_there_are_two_devices(program: Program) -> None:
    """CUDA C++ Programming Guide, "Stream and Event Behavior": launches fail, copies do not."""
    assert program.on(release=RELEASE, devices=2).run("devices").lines == [
        *["cudaSuccess"] * 3,
        "5",
        *["cudaSuccess"] * 2,
        "cudaErrorInvalidResourceHandle",
        "cudaSuccess",
    ]


def test_attributes_when_read_and_set(program: Program) -> None:
    """227 KiB per block after opting in, of compute capability 9.0: the guide's limits."""
    assert program.run("attributes").lines == [
        "cudaSuccess",
        *("256", "1024", str((48 << 10) - 256)),
        "cudaSuccess",
        "128",
        "cudaErrorInvalidValue",
        *["cudaSuccess"] * 2,
    ]


def test_occupancy_when_threads_blocks_or_memory_bound_it(program: Program) -> None:
    """Of 9.0: 2048 threads, 32 blocks and 228 KiB; 1 KiB is reserved for each block."""
    assert program.run("occupancy").lines == [
        *("cudaSuccess", "8"),
        *("cudaSuccess", "32"),
        *("cudaSuccess", "2"),
        "cudaErrorInvalidValue",
    ]


def test_launch_when_an_attribute_asks_for_what_is_not_emulated(program: Program) -> None:
    """driver_types.h, cudaLaunchAttributeID: a priority is a hint; events get records."""
    assert program.run("launch_attributes").lines == [
        *("cudaSuccess", "cudaSuccess", "CUDA_SUCCESS"),
        *["cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED"] * 3,
        "9",
    ]


def test_driver_when_it_launches_a_function_of_the_runtime(program: Program) -> None:
    """cuda.h, cuLaunchKernel: parameters come as pointers or packed, not as both."""
    assert program.run("driver").lines == [
        *("cudaSuccess", "CUDA_SUCCESS", "plain"),
        *("CUDA_SUCCESS", "11", "CUDA_SUCCESS", "12"),
        *("CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_HANDLE"),
    ]


def test_modules_when_loaded(program: Program) -> None:
    """cuda.h, cuModuleLoadData, cuModuleLoad, cuModuleGetFunction."""
    assert program.run("modules").lines == [
        "CUDA_ERROR_INVALID_IMAGE",
        "CUDA_ERROR_FILE_NOT_FOUND",
        "CUDA_SUCCESS",
        "CUDA_ERROR_NOT_FOUND",
        *("CUDA_SUCCESS", "CUDA_SUCCESS", "21"),
        *("CUDA_SUCCESS", "4"),
        *("CUDA_SUCCESS", "CUDA_ERROR_INVALID_HANDLE"),
    ]
