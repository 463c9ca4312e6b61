"""Memory by CUDA's runtime and driver: sizes, directions, pointers, pools, virtual memory."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import RELEASE, build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
CASE(sizes) {
  void* p = &p;
  T(cudaMalloc(&p, 0));
  V(p == nullptr);
  T(cudaMallocManaged(&p, 0));
  T(cudaMalloc(nullptr, 1));
  T(cudaMalloc(&p, std::size_t{1} << 40));
  CUdeviceptr d;
  D(cuMemAlloc(&d, 0));
  std::size_t pitch = 0;
  T(cudaMallocPitch(&p, &pitch, 100, 3));
  V(pitch);
}
CASE(frees) {
  void* device;
  void* pinned;
  T(cudaMalloc(&device, 64));
  T(cudaMallocHost(&pinned, 64));
  T(cudaFree(pinned));
  T(cudaFreeHost(device));
  T(cudaFree(static_cast<char*>(device) + 8));
  T(cudaFree(device));
  T(cudaFree(device));
  T(cudaFreeHost(pinned));
  T(cudaFree(nullptr));
}
CASE(directions) {
  char host[64] = "text";
  char back[64] = "";
  char* device;
  T(cudaMalloc(&device, 64));
  T(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
  T(cudaMemcpy(back, device, 64, cudaMemcpyDefault));
  std::puts(back);
  T(cudaMemcpy(device, host, 64, cudaMemcpyDeviceToHost));
  T(cudaMemcpy(device, host, 64, cudaMemcpyDeviceToDevice));
  T(cudaMemcpy(device, host, 64, static_cast<cudaMemcpyKind>(9)));
  T(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice));
  T(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  T(cudaMemset(host, 0, 64));
}
CASE(rows) {
  char host[4][8] = {"abcdefg", "hijklmn", "opqrstu", "vwxyz12"};
  char* device;
  char back[8] = "";
  T(cudaMalloc(&device, 32));
  T(cudaMemset(device, '.', 32));
  T(cudaMemcpy2D(device, 2, host[1] + 1, 8, 2, 2, cudaMemcpyHostToDevice));
  T(cudaMemcpy(back, device, 5, cudaMemcpyDeviceToHost));
  std::puts(back);
  T(cudaMemcpy2D(device, 1, host, 8, 2, 2, cudaMemcpyHostToDevice));
  T(cudaMemset2D(device, 4, 'x', 1, 2));
  T(cudaMemcpy(back, device, 5, cudaMemcpyDeviceToHost));
  std::puts(back);
}
CASE(boxes) {
  char* device;
  T(cudaMalloc(&device, 64));
  T(cudaMemset(device, '.', 64));
  char host[] = "abcdefgh";
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(host, 2, 2, 2);
  p.dstPtr = make_cudaPitchedPtr(device, 4, 4, 3);
  p.dstPos = make_cudaPos(1, 1, 0);
  p.extent = make_cudaExtent(2, 2, 2);
  p.kind = cudaMemcpyHostToDevice;
  T(cudaMemcpy3D(&p));
  char back[25] = "";
  T(cudaMemcpy(back, device, 24, cudaMemcpyDeviceToHost));
  std::puts(back);
}
CASE(elements) {
  CUdeviceptr d;
  D(cuInit(0));
  CUcontext context;
  D(cuCtxCreate(&context, nullptr, 0, 0));
  D(cuMemAlloc(&d, 16));
  D(cuMemsetD32(d, 0x01020304, 2));
  D(cuMemsetD16(d + 8, 0x0506, 2));
  D(cuMemsetD16(d + 9, 0, 1));
  unsigned char back[12];
  D(cuMemcpyDtoH(back, d, 12));
  V(back[4]);
  V(back[10]);
}
CASE(pointers) {
  int local;
  void* p;
  cudaPointerAttributes a;
  T(cudaPointerGetAttributes(&a, &local));
  V(a.type);
  T(cudaMalloc(&p, 64));
  T(cudaPointerGetAttributes(&a, static_cast<char*>(p) + 63));
  V(a.type);
  T(cudaMallocHost(&p, 64));
  T(cudaPointerGetAttributes(&a, p));
  V(a.type);
  T(cudaMallocManaged(&p, 64));
  T(cudaPointerGetAttributes(&a, p));
  V(a.type);
  std::size_t size = 0;
  D(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)p + 3));
  V(size);
  D(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)&local));
}
CASE(registered) {
  static char block[8192];
  void* seen = nullptr;
  T(cudaHostGetDevicePointer(&seen, block, 0));
  T(cudaHostRegister(block, sizeof(block), cudaHostRegisterMapped));
  T(cudaHostRegister(block, sizeof(block), cudaHostRegisterMapped));
  T(cudaHostGetDevicePointer(&seen, block, 0));
  V(seen == block);
  T(cudaHostRegister(nullptr, 8, 0));
  T(cudaHostUnregister(block));
  T(cudaHostUnregister(block));
}
CASE(pools) {
  cudaMemPool_t pool;
  T(cudaDeviceGetDefaultMemPool(&pool, 0));
  void* p;
  T(cudaMallocAsync(&p, 1 << 20, nullptr));
  unsigned long long used = 0;
  T(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  V(used);
  T(cudaFreeAsync(p, nullptr));
  T(cudaDeviceSynchronize());
  T(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  V(used);
  T(cudaMemPoolDestroy(pool));
  used = 1;
  T(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used));
  T(cudaFreeAsync(&used, nullptr));
}
CASE(virtual_memory) {
  cudaFree(nullptr);
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  std::size_t unit = 0;
  D(cuMemGetAllocationGranularity(&unit, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  CUdeviceptr base;
  CUmemGenericAllocationHandle handle;
  D(cuMemAddressReserve(&base, 2 * unit, 0, 0, 0));
  D(cuMemCreate(&handle, unit + 1, &kind, 0));
  D(cuMemCreate(&handle, unit, &kind, 0));
  D(cuMemMap(base, unit, 0, handle, 0));
  D(cuMemMap(base, unit, 0, handle, 0));
  CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  D(cuMemSetAccess(base, unit, &access, 1));
  D(cuMemsetD8(base, 7, unit));
  char back = 0;
  D(cuMemcpyDtoH(&back, base + unit - 1, 1));
  V(back);
  D(cuMemAddressFree(base, 2 * unit));
  D(cuMemUnmap(base, unit));
  D(cuMemRelease(handle));
  D(cuMemAddressFree(base, 2 * unit));
}
CASE(peers) {
  int can = -1;
  T(cudaDeviceCanAccessPeer(&can, 0, 1));
  V(can);
  T(cudaDeviceEnablePeerAccess(1, 0));
  T(cudaDeviceEnablePeerAccess(1, 0));
  T(cudaDeviceEnablePeerAccess(0, 0));
  T(cudaDeviceDisablePeerAccess(1));
  T(cudaDeviceDisablePeerAccess(1));
}
CASE(reset) {
  void* p;
  cudaStream_t s;
  T(cudaMalloc(&p, 64));
  T(cudaStreamCreate(&s));
  T(cudaDeviceReset());
  T(cudaStreamSynchronize(s));
  T(cudaFree(p));
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("memory"), CASES)


def test_allocations_when_their_sizes_are_strange(program: Program) -> None:
    """cuda_runtime_api.h, cudaMallocManaged, and cuda.h, cuMemAlloc: 0 bytes are an error."""
    assert program.run("sizes").lines == [
        *("cudaSuccess", "1", "cudaErrorInvalidValue", "cudaErrorInvalidValue"),
        *("cudaErrorMemoryAllocation", "CUDA_ERROR_INVALID_VALUE", "cudaSuccess", "512"),
    ]


def test_frees_when_the_memory_is_of_another_kind(program: Program) -> None:
    assert program.run("frees").lines == [
        *["cudaSuccess"] * 2,
        *["cudaErrorInvalidValue"] * 3,
        *("cudaSuccess", "cudaErrorInvalidValue", "cudaSuccess", "cudaSuccess"),
    ]


def test_copies_when_their_direction_is_wrong(program: Program) -> None:
    """cuda_runtime_api.h, cudaMemcpy: such a copy is undefined; here it is an error."""
    assert program.run("directions").lines == [
        *["cudaSuccess"] * 3,
        "text",
        *["cudaErrorInvalidValue"] * 2,
        "cudaErrorInvalidMemcpyDirection",
        *("cudaErrorInvalidValue", "cudaSuccess", "cudaErrorInvalidValue"),
    ]


def test_rows_when_copied_and_filled(program: Program) -> None:
    """cuda_runtime_api.h, cudaMemcpy2D: a pitch below the width has an error of its own."""
    assert program.run("rows").lines == [
        *["cudaSuccess"] * 4,
        "ijpq.",
        "cudaErrorInvalidPitchValue",
        *["cudaSuccess"] * 2,
        "xjpqx",
    ]


def test_boxes_when_copied(program: Program) -> None:
    lines = program.run("boxes").lines
    assert lines == [*["cudaSuccess"] * 4, ".....ab..cd......ef..gh."]


def test_elements_when_filled_by_the_driver(program: Program) -> None:
    """cuda.h, cuMemsetD16: addresses are multiples of two."""
    assert program.run("elements").lines == [
        *["CUDA_SUCCESS"] * 5,
        *("CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS", "4", "6"),
    ]


def test_pointers_when_asked_for_their_kind(program: Program) -> None:
    """cuda_runtime_api.h, cudaPointerGetAttributes; 0 to 3 are its kinds of memory."""
    assert program.run("pointers").lines == [
        *("cudaSuccess", "0"),
        *("cudaSuccess", "cudaSuccess", "2"),
        *("cudaSuccess", "cudaSuccess", "1"),
        *("cudaSuccess", "cudaSuccess", "3"),
        *("CUDA_SUCCESS", "64", "CUDA_ERROR_INVALID_VALUE"),
    ]


def test_host_memory_when_registered(program: Program) -> None:
    assert program.run("registered").lines == [
        "cudaErrorInvalidValue",
        "cudaSuccess",
        "cudaErrorHostMemoryAlreadyRegistered",
        *("cudaSuccess", "1", "cudaErrorInvalidValue", "cudaSuccess"),
        "cudaErrorHostMemoryNotRegistered",
    ]


def test_pools_when_used(program: Program) -> None:
    """cuda.h, CU_MEMPOOL_ATTR_USED_MEM_HIGH (set to 0 only) and cuMemPoolDestroy."""
    assert program.run("pools").lines == [
        *["cudaSuccess"] * 3,
        "1048576",
        *["cudaSuccess"] * 3,
        "0",
        *["cudaErrorInvalidValue"] * 3,
    ]


def test_virtual_memory_when_mapped(program: Program) -> None:
    """cuda.h, cuMemCreate and cuMemMap: sizes are multiples; a range is mapped once."""
    assert program.run("virtual_memory").lines == [
        *["CUDA_SUCCESS"] * 2,
        *("CUDA_ERROR_INVALID_VALUE", "CUDA_SUCCESS", "CUDA_SUCCESS"),
        "CUDA_ERROR_INVALID_VALUE",
        *["CUDA_SUCCESS"] * 3,
        *("7", "CUDA_ERROR_INVALID_VALUE"),
        *["CUDA_SUCCESS"] * 3,
    ]


def test_peers_when_enabled_twice(program: Program) -> None:
    assert program.on(release=RELEASE, devices=2).run("peers").lines == [
        *("cudaSuccess", "1", "cudaSuccess", "cudaErrorPeerAccessAlreadyEnabled"),
        *("cudaErrorInvalidDevice", "cudaSuccess", "cudaErrorPeerAccessNotEnabled"),
    ]


def test_what_a_device_had_when_it_is_reset(program: Program) -> None:
    """cuda_runtime_api.h, cudaDeviceReset: everything of the device is destroyed."""
    assert program.run("reset").lines == [
        *["cudaSuccess"] * 3,
        *("cudaErrorInvalidResourceHandle", "cudaErrorInvalidValue"),
    ]
