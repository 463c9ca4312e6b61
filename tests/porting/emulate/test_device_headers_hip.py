"""HIP's device functions on the emulator, in waves of 32 and of 64 lanes."""

from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.errors import InputError
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.device_code import Array, Device, Launch

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

RUNTIME = "#include <hip/hip_runtime.h>\n"
LANES = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


@pytest.fixture(params=[32, 64], ids=["wave32", "wave64"])
def device(request: pytest.FixtureRequest, sysroot: Sysroot, tmp_path: Path) -> Device:
    return Device(Headers("rocm", sysroot.path, sysroot.rocm), request.param, tmp_path)


def test_positions_are_those_of_the_grid(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void places(int* out) {
  const int block = (hipBlockIdx_z * gridDim.y + blockIdx.y) * hipGridDim_x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const dim3 size = blockDim;
  int* mine = out + 4 * (block * (size.x * size.y * size.z) + thread);
  mine[0] = block;
  mine[1] = thread;
  mine[2] = __lane_id();
  mine[3] = warpSize;
}
"""
    )
    out = np.zeros((2 * 3 * 2, 5 * 4 * 6, 4), np.int32)
    ran = device.run(source, [Launch("places", (out,), block=(5, 4, 6), grid=(2, 3, 2))])
    found = ran.arguments[0][0]
    threads = np.arange(120)
    assert (found[:, :, 0] == np.arange(12)[:, None]).all()
    assert (found[:, :, 1] == threads).all()
    assert (found[:, :, 2] == threads % device.wave).all()
    assert (found[:, :, 3] == device.wave).all()


def _index(lane: int, at: int, width: int) -> int:
    return (lane & ~(width - 1)) + (at & (width - 1))


def _up(lane: int, by: int, width: int) -> int:
    return lane - by if lane - by >= (lane & ~(width - 1)) else lane


def _down(lane: int, by: int, width: int) -> int:
    return lane + by if (lane & (width - 1)) + by < width else lane


def _xor(lane: int, by: int, width: int) -> int:
    return lane ^ by if lane ^ by < ((lane + width) & ~(width - 1)) else lane


SHUFFLES = {"__shfl": _index, "__shfl_up": _up, "__shfl_down": _down, "__shfl_xor": _xor}


KINDS: dict[str, type] = {
    "int": np.int32,
    "unsigned long long": np.uint64,
    "float": np.float32,
    "double": np.float64,
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_shuffles_read_the_lane_that_the_vendors_header_names(device: Device, name: str) -> None:
    wave = device.wave
    cases = [(3, wave), (1, 8), (9, 16), (0, 4)]
    calls = "".join(
        f"out[{2 * number} * {wave} + i] = {name}(in[i], {by}, {width});\n"
        f"out[{2 * number + 1} * {wave} + i] = {name}_sync(~0ULL, in[i], {by}, {width});\n"
        for number, (by, width) in enumerate(cases)
    )
    kernels = "".join(
        f'extern "C" __global__ void shuffles{number}(const {kind}* in, {kind}* out)'
        f"{{ {LANES} {calls} }}\n"
        for number, kind in enumerate(KINDS)
    )
    values = np.arange(wave) * 1_000_003 % 65_537
    launches = [
        Launch(
            f"shuffles{number}",
            (values.astype(dtype), np.zeros((len(cases), 2, wave), dtype)),
            block=(wave, 1, 1),
        )
        for number, dtype in enumerate(KINDS.values())
    ]
    ran = device.run(RUNTIME + kernels, launches)
    for _, out in ran.arguments:
        for number, (by, width) in enumerate(cases):
            wanted = values[[SHUFFLES[name](lane, by, width) for lane in range(wave)]]
            assert (out[number] == wanted).all(), (out.dtype, by, width)
    assert not ran.findings


def test_votes_are_of_the_lanes_that_come_together(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void votes(const int* in, unsigned long long* out) {
  unsigned long long* mine = out + 8 * threadIdx.x;
  if (in[threadIdx.x] % 3 == 0) {
    mine[0] = __activemask();
    mine[1] = __ballot(in[threadIdx.x] % 2);
    mine[2] = __any(in[threadIdx.x] == 3) + 2 * __all(in[threadIdx.x] % 3 == 0);
    mine[3] = __lanemask_lt();
    mine[4] = __lanemask_gt();
  } else {
    mine[0] = __activemask();
    mine[1] = __ballot64(in[threadIdx.x] % 2);
    mine[2] = __any(in[threadIdx.x] == 3) + 2 * __all(in[threadIdx.x] % 3 == 1);
    mine[3] = __builtin_amdgcn_readfirstlane(in[threadIdx.x]);
    mine[4] = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  }
}
"""
    )
    wave = device.wave
    values = np.arange(wave, dtype=np.int32) * 7 % 31
    out = np.zeros((wave, 8), np.uint64)
    ran = device.run(source, [Launch("votes", (values, out), block=(wave, 1, 1))])
    found = [[int(value) for value in row] for row in ran.arguments[0][1]]
    threes = [lane for lane in range(wave) if values[lane] % 3 == 0]
    others = [lane for lane in range(wave) if values[lane] % 3 != 0]
    for lane in threes:
        mask = sum(1 << other for other in threes)
        odd = sum(1 << other for other in threes if values[other] % 2)
        below = mask & ((1 << lane) - 1)
        above = mask & ~((2 << lane) - 1)
        assert found[lane][:5] == [mask, odd, int(3 in values[threes]) + 2, below, above]
    for lane in others:
        mask = sum(1 << other for other in others)
        odd = sum(1 << other for other in others if values[other] % 2)
        assert found[lane][:5] == [mask, odd, 0, values[others[0]], lane]


def test_functions_with_a_mask_are_of_its_lanes(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void masked(const int* in, unsigned long long* out) {
  const bool low = __lane_id() % 4 < 2;
  const unsigned long long mask = low ? 0x3333333333333333ULL : 0xCCCCCCCCCCCCCCCCULL;
  unsigned long long* mine = out + 8 * threadIdx.x;
  const int value = in[threadIdx.x];
  int same = 7;
  mine[0] = __ballot_sync(mask, value % 2);
  mine[1] = __match_any_sync(mask, value % 5);
  mine[2] = __match_all_sync(mask, (int)low, &same);
  mine[3] = same;
  mine[4] = __reduce_add_sync(mask, value);
  mine[5] = __reduce_min_sync(mask, value);
  mine[6] = __reduce_max_sync(mask, (unsigned)value);
  mine[7] = __any_sync(mask, value == 0) + 2 * __all_sync(mask, value < 97);
  __syncwarp(mask);
}
"""
    )
    wave = device.wave
    values = np.arange(wave, dtype=np.int32) * 37 % 97
    out = np.zeros((wave, 8), np.uint64)
    ran = device.run(source, [Launch("masked", (values, out), block=(wave, 1, 1))])
    for lane in range(wave):
        mine = [other for other in range(wave) if (other % 4 < 2) == (lane % 4 < 2)]
        group = values[mine]

        def mask_of(chosen: Array, mine: list[int] = mine) -> int:
            return sum(1 << other for other, is_in in zip(mine, chosen, strict=True) if is_in)

        assert [int(value) for value in ran.arguments[0][1][lane]] == [
            mask_of(group % 2 == 1),
            mask_of(group % 5 == values[lane] % 5),
            mask_of(group >= 0),
            1,
            group.sum(),
            group.min(),
            group.max(),
            int(0 in group) + 2,
        ]
    assert not ran.findings


def test_bits_reduced_over_a_mask_with_gaps_are_asked_for_alone(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void bits(unsigned* out) {
  const unsigned value = 2 + threadIdx.x % 4;
  unsigned* mine = out + 4 * threadIdx.x;
  mine[0] = __reduce_or_sync(~0ULL, value);
  mine[1] = __reduce_and_sync(~0ULL, value | 8);
  if (threadIdx.x % 2) mine[2] = __reduce_or_sync(0xAAAAAAAAAAAAAAAAULL, value);
  if (threadIdx.x == 5) mine[3] = __reduce_xor_sync(1ULL << 5, value);
}
"""
    )
    out = np.zeros((device.wave, 4), np.uint32)
    ran = device.run(source, [Launch("bits", (out,), block=(device.wave, 1, 1))])
    found = ran.arguments[0][0]
    assert (found[:, 0] == 7).all()
    assert (found[:, 1] == 8).all()
    # amd_warp_sync_functions.h of 7.1: || where it should say |.
    assert (found[1::2, 2] == 1).all()
    assert found[5, 3] == 3


def test_a_narrow_mask_is_refused_where_it_is_given(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void narrow(int* out) {
  out[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, out[threadIdx.x], 0);
}
"""
    )
    with pytest.raises(InputError, match="64-bit integer on this platform") as caught:
        device.compile(source)
    assert "unit.hip:4:22" in str(caught.value)


def test_atomics_add_up_over_all_threads(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f,
                                   double* d) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], at);
  atomicMax(&i[1], at);
  atomicMin(&i[2], -at);
  atomicAdd_system(&i[3], 2);
  __hip_atomic_fetch_add(&i[4], 3, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  atomicInc(&u[0], 6);
  atomicDec(&u[1], 6);
  atomicOr(&u[2], 1u << (at % 31));
  atomicXor(&u[3], (unsigned)at);
  atomicAdd(&l[0], 1ULL << 33);
  atomicCAS(&l[1], 5ULL, 99ULL);
  unsafeAtomicAdd(&f[0], 0.5f);
  atomicMax(&f[1], (float)at);
  atomicAdd(&d[0], 0.25);
  atomicMin(&d[1], -(double)at);
}
"""
    )
    arrays = [np.zeros(8, kind) for kind in (np.int32, np.uint32, np.uint64, np.float32)]
    arrays[2][1] = 5
    ran = device.run(
        source,
        [Launch("atomics", (*arrays, np.zeros(8)), block=(96, 1, 1), grid=(5, 1, 1))],
    )
    integers, words, longs, floats, doubles = ran.arguments[0]
    count = 480
    total = count * (count - 1) // 2
    assert list(integers[:5]) == [total, count - 1, 1 - count, 2 * count, 3 * count]
    assert list(words[:3]) == [count % 7, (7 - count % 7) % 7, 2**31 - 1]
    assert words[3] == np.bitwise_xor.reduce(np.arange(count))
    assert list(longs[:2]) == [count << 33, 99]
    assert list(floats[:2]) == [count / 2, count - 1]
    assert list(doubles[:2]) == [count / 4, 1 - count]
    assert not ran.findings


def test_dynamic_shared_memory_has_the_size_of_the_launch(device: Device) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void reversed(int* values) {
  HIP_DYNAMIC_SHARED(int, kept)
  kept[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
"""
    )
    values = np.arange(200, dtype=np.int32)
    ran = device.run(source, [Launch("reversed", (values,), block=(200, 1, 1), shared=800)])
    assert (ran.arguments[0][0] == values[::-1]).all()
    assert not ran.findings


def test_device_code_prints_and_has_a_heap(device: Device) -> None:
    source = (
        RUNTIME
        + """
#include <new>
extern "C" __global__ void prints(int* out) {
  int* own = new int[4];
  for (int k = 0; k < 4; ++k) own[k] = k * (threadIdx.x + 1);
  void* raw = malloc(16);
  memcpy(raw, own, 16);
  out[threadIdx.x] = ((int*)raw)[3];
  if (threadIdx.x == 2) printf("thread %d of %s: %.2f\\n", threadIdx.x, "wave", 1.5);
  free(raw);
  delete[] own;
}
"""
    )
    ran = device.run(source, [Launch("prints", (np.zeros(8, np.int32),), block=(8, 1, 1))])
    assert list(ran.arguments[0][0]) == [3 * (thread + 1) for thread in range(8)]
    assert ran.output == "thread 2 of wave: 1.50\n"


@pytest.mark.parametrize(
    "line",
    [
        "p[0] += p[2000];",
        "p[0].x = __ldg(q + 100000);",
        "atomicAdd(q + 100000, 1.0f);",
        "((__half2*)q)[0] = __hadd2(((__half2*)q)[100000], __half2());",
        "memcpy(p, q + 100000, 64);",
        "__hip_atomic_fetch_add(q + 100000, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
    ],
)
def test_what_the_vendors_functions_access_is_told_at_the_line_of_the_program(
    sysroot: Sysroot, tmp_path: Path, line: str
) -> None:
    source = f"""#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void far(float4* p, float* q) {{
  {line}
}}
"""
    device = Device(Headers("rocm", sysroot.path, sysroot.rocm), 64, tmp_path)
    values = np.zeros(64, np.float32)
    ran = device.run(source, [Launch("far", (values, values), block=(1, 1, 1))])
    assert ran.findings
    found = ran.findings[0]
    assert found["kind"] == "out of bounds"
    assert (found["at"]["file"], found["at"]["line"]) == (str(tmp_path / "unit.hip"), 4)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("out[0] = __no_such_function(out[1]);", "undeclared identifier '__no_such_function'"),
        ("out[0] = getpid();", "__host__ function from __global__ function"),
        ("out[0] = __builtin_amdgcn_mfma_f32_4x4x1f32(1, 2, 3);", "__builtin_amdgcn_mfma"),
        ("out[0] = __dp4a(1, 2, 3);", "undeclared identifier '__dp4a'"),
        ("atomicAdd_block(out, 1);", "undeclared identifier 'atomicAdd_block'"),
        ("constexpr int lanes = warpSize; out[0] = lanes;", "constant expression"),
    ],
)
def test_what_is_missing_is_an_error_at_its_line(device: Device, line: str, said: str) -> None:
    source = f"""#include <hip/hip_runtime.h>
#include <unistd.h>
__global__ void asks(int* out) {{
  {line}
}}
"""
    with pytest.raises(InputError, match=r"unit\.hip:4:") as caught:
        device.compile(source)
    assert said in str(caught.value)


@pytest.mark.parametrize("header", ["hiprand/hiprand_kernel.h", "rocrand/rocrand_kernel.h"])
def test_headers_that_are_not_emulated_say_so(device: Device, header: str) -> None:
    with pytest.raises(InputError, match=r"the emulator has no (hip|roc)rand device"):
        device.compile(f"#include <{header}>\n")


def test_release_6_has_its_own_wave_functions(
    sysroot: Sysroot, sysroot_6_2: Sysroot, tmp_path: Path
) -> None:
    linked = Headers("rocm", sysroot.path, sysroot.rocm)
    device = Device(Headers("rocm", sysroot_6_2.path, "6.2"), 64, tmp_path, linked)
    body = "__global__ void k(int* out) { int kept[warpSize]; kept[0] = %s; out[0] = kept[0]; }"
    device.compile(RUNTIME + body % "1", name="constant")
    masked = RUNTIME + body % "__shfl_sync(~0ULL, out[1], 0)"
    with pytest.raises(InputError, match="__shfl_sync"):
        device.compile(masked, name="without")
    device.compile(masked, "-DHIP_ENABLE_WARP_SYNC_BUILTINS", name="with")
    with pytest.raises(InputError, match="__syncwarp"):
        device.compile(RUNTIME + "__global__ void k() { __syncwarp(); }", name="later")
