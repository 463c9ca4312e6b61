"""cooperative_groups::reduce for the releases that lack it: a definition put where it is included.

Tiles exchange values by shuffles in a butterfly, neighbours first, so that the order of the
operands is kept and every thread of the group gets the same bits.  A coalesced group reduces to its
first thread, which hands the result on.  Values of any size travel in words of 32 bits.
"""

from typing import Final

from porting.edits import Edit
from porting.rules.unit import Unit
from porting.syntax import HeaderName

HEADERS: Final = frozenset(("cooperative_groups/reduce.h", "cooperative_groups/details/reduce.h"))
# ROCm 6 is left as it is: what its groups can do differs too much from release to release.
SINCE: Final = (7, 0)
_UNTIL: Final = "hip/amd_detail/amd_hip_cooperative_groups_reduce.h"  # AMD's own
_DEFINITION: Final = f"""\
#if defined(__HIP__) && !__has_include(<{_UNTIL}>) && !defined(PORTED_CG_REDUCE)
#define PORTED_CG_REDUCE
namespace cooperative_groups {{
template <class T> struct plus {{
  __device__ T operator()(T a, T b) const {{ return a + b; }}
}};
template <class T> struct less {{
  __device__ T operator()(T a, T b) const {{ return b < a ? b : a; }}
}};
template <class T> struct greater {{
  __device__ T operator()(T a, T b) const {{ return a < b ? b : a; }}
}};
template <class T> struct bit_and {{
  __device__ T operator()(T a, T b) const {{ return a & b; }}
}};
template <class T> struct bit_or {{
  __device__ T operator()(T a, T b) const {{ return a | b; }}
}};
template <class T> struct bit_xor {{
  __device__ T operator()(T a, T b) const {{ return a ^ b; }}
}};
namespace ported {{
template <class Group, class T>
__device__ inline T value_of(const Group& group, T value, unsigned int rank) {{
  int words[(sizeof(T) + 3) / 4] = {{}};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = group.shfl(word, rank);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}}
}}  // namespace ported
template <unsigned int Size, class Parent, class T, class Op>
__device__ inline auto reduce(const thread_block_tile<Size, Parent>& tile, T value, Op&& op) {{
  auto result = static_cast<decltype(op(value, value))>(value);
  for (unsigned int step = 1; step < Size; step *= 2) {{
    auto other = ported::value_of(tile, result, tile.thread_rank() ^ step);
    result = tile.thread_rank() & step ? op(other, result) : op(result, other);
  }}
  return result;
}}
template <class T, class Op>
__device__ inline auto reduce(const coalesced_group& group, T value, Op&& op) {{
  auto result = static_cast<decltype(op(value, value))>(value);
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {{
    auto other = ported::value_of(group, result, (rank + step) % size);
    if (rank % (2 * step) == 0 && rank + step < size) result = op(result, other);
  }}
  return ported::value_of(group, result, 0);
}}
}}  // namespace cooperative_groups
#endif
"""


def is_written_for(unit: Unit) -> bool:
    """Whether a definition is put into the code for the target."""
    return unit.target.release >= SINCE


def is_in_reach(unit: Unit) -> bool:
    """Whether the file, or a header of the tree that it includes, may bring the definition."""
    return is_written_for(unit) and any(
        header.path in HEADERS or unit.project.by_suffix(header.path) is not None
        for header in unit.headers
    )


def definition(unit: Unit, header: HeaderName) -> Edit:
    """Return the insertion of the definition behind the line of an include."""
    text, newline = unit.source.text, unit.source.newline
    at = _line_end(unit, header.end)
    before = "" if at and text[at - 1] == "\n" else newline
    return Edit(at, at, before + _DEFINITION.replace("\n", newline))


def _line_end(unit: Unit, at: int) -> int:
    """Return the start of the next line that is outside of comments."""
    text = unit.source.text
    while True:
        end = text.find("\n", at) + 1
        if not end:
            return len(text)
        around = next((c for c in unit.lexed.comments if c.start < end < c.end), None)
        if around is None:
            return end
        at = around.end
