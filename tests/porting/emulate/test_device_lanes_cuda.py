"""CUDA's shuffles, votes, atomics, barriers and indices on the emulator."""

from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.errors import InputError
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Array, Device, Launch

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

LANES = np.arange(32)


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def launched(device: Device, source: str, launch: Launch) -> list[Array]:
    ran = device.run(source, [launch])
    assert (ran.status, ran.findings) == (0, []), ran.errors
    return ran.arguments[0]


def test_indices_say_where_a_thread_is(device: Device) -> None:
    source = """
extern "C" __global__ void where(unsigned* out) {
  const dim3 block = blockDim;
  const uint3 thread = threadIdx;
  auto copied = blockIdx;
  const unsigned number = thread.x + block.x * (thread.y + block.y * thread.z);
  const unsigned cell = copied.x + gridDim.x * (copied.y + gridDim.y * copied.z);
  out[cell * block.x * block.y * block.z + number] = number + 1000 * cell + warpSize;
}
"""
    given = (np.zeros(4 * 24, np.uint32),)
    (found,) = launched(device, source, Launch("where", given, block=(4, 3, 2), grid=(2, 1, 2)))
    expected = np.arange(24)[None, :] + 1000 * np.arange(4)[:, None] + 32
    assert (found.reshape(4, 24) == expected).all()


def shuffled(kind: str, argument: int, width: int) -> Array:
    """Return the lane that each lane reads: CUDA C++ Programming Guide, warp shuffles."""
    first = LANES & ~(width - 1)
    if kind == "":
        return first + (argument & (width - 1))
    if kind == "up":
        return np.where(LANES - argument >= first, LANES - argument, LANES)
    if kind == "down":
        return np.where((LANES - first) + argument < width, LANES + argument, LANES)
    return np.where((LANES ^ argument) < first + width, LANES ^ argument, LANES)


@pytest.mark.parametrize("width", [32, 8, 1])
@pytest.mark.parametrize("kind", ["", "up", "down", "xor"])
def test_shuffles_read_the_lane_of_the_vendors_rule(device: Device, kind: str, width: int) -> None:
    name = f"__shfl_{kind}_sync" if kind else "__shfl_sync"
    source = f"""
template <typename T> __device__ T moved(T value, int argument) {{
  return {name}(0xFFFFFFFFu, value, argument, {width});
}}
extern "C" __global__ void shuffle(int* i, double* d, unsigned long long* q, float* f, int by) {{
  const int lane = threadIdx.x;
  i[lane] = moved(lane - 5, by);
  d[lane] = moved(lane * 0.25, by);
  q[lane] = moved(lane * 0x100000001ull, by);
  f[lane] = moved(-float(lane), by);
}}
"""
    for argument in (0, 1, 3, 17):
        given = tuple(np.zeros(32, kind) for kind in ("i4", "f8", "u8", "f4"))
        launch = Launch("shuffle", (*given, np.int32(argument)), block=(32, 1, 1))
        ints, doubles, longs, floats, _ = launched(device, source, launch)
        read = shuffled(kind, argument, width)
        assert (ints == read - 5).all()
        assert (doubles == read * 0.25).all()
        assert (longs == read.astype(np.uint64) * np.uint64(0x100000001)).all()
        assert (floats == -read).all()


def test_votes_and_reductions_are_of_the_lanes_in_the_mask(device: Device) -> None:
    source = """
extern "C" __global__ void votes(unsigned* out, int* sums) {
  const int lane = threadIdx.x;
  if (lane >= 20) return;
  const unsigned mask = 0x000FFFFF;
  unsigned* mine = out + 10 * lane;
  int same = 7;
  mine[0] = __ballot_sync(mask, lane % 3 == 0);
  mine[1] = __any_sync(mask, lane == 5) + 2 * __any_sync(mask, lane == 40);
  mine[2] = __all_sync(mask, lane < 20) + 2 * __all_sync(mask, lane < 19);
  mine[3] = __match_any_sync(mask, lane / 8);
  mine[4] = __match_all_sync(mask, 3.5, &same);
  mine[5] = same;
  mine[6] = __match_all_sync(mask, lane, &same);
  mine[7] = same;
  mine[8] = __activemask();
  mine[9] = __reduce_xor_sync(mask, 1u << lane);
  sums[4 * lane] = __reduce_add_sync(mask, lane - 10);
  sums[4 * lane + 1] = __reduce_min_sync(mask, lane - 10);
  sums[4 * lane + 2] = __reduce_max_sync(mask, -lane);
  sums[4 * lane + 3] = __reduce_max_sync(mask, (unsigned)(lane - 10)) == 0xFFFFFFFFu;
}
"""
    given = (np.zeros((32, 10), np.uint32), np.zeros((32, 4), np.int32))
    out, sums = launched(device, source, Launch("votes", given, block=(32, 1, 1)))
    every = 0xFFFFF
    matches = [0xFF, 0xFF00, 0xF0000]
    for lane in range(20):
        thirds = sum(1 << n for n in range(0, 20, 3))
        expected = [thirds, 1, 1, matches[lane // 8], every, 1, 0, 0, every, every]
        assert out[lane].tolist() == expected
        assert sums[lane].tolist() == [-10, -10, 0, 1]
    assert not out[20:].any()


def test_atomics_of_all_types_lose_no_update(device: Device) -> None:
    source = """
extern "C" __global__ void update(int* i, unsigned* u, unsigned long long* q, float* f, double* d,
                                  unsigned short* s, long long* l) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(i, 1);
  atomicSub(i + 1, 2);
  atomicMin(i + 2, -number);
  atomicMax_block(i + 3, number);
  atomicAnd(i + 4, ~(1 << number % 31));
  atomicInc(u, 9);
  atomicDec(u + 1, 9);
  atomicOr(u + 2, 1u << number % 32);
  atomicXor_system(u + 3, 1u << number % 32);
  atomicAdd(q, 1ull << 40);
  atomicMax(q + 1, (unsigned long long)number << 33);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  unsigned short old = s[0], seen;
  do {
    seen = old;
    old = atomicCAS(s, seen, (unsigned short)(seen + 1));
  } while (old != seen);
  atomicMin(l, -(long long)number);
}
"""
    count = 4 * 96
    given = (
        np.array([0, 0, 0, 0, -1], np.int32),
        np.array([0, 0, 0, 0], np.uint32),
        np.zeros(2, np.uint64),
        np.zeros(1, np.float32),
        np.zeros(1),
        np.zeros(1, np.uint16),
        np.zeros(1, np.int64),
    )
    launch = Launch("update", given, block=(96, 1, 1), grid=(4, 1, 1))
    i, u, q, f, d, s, wide = launched(device, source, launch)
    assert i.tolist() == [count, -2 * count, 1 - count, count - 1, -(2**31)]
    steps = 0
    for _ in range(count):
        steps = 9 if steps == 0 or steps > 9 else steps - 1
    assert u.tolist() == [count % 10, steps, 2**32 - 1, 0]
    assert q.tolist() == [count << 40, (count - 1) << 33]
    assert (f[0], d[0], s[0], wide[0]) == (count / 2, count / 4, count, 1 - count)


def test_values_of_sixteen_bytes_are_exchanged_whole(device: Device) -> None:
    source = """
extern "C" __global__ void exchange(float4* cell, float4* seen, float2* pairs) {
  const float own = threadIdx.x;
  seen[threadIdx.x] = atomicExch(cell, make_float4(own, own, own, own));
  if (threadIdx.x == 0) {
    const float4 zero = make_float4(-1, -1, -1, -1);
    seen[64] = atomicCAS(cell + 1, zero, make_float4(5, 6, 7, 8));
    seen[65] = atomicCAS(cell + 1, zero, zero);
    pairs[0] = __ffma2_rz(pairs[0], pairs[0], pairs[0]);
    atomicAdd(pairs + 1, make_float2(1, 2));
  }
}
"""
    cells = np.array([[-1.0] * 4] * 2, np.float32)
    given = (cells, np.zeros((66, 4), np.float32), np.array([[2, 3], [10, 20]], np.float32))
    after, seen, pairs = launched(device, source, Launch("exchange", given))
    assert (seen[:64] == seen[:64, :1]).all()
    assert sorted([*seen[:64, 0], after[0, 0]]) == list(range(-1, 64))
    assert after[1].tolist() == [5, 6, 7, 8]
    assert seen[64].tolist() == [-1, -1, -1, -1]
    assert seen[65].tolist() == [5, 6, 7, 8]
    assert pairs.tolist() == [[6, 12], [11, 22]]


def test_barriers_count_predicates_of_the_block(device: Device) -> None:
    source = """
extern "C" __global__ void meet(int* out) {
  __shared__ float4 values[96];
  extern __shared__ int dynamic[];
  const int i = threadIdx.x;
  values[i] = make_float4(i, 0, 0, i);
  dynamic[i] = i;
  const int some = __syncthreads_count(i % 4 == 0);
  const int all = __syncthreads_and(i < 96);
  const int none = __syncthreads_or(i > 96);
  out[i] = 1000 * some + 100 * all + 10 * none + (values[95 - i].w == dynamic[95 - i]);
}
"""
    launch = Launch("meet", (np.zeros(96, np.int32),), block=(96, 1, 1), shared=96 * 4)
    (found,) = launched(device, source, launch)
    assert (found == 24 * 1000 + 100 + 1).all()


def test_device_heap_printf_and_memory_functions_work(device: Device) -> None:
    source = """
#include <cstdio>
#include <cstring>
struct Node { int value; Node* next; };
extern "C" __global__ void build(int* out) {
  Node* list = nullptr;
  for (int i = 0; i < 5; ++i) list = new Node{i, list};
  int* copy = static_cast<int*>(malloc(8 * sizeof(int)));
  memset(copy, 0, 8 * sizeof(int));
  for (int at = 0; list != nullptr; ++at) {
    copy[at] = list->value;
    Node* next = list->next;
    delete list;
    list = next;
  }
  memcpy(out, copy, 8 * sizeof(int));
  free(copy);
  printf("thread %d says %s %.2f\\n", threadIdx.x, "hello", 1.5);
}
"""
    ran = device.run(source, [Launch("build", (np.zeros(8, np.int32),), block=(1, 1, 1))])
    assert (ran.status, ran.findings) == (0, []), ran.errors
    assert ran.arguments[0][0].tolist() == [4, 3, 2, 1, 0, 0, 0, 0]
    assert "thread 0 says hello 1.50" in ran.output


def test_curand_gives_the_published_numbers(device: Device) -> None:
    source = """
#include <curand_kernel.h>
extern "C" __global__ void draw(unsigned* out, float* uniform) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, threadIdx.x, 0, &state);
  const uint4 four = curand4(&state);
  unsigned* mine = out + 4 * threadIdx.x;
  mine[0] = four.x; mine[1] = four.y; mine[2] = four.z; mine[3] = four.w;
  uniform[threadIdx.x] = curand_uniform(&state);
}
"""
    given = (np.zeros((2, 4), np.uint32), np.zeros(2, np.float32))
    out, uniform = launched(device, source, Launch("draw", given, block=(2, 1, 1)))
    # Known answer of Philox4x32-10 for counter 0 and key 0: Salmon et al., Random123.
    assert [hex(word) for word in out[0]] == [
        "0x6627e8d5",
        "0xe169c58d",
        "0xbc57ac4c",
        "0x9b00dbd8",
    ]
    assert (out[0] != out[1]).any()
    assert ((uniform > 0) & (uniform <= 1)).all()


def test_a_function_that_is_missing_is_an_error_at_its_line(device: Device) -> None:
    source = "#include <cstdlib>\n__global__ void ask(int* out) {\n  out[0] = rand();\n}\n"
    with pytest.raises(
        InputError, match=r"unit\.cu:3:12: error: no matching function for call to 'rand'"
    ):
        device.compile(source)


def test_fragments_of_matrices_are_refused_with_the_reason(device: Device) -> None:
    with pytest.raises(InputError, match=r"the emulator has no tensor-core fragments"):
        device.compile("#include <mma.h>\n__global__ void nothing() {}\n")
