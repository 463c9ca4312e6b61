"""Cooperative groups of both vendors on the emulator, in waves of 32 and 64 lanes."""

from pathlib import Path

import numpy as np
import pytest

from porting.errors import InputError
from tests.porting.emulate.device_code import Array, Device, Launch, device_on

pytestmark = pytest.mark.timeout(600)

INCLUDES = {
    "rocm": "#include <hip/hip_runtime.h>\n#include <hip/hip_cooperative_groups.h>\n",
    "cuda": "#include <cooperative_groups.h>\n",
}
GROUPS = "namespace cg = cooperative_groups;\n"
PLATFORMS = [("cuda", 32), ("rocm", 32), ("rocm", 64)]


@pytest.fixture(params=PLATFORMS, ids=[f"{name}{wave}" for name, wave in PLATFORMS])
def device(request: pytest.FixtureRequest, tmp_path: Path) -> Device:
    platform, wave = request.param
    return device_on(request, platform, wave, tmp_path)


@pytest.fixture
def cuda(request: pytest.FixtureRequest, tmp_path: Path) -> Device:
    return device_on(request, "cuda", 32, tmp_path)


def _source(device: Device, text: str) -> str:
    return INCLUDES[device.headers.platform] + GROUPS + text


def test_blocks_and_grids_know_their_sizes_and_ranks(device: Device) -> None:
    text = """
extern "C" __global__ void sizes(unsigned* out) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::grid_group grid = cg::this_grid();
  unsigned* mine = out + 8 * grid.thread_rank();
  mine[0] = block.thread_rank();
  mine[1] = block.size();
  mine[2] = (unsigned)grid.size();
  mine[3] = block.group_index().x + 10 * block.group_index().y;
  mine[4] = block.thread_index().y;
  mine[5] = block.group_dim().x;
  cg::thread_group any = block;
  mine[6] = (unsigned)any.size();
  any.sync();
  mine[7] = (unsigned)any.thread_rank();
}
"""
    out = np.zeros((2 * 3, 5 * 7, 8), np.uint32)
    ran = device.run(_source(device, text), [Launch("sizes", (out,), (5, 7, 1), (2, 3, 1))])
    found = ran.arguments[0][0]
    blocks, threads = np.arange(6)[:, None], np.arange(35)[None, :]
    for at, wanted in enumerate(
        (threads, 35, 210, blocks % 2 + 10 * (blocks // 2), threads // 5, 5, 35, threads)
    ):
        assert (found[:, :, at] == wanted).all(), at
    assert not ran.findings


def test_a_grid_meets_between_its_steps(device: Device) -> None:
    text = """
extern "C" __global__ void steps(int* values, int* sums, int count) {
  const cg::grid_group grid = cg::this_grid();
  const int at = (int)grid.thread_rank();
  for (int step = 0; step < 4; ++step) {
    const int next = values[(at + 1) % count];
    grid.sync();
    values[at] += next;
    grid.sync();
  }
  sums[at] = values[at] + (grid.is_valid() ? 0 : 1000);
}
extern "C" __global__ void valid(int* out) {
  const cg::grid_group grid = cg::this_grid();
  *out = grid.is_valid() ? 1 : 2;
}
"""
    values = np.arange(192, dtype=np.int32) % 17
    arguments = (values, np.zeros(192, np.int32), np.int32(192))
    launch = Launch("steps", arguments, (64, 1, 1), (3, 1, 1), is_cooperative=True)
    alone = Launch("valid", (np.zeros(1, np.int32),), (1, 1, 1))
    ran = device.run(_source(device, text), [launch, alone])
    wanted = values.copy()
    for _ in range(4):
        wanted = wanted + np.roll(wanted, -1)
    assert (ran.arguments[0][1] == wanted).all()
    assert list(ran.arguments[1][0]) == [2]  # that launch was none of a grid that meets
    assert not ran.findings


def _tile_kernel(size: int) -> str:
    return f"""
extern "C" __global__ void tile{size}(const int* in, unsigned long long* out) {{
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<{size}>(block);
  const cg::thread_block_tile<{size}> other = tile;
  const int value = in[block.thread_rank()];
  unsigned long long* mine = out + 12 * block.thread_rank();
  int same = 5;
  mine[0] = tile.thread_rank();
  mine[1] = tile.meta_group_rank() + 1000 * tile.meta_group_size();
  mine[2] = tile.shfl(value, 1);
  mine[3] = tile.shfl_up(value, 1);
  mine[4] = tile.shfl_down(value, 2);
  mine[5] = tile.shfl_xor(value, {size} / 2);
  mine[6] = tile.ballot(value % 2);
  mine[7] = tile.any(value == 3) + 2 * tile.all(value < 90);
  mine[8] = tile.match_any(value % 3);
  mine[9] = tile.match_all(value / 100, same);
  mine[10] = same;
  other.sync();
  mine[11] = other.meta_group_rank() + tile.size() * 1000;
}}
"""


def _ranks(chosen: Array) -> int:
    return sum(1 << rank for rank, is_in in enumerate(chosen) if is_in)


def _tile_wanted(values: Array, size: int) -> list[list[int]]:
    wanted = []
    for at, value in enumerate(values):
        first, rank = at // size * size, at % size
        tile = values[first : first + size]
        wanted.append(
            [
                rank,
                at // size + 1000 * (len(values) // size),
                tile[1],
                tile[rank - 1] if rank else value,
                tile[rank + 2] if rank + 2 < size else value,
                tile[rank ^ (size // 2)],
                _ranks(tile % 2 == 1),
                int(3 in tile) + 2 * int((tile < 90).all()),
                _ranks(tile % 3 == value % 3),
                (1 << size) - 1,
                1,
                at // size + size * 1000,
            ]
        )
    return wanted


def test_tiles_shuffle_and_vote_within_themselves(device: Device) -> None:
    sizes = [size for size in (2, 4, 8, 16, 32, 64) if size <= device.wave]
    values = np.arange(128, dtype=np.int32) * 29 % 97
    launches = [
        Launch(f"tile{size}", (values, np.zeros((128, 12), np.uint64)), (128, 1, 1))
        for size in sizes
    ]
    ran = device.run(_source(device, "".join(map(_tile_kernel, sizes))), launches)
    for size, (_, out) in zip(sizes, ran.arguments, strict=True):
        found = [[int(word) for word in row] for row in out]
        assert found == _tile_wanted(values, size), size
    assert not ran.findings


def test_tiles_are_parted_again_and_by_sizes_of_the_run(device: Device) -> None:
    text = """
extern "C" __global__ void parts(unsigned* out, int size) {
  const cg::thread_block block = cg::this_thread_block();
  const auto outer = cg::tiled_partition<16>(block);
  const auto inner = cg::tiled_partition<4>(outer);
  unsigned* mine = out + 8 * block.thread_rank();
  mine[0] = inner.thread_rank();
  mine[1] = inner.meta_group_rank() + 100 * inner.meta_group_size();
  mine[2] = inner.shfl((int)block.thread_rank(), 3);
  const cg::thread_group tile = cg::tiled_partition(block, size);
  mine[3] = (unsigned)tile.thread_rank();
  mine[4] = (unsigned)tile.size();
  tile.sync();
  const cg::thread_group part = cg::tiled_partition(tile, 2);
  mine[5] = (unsigned)part.thread_rank() + 100 * (unsigned)part.size();
  mine[6] = cg::this_thread().size();
}
"""
    out = np.zeros((44, 8), np.uint32)
    ran = device.run(_source(device, text), [Launch("parts", (out, np.int32(8)), (44, 1, 1))])
    found, rank = ran.arguments[0][0], np.arange(44)
    whole = rank < 40  # the last tile of 8 has 4 threads
    assert (found[:, 0] == rank % 4).all()
    assert (found[:, 1] == rank % 16 // 4 + 400).all()
    assert (found[:, 2] == rank // 4 * 4 + 3).all()
    assert (found[:, 3] == rank % 8).all()
    assert (found[:, 4] == np.where(whole, 8, 4)).all()
    assert (found[:, 5] == rank % 2 + 200).all()
    assert (found[:, 6] == 1).all()
    assert not ran.findings


TOGETHER = """
extern "C" __global__ void together(const int* in, unsigned long long* out) {
  const int value = in[threadIdx.x];
  unsigned long long* mine = out + 12 * threadIdx.x;
  if (value % 3 != 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    mine[0] = group.thread_rank();
    mine[1] = group.size();
    mine[2] = group.shfl(value, 2);
    mine[3] = group.shfl_up(value, 1);
    mine[4] = group.shfl_down(value, 3);
    mine[5] = group.ballot(value % 2);
    const cg::coalesced_group odd = cg::binary_partition(group, value % 2);
    mine[6] = odd.thread_rank() + 100 * odd.size();
    mine[7] = odd.meta_group_rank() + 100 * odd.meta_group_size();
    const cg::coalesced_group alike = cg::labeled_partition(group, value % 5);
    mine[8] = alike.thread_rank() + 100 * alike.size();
    mine[9] = alike.shfl(value, 0);
    const cg::coalesced_group part = cg::tiled_partition(group, 4);
    mine[10] = part.thread_rank() + 100 * part.size();
    mine[11] = part.meta_group_rank();
    group.sync();
  }
}
"""


def test_lanes_that_came_together_are_a_group(device: Device) -> None:
    wave = device.wave
    values = np.arange(wave, dtype=np.int32) * 11 % 31
    out = np.zeros((wave, 12), np.uint64)
    ran = device.run(_source(device, TOGETHER), [Launch("together", (values, out), (wave, 1, 1))])
    members = [lane for lane in range(wave) if values[lane] % 3 != 0]
    group = values[members]
    for rank, lane in enumerate(members):
        value = values[lane]
        odd = [other for other in group[:rank] if other % 2 == value % 2]
        alike = group[group % 5 == value % 5]
        first = rank // 4 * 4
        assert [int(word) for word in ran.arguments[0][1][lane]] == [
            rank,
            len(group),
            group[2],
            group[rank - 1] if rank else value,
            group[rank + 3] if rank + 3 < len(group) else value,
            _ranks(group % 2 == 1),
            len(odd) + 100 * int((group % 2 == value % 2).sum()),
            value % 2 + 200,
            int((group[:rank] % 5 == value % 5).sum()) + 100 * len(alike),
            alike[0],
            rank - first + 100 * len(group[first : first + 4]),
            rank // 4,
        ], lane
    assert not ran.findings


def _tree(tile: Array) -> np.float32:
    values = tile.copy()
    distance = len(values) // 2
    while distance:
        values = (values + values[np.arange(len(values)) ^ distance]).astype(np.float32)
        distance //= 2
    result: np.float32 = values[0]
    return result


COLLECT = """
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
extern "C" __global__ void collect(const float* x, const int* in, float* sums, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const unsigned at = block.thread_rank();
  sums[3 * at] = cg::reduce(tile, x[at], cg::plus<float>());
  sums[3 * at + 1] = cg::inclusive_scan(tile, x[at]);
  sums[3 * at + 2] =
      cg::exclusive_scan(tile, x[at], [](float a, float b) { return a > b ? a : b; });
  int* mine = out + 8 * at;
  mine[0] = cg::reduce(tile, in[at], cg::less<int>());
  mine[1] = cg::reduce(tile, in[at], cg::greater<int>());
  mine[2] = cg::reduce(tile, in[at], cg::bit_xor<int>());
  mine[3] = cg::exclusive_scan(tile, in[at]);
  if (in[at] % 2) {
    const auto odd = cg::coalesced_threads();
    mine[4] = cg::reduce(odd, in[at], cg::plus<int>());
    mine[5] = cg::inclusive_scan(odd, in[at], cg::plus<int>());
    mine[6] = cg::invoke_one_broadcast(odd, [&] { return in[at] + 1; });
    cg::invoke_one(odd, [&] { mine[7] = 1; });
  }
}
"""


def test_collectives_combine_in_the_vendors_order(cuda: Device) -> None:
    x = (np.random.default_rng(3).standard_normal(64) * 1000).astype(np.float32)
    values = np.arange(64, dtype=np.int32) * 13 % 71
    arrays = (x, values, np.zeros((64, 3), np.float32), np.zeros((64, 8), np.int32))
    _, _, sums, out = cuda.run(_source(cuda, COLLECT), [Launch("collect", arrays)]).arguments[0]
    for at in range(64):
        first = at // 16 * 16
        tile, ints = x[first : first + 16], values[first : first + 16]
        before = tile[: at % 16]
        assert sums[at, 0] == _tree(tile)
        np.testing.assert_allclose(sums[at, 1], tile[: at % 16 + 1].sum(), rtol=1e-3)
        assert sums[at, 2] == (before.max() if len(before) else 0)
        assert list(out[at, :4]) == [
            ints.min(),
            ints.max(),
            np.bitwise_xor.reduce(ints),
            ints[: at % 16].sum(),
        ]
        warp = values[at // 32 * 32 : at // 32 * 32 + 32]
        odd = warp[warp % 2 == 1]
        if values[at] % 2:
            so_far = warp[: at % 32 + 1]
            assert list(out[at, 4:7]) == [odd.sum(), so_far[so_far % 2 == 1].sum(), odd[0] + 1]
            assert out[at, 7] == int(values[at] == odd[0])


def test_a_copy_is_there_after_the_wait_for_it(cuda: Device) -> None:
    text = """
#include <cooperative_groups/memcpy_async.h>
extern "C" __global__ void copies(const int* in, int* out) {
  __shared__ int kept[96];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, kept, in, sizeof(kept));
  cg::wait(block);
  out[threadIdx.x] = kept[95 - threadIdx.x];
}
extern "C" __global__ void early(const int* in, int* out) {
  __shared__ int kept[96];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, kept, in, sizeof(kept));
  out[threadIdx.x] = kept[95 - threadIdx.x];
}
"""
    values = np.arange(96, dtype=np.int32)
    arrays = (values, np.zeros(96, np.int32))
    right = cuda.run(_source(cuda, text), [Launch("copies", arrays, (96, 1, 1))])
    assert (right.arguments[0][1] == values[::-1]).all()
    assert not right.findings
    early = cuda.run(_source(cuda, text), [Launch("early", arrays, (96, 1, 1))])
    assert early.findings


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("cg::this_cluster();", "no clusters of blocks"),
        ("cg::this_multi_grid();", "no launches on several devices at once"),
        ("cg::tiled_partition<128>(cg::this_thread_block());", "within one warp"),
        ("cg::tiled_partition<12>(cg::this_thread_block());", "a power of two"),
    ],
)
def test_groups_that_are_not_emulated_say_so(device: Device, line: str, said: str) -> None:
    with pytest.raises(InputError, match=r"device code of .* cannot be compiled") as caught:
        device.compile(_source(device, f"__global__ void asks() {{ {line} }}\n"))
    assert said in str(caught.value)
    assert str(device.folder / "unit") in str(caught.value)
