"""Grids whose blocks wait for each other: as many as occupancy allows can meet, and no more."""

from dataclasses import dataclass

import pytest

from tests.porting.emulate import cuda_programs, hip_programs
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(900)

CASES = r"""
__device__ unsigned arrived;
// What a thread has on its stack is there when it goes on.
__global__ void meets(unsigned* wrong, unsigned grid) {
  extern __shared__ unsigned ours[];
  volatile unsigned own[8];
  own[threadIdx.x % 8] = threadIdx.x ^ blockIdx.x;
  if (threadIdx.x == 0) ours[0] = blockIdx.x;
  for (unsigned round = 1; round <= 2; ++round) {
    if (threadIdx.x == 0) atomicAdd(&arrived, 1u);
    cooperative_groups::this_grid().sync();
    const unsigned now = atomicAdd(&arrived, 0u);
    if (now != round * grid || ours[0] != blockIdx.x ||
        own[threadIdx.x % 8] != (threadIdx.x ^ blockIdx.x)) atomicAdd(wrong, 1u);
    cooperative_groups::this_grid().sync();
  }
}
__global__ void meets_block(int* out) {
  __shared__ int first;
  if (threadIdx.x == 0) first = 1;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) *out = first;
}
static void try_grid(int block, int shared) {
  int held = 0, processors = 0;
  unsigned* wrong;
  T(gpuMalloc((void**)&wrong, 4));
  T(gpuMemset(wrong, 0, 4));
  T(gpuDeviceGetAttribute(&processors, kProcessors, 0));
  T(gpuOccupancyMaxActiveBlocksPerMultiprocessor(&held, (void*)meets, block, shared));
  unsigned grid = held * processors, found = 1;
  V(grid);
  void* values[] = {&wrong, &grid};
  T(gpuLaunchCooperativeKernel((void*)meets, dim3(grid), dim3(block), values, shared, 0));
  T(gpuMemcpy(&found, wrong, 4, gpuMemcpyDeviceToHost));
  V(found);
  T(gpuLaunchCooperativeKernel((void*)meets, dim3(grid + 1), dim3(block), values, shared, 0));
  T(gpuDeviceSynchronize());
}
CASE(small_blocks) { try_grid(64, 4); }
CASE(blocks) { try_grid(256, 4); }
CASE(large_blocks) { try_grid(1024, 4); }
CASE(shared_memory) { try_grid(256, 40 << 10); }
CASE(no_mapping) {
  int* out;
  T(gpuMalloc((void**)&out, 4));
  meets_block<<<1, 1>>>(out);
  T(gpuDeviceSynchronize());
  std::vector<void*> taken(1 << 20);
  std::size_t count = 0;
  // Neighbours of another protection are mappings of their own.
  for (void* at; count < taken.size(); taken[count++] = at) {
    const int access = count % 2 ? PROT_READ : PROT_NONE;
    at = ::mmap(nullptr, 4096, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) break;
  }
  // The program's own heap needs some; two for each of 256 stacks are not left.
  for (int i = 0; i < 100; ++i) ::munmap(taken[--count], 4096);
  meets_block<<<1, 256>>>(out);
  const auto status = gpuDeviceSynchronize();
  for (std::size_t i = 0; i < count; ++i) ::munmap(taken[i], 4096);
  T(status);
}
"""
CUDA = "#include <sys/mman.h>\n#include <vector>\n#include <cooperative_groups.h>\n"
HIP = "#include <sys/mman.h>\n#include <hip/hip_cooperative_groups.h>\n"


@dataclass(frozen=True)
class Front:
    """A program of one platform; processors of the device, and its threads on each."""

    program: Program
    prefix: str
    processors: int


@pytest.fixture(scope="module", params=["cuda", "hip"])
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Front:
    folder = tmp_path_factory.mktemp("cooperative")
    cases = CASES.replace("gpu", request.param)
    if request.param == "cuda":
        home = request.getfixturevalue("cuda_home")
        cases = cases.replace("kProcessors", "cudaDevAttrMultiProcessorCount")
        return Front(cuda_programs.build(home, folder, CUDA + cases), "cuda", 132)
    tree = request.getfixturevalue("sysroot")
    cases = cases.replace("kProcessors", "hipDeviceAttributeMultiprocessorCount")
    return Front(hip_programs.build(tree, folder, HIP + cases), "hip", 304)


@pytest.mark.parametrize(
    ("case", "cuda", "hip"),
    [("small_blocks", 32, 32), ("blocks", 8, 8), ("large_blocks", 2, 2), ("shared_memory", 5, 1)],
)
def test_grid_when_it_is_as_large_as_occupancy_allows(
    front: Front, case: str, cuda: int, hip: int
) -> None:
    """cuda_runtime_api.h, cudaLaunchCooperativeKernel; hip_runtime_api.h: the grid's limit."""
    ran = front.program.run(case)
    ok = f"{front.prefix}Success"
    assert ran.lines == [
        *[ok] * 4,
        str(front.processors * (cuda if front.prefix == "cuda" else hip)),
        *(ok, ok, "0", f"{front.prefix}ErrorCooperativeLaunchTooLarge", ok),
    ]
    assert not ran.findings


def test_stacks_when_no_mapping_is_left_for_their_guards(front: Front) -> None:
    ran = front.program.run("no_mapping")
    ok = f"{front.prefix}Success"
    out_of_memory = "cudaErrorMemoryAllocation" if front.prefix == "cuda" else "hipErrorOutOfMemory"
    assert ran.lines == [ok, ok, out_of_memory]
    assert "kernel meets_block(int*): no mapping is left for the stack of a thread" in ran.errors
