"""Code for the parts of cooperative groups that HIP lacks, for files and for compat headers.

reduce(): tiles exchange values by shuffles in a butterfly, neighbours first, so that the order of
the operands is kept and every thread of the group gets the same bits.  A coalesced group reduces to
its first thread, which hands the result on.  Values of any size travel in words of 32 bits.  AMD's
own, in newer releases, is used where it is there.

labeled_partition(): each round takes the first lane that is left, and gives those with its label
their group; HIP makes a group of any lanes, but only for classes derived from it.  Lanes are the
wavefront's, whatever the width that shuffles and votes have by default in the code around.
"""

import re
from typing import Final

_VALUE_OF: Final = """\
#if defined(__HIP__) && !defined(PORTED_CG_VALUE_OF)
#define PORTED_CG_VALUE_OF
namespace cooperative_groups {
namespace ported {
template <class Group, class T>
__device__ inline T value_of(const Group& group, T value, unsigned int rank) {
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = group.shfl(word, rank);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
}  // namespace ported
}  // namespace cooperative_groups
#endif
"""
_OPERATION: Final = """\
#if defined(__HIP__) && !defined(PORTED_CG_REDUCE)
#define PORTED_CG_REDUCE
#if !__has_include(<hip/amd_detail/amd_hip_cooperative_groups_reduce.h>)
namespace cooperative_groups {
template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned int Size, class Parent, class T, class Op>
__device__ inline auto reduce(const thread_block_tile<Size, Parent>& tile,
                              T value, Op&& op) {
  auto result = static_cast<decltype(op(value, value))>(value);
  for (unsigned int step = 1; step < Size; step *= 2) {
    auto other = ported::value_of(tile, result, tile.thread_rank() ^ step);
    result = tile.thread_rank() & step ? op(other, result) : op(result, other);
  }
  return result;
}
template <class T, class Op>
__device__ inline auto reduce(const coalesced_group& group, T value, Op&& op) {
  auto result = static_cast<decltype(op(value, value))>(value);
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    auto other = ported::value_of(group, result, (rank + step) % size);
    if (rank % (2 * step) == 0 && rank + step < size)
      result = op(result, other);
  }
  return ported::value_of(group, result, 0);
}
}  // namespace cooperative_groups
#endif
#endif
"""
REDUCE: Final = _VALUE_OF + _OPERATION
LABELED_PARTITION: Final = """\
#if defined(__HIP__) && !defined(PORTED_CG_LABELED_PARTITION)
#define PORTED_CG_LABELED_PARTITION
namespace cooperative_groups {
namespace ported {
struct lanes_group : coalesced_group {
  __device__ explicit lanes_group(unsigned long long lanes)
      : coalesced_group(lanes) {}
};
template <unsigned int Size, class Parent>
__device__ inline unsigned long long lanes_of(
    const thread_block_tile<Size, Parent>&) {
  return ~0ull >> (64 - Size) << (__lane_id() & (64 - Size));
}
__device__ inline unsigned long long lanes_of(const coalesced_group& group) {
  unsigned long long lanes = 0;
  for (unsigned int rank = 0; rank < group.size(); ++rank)
    lanes |= 1ull << group.shfl(static_cast<int>(__lane_id()), rank);
  return lanes;
}
template <class Group, class Label>
__device__ inline coalesced_group labeled_partition(const Group& group,
                                                    Label label) {
  unsigned long long mine = 0;
  for (unsigned long long left = lanes_of(group); left != 0;) {
    const int first = __builtin_ctzll(left);
    int words[(sizeof(Label) + 3) / 4] = {};
    __builtin_memcpy(words, &label, sizeof(Label));
    for (int& word : words) {
      word = __builtin_amdgcn_ds_bpermute(first * 4, word);
    }
    Label other;
    __builtin_memcpy(&other, words, sizeof(Label));
    const unsigned long long same = __ballot64(other == label) & left;
    if (other == label) mine = same;
    left &= ~same;
  }
  return lanes_group(mine);
}
}  // namespace ported
}  // namespace cooperative_groups
#endif
"""
_COMMENT: Final = re.compile(r"  // .*")


def without_comments(definition: str) -> str:
    """Return a definition for a file of somebody else's, whose comments are that person's."""
    return _COMMENT.sub("", definition)
