"""What is told of accesses to shared memory: of each width, of the last ones, of equal values."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import build
from tests.porting.emulate.hip_programs import Program

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("shared accesses")]

CASES = r"""
void launch(void (*kernel)(int*), int threads) {
  int* out;
  T(cudaMalloc(&out, 4096));
  kernel<<<1, threads>>>(out);
  T(cudaDeviceSynchronize());
}
__global__ void last_write(int*) {
  volatile __shared__ int place;
  place = threadIdx.x;
}
__global__ void other(int* out) {
  __shared__ int places[64];
  places[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = places[63 - threadIdx.x];
}
CASE(last) {
  launch(last_write, 2);
  launch(other, 64);
}
__global__ void one_value(int*) {
  volatile __shared__ int flag;
  flag = 7;
}
CASE(equal) { launch(one_value, 64); }
__global__ void own_bytes(int* out) {
  __shared__ char bytes[64];
  bytes[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = reinterpret_cast<int*>(bytes)[threadIdx.x];
}
CASE(bytes) { launch(own_bytes, 64); }
__global__ void early_word(int* out) {
  __shared__ char bytes[64];
  bytes[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 63) out[0] = reinterpret_cast<int*>(bytes)[0];
}
CASE(word_of_bytes) { launch(early_word, 64); }
__global__ void early_row(int* out) {
  __shared__ float4 rows[16];
  reinterpret_cast<float*>(rows)[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 63) *reinterpret_cast<float4*>(out) = rows[15];
}
CASE(wide) { launch(early_row, 64); }
__global__ void past_end(int* out) {
  __shared__ char bytes[6];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  out[0] = reinterpret_cast<int*>(bytes)[1];
}
CASE(end) { launch(past_end, 6); }
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("shared"), CASES)


@pytest.mark.parametrize(
    ("case", "code", "kernel"),
    [
        ("last", "EMU004", "last_write(int*)"),
        ("word_of_bytes", "EMU004", "early_word(int*)"),
        ("wide", "EMU004", "early_row(int*)"),
        ("end", "EMU001", "past_end(int*)"),
    ],
)
def test_access_when_it_is_wrong(program: Program, case: str, code: str, kernel: str) -> None:
    found = program.run(case).findings
    assert [(each["code"], each["kernel"]) for each in found] == [(code, kernel)]


@pytest.mark.parametrize("case", ["equal", "bytes"])
def test_access_when_it_is_right(program: Program, case: str) -> None:
    assert program.run(case).findings == []
