"""Rewritten warp code compiles for waves of 64 and of 32 lanes, with both releases' headers."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.warp import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., Any]

KERNEL = """\
#define FULL 0xffffffffu
template <typename T>
__device__ T sum(T v) {
  for (int o = LANES / 2; o > 0; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
  return v;
}
__global__ void k(int* p, unsigned m) {
  const int lane = threadIdx.x % LANES;
  unsigned votes = __ballot_sync(FULL, p[0] > 0);
  unsigned some = __ballot_sync(votes, p[1] > 0);
  if (__any_sync(FULL, p[2]) && __all_sync(some, p[3])) p[4] = __popc(votes & ((1u << lane) - 1));
  unsigned active = __activemask();
  p[5] = __ffs(active) + __shfl_down_sync(active, p[6], 1) + __shfl_up_sync(FULL, p[7], 1, 8);
  p[6] = sum(p[8]) + static_cast<int>(sum(1.5));
  __syncwarp(active);
  __syncwarp();
}
"""
NEWER = """\
__global__ void n(int* p) {
  const int lane = threadIdx.x % LANES;
  int every;
  unsigned peers = __match_any_sync(__activemask(), p[0]);
  unsigned all = __match_all_sync(0xffffffff, p[1], &every);
  p[2] = __popc(peers) + __ffs(all) + __reduce_add_sync(peers, p[3]) + lane + every;
  p[4] = __reduce_max_sync(0xffffffff, static_cast<unsigned>(p[5]));
}
"""


@pytest.mark.parametrize("lanes", ["32", "warpSize"])
def test_rewritten_kernels_compile_for_both_wavefront_sizes(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot, lanes: str
) -> None:
    new = ported(check, (KERNEL + NEWER).replace("LANES", lanes))
    compiles(new.text, sysroot)
    old = ported(check, KERNEL.replace("LANES", lanes), "6.2")
    compiles(old.text, sysroot_6_2)
