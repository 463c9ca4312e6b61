"""Programs whose default stream is the thread's: --default-stream per-thread."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import build
from tests.porting.emulate.hip_programs import Program

pytestmark = pytest.mark.timeout(600)

CASES = r"""
static std::atomic<bool> is_held{false};
static std::atomic<bool> go{false};
static void hold(void*) {
  is_held = true;
  while (!go) usleep(100);
}
__global__ void put(int* p, int value) { p[0] = value; }
CASE(apart) {
  int* p;
  T(cudaMalloc(&p, sizeof(int)));
  std::thread other([] {
    cudaLaunchHostFunc(nullptr, hold, nullptr);
    cudaStreamSynchronize(nullptr);
  });
  while (!is_held) usleep(100);
  put<<<1, 1>>>(p, 8);
  T(cudaGetLastError());
  int back = 0;
  T(cudaMemcpyAsync(&back, p, sizeof(int), cudaMemcpyDeviceToHost, nullptr));
  T(cudaStreamSynchronize(nullptr));
  V(back);
  T(cudaStreamQuery(cudaStreamPerThread));
  go = true;
  other.join();
}
CASE(located) {
  char host[128];
  char* device;
  T(cudaMalloc(&device, 64));
#line 900 "program"
  T(cudaMemcpyAsync(device, host, 128, cudaMemcpyHostToDevice, nullptr));
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    folder = tmp_path_factory.mktemp("threads")
    return build(cuda_home, folder, CASES, ["--default-stream", "per-thread"])


def test_default_streams_when_another_thread_holds_its_own(program: Program) -> None:
    """CUDA C++ Programming Guide, "Default Stream"."""
    lines = program.run("apart").lines
    assert lines == [*["cudaSuccess"] * 4, "8", "cudaSuccess"]


def test_finding_when_the_call_goes_by_a_name_for_threads(program: Program) -> None:
    ran = program.run("located")
    assert ran.lines == ["cudaSuccess", "cudaErrorInvalidValue"]
    assert "program:900" in ran.errors
