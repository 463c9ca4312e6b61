"""The findings of the warp family: what differs on 64-lane wavefronts, and what is done."""

from typing import Final

from porting.diagnostics import Code, Severity

_WIDTH: Final = (
    "NVIDIA warps have 32 lanes.  AMD wavefronts have 64 on gfx9 (CDNA) and 32 on gfx10 and newer"
    " (RDNA), so votes, lane masks and shuffles see up to 64 lanes."
)
_STRATEGY: Final = (
    "Code that asks warpSize becomes wave-wide when nothing in the tree counts in 32: its masks and"
    " ballots are 64 bits.  All other code keeps 32-lane logical warps, two to a 64-lane wavefront:"
    " shuffles get the width 32, and a vote reads the half of the ballot that holds the calling"
    " lane.  Both forms are right for both wavefront sizes."
)

SHUFFLE = Code(
    "WRP001",
    "warp-mask-width",
    Severity.NOTE,
    "a shuffle with a 32-bit lane mask",
    f"{_WIDTH}  HIP's *_sync shuffles refuse a 32-bit mask at compile time, and stop the kernel"
    " when the mask is not exactly the set of active lanes (unless NDEBUG is defined), which a full"
    " mask is not in a partly filled wavefront or after an early return.  Lanes of a wavefront run"
    " in step, so the shuffle without a mask does the same work: it is what the port writes."
    f"  {_STRATEGY}",
)
BALLOT = Code(
    "WRP002",
    "warp-mask-width",
    Severity.WARNING,
    "a ballot in code for 32-lane warps",
    f"{_WIDTH}  {_STRATEGY}  The rewritten ballot holds the 32 bits that CUDA gives.  Check where"
    " the value goes: memory that other warps read, arrays with one word per warp, and launches"
    " whose grid was computed from 32 lanes keep working only while every reader counts in"
    " 32-lane warps too.  To use whole wavefronts, compute lanes from warpSize and port again.",
)
WIDENED = Code(
    "WRP003",
    "warp-mask-width",
    Severity.NOTE,
    "a lane mask widened to 64 bits",
    f"{_WIDTH}  {_STRATEGY}",
)
ESCAPES = Code(
    "WRP004",
    "warp-mask-width",
    Severity.WARNING,
    "a lane mask goes where the port cannot follow it",
    f"{_WIDTH}  Here a mask or ballot that must be 64 bits wide meets something whose width was"
    " not changed: a parameter, a member, memory, a comparison with a 32-bit constant.  Make that"
    " side 64 bits wide (unsigned long long), or compute with 32-lane logical warps.",
)
VOTE = Code(
    "WRP005",
    "warp-mask-width",
    Severity.NOTE,
    "a warp vote with a 32-bit lane mask",
    f"{_WIDTH}  {_STRATEGY}",
)
REDUCE = Code(
    "WRP006",
    "warp-mask-width",
    Severity.ERROR,
    "a warp reduction that HIP lacks or computes differently",
    "__reduce_add/min/max_sync came with ROCm 7.0.  The and, or and xor forms exist there as well,"
    " but the header combines partial waves with logical instead of bitwise operators"
    " (amd_warp_sync_functions.h of ROCm 7.1), so their result is wrong unless the whole wavefront"
    " is active and the code is optimized.  Write the reduction as a loop of __shfl_xor steps.",
)
REDUCED = Code(
    "WRP007",
    "warp-mask-width",
    Severity.NOTE,
    "a warp reduction over the active lanes",
    "HIP's __reduce_*_sync (ROCm 7.0 and newer) wants a 64-bit mask that names exactly the active"
    f" lanes.  {_STRATEGY}",
)
MATCH = Code(
    "WRP008",
    "warp-mask-width",
    Severity.WARNING,
    "__match_any_sync and __match_all_sync before ROCm 7.0",
    "ROCm 6.2 to 6.4 declare the match functions only when HIP_ENABLE_WARP_SYNC_BUILTINS is defined"
    " before the first HIP header.  Add -DHIP_ENABLE_WARP_SYNC_BUILTINS to the compile flags.",
)
SYNCWARP = Code(
    "WRP009",
    "sync-warp",
    Severity.NOTE,
    "__syncwarp",
    "HIP has __syncwarp from ROCm 7.0 on, with a 64-bit mask that must name exactly the active"
    " lanes.  Lanes of a wavefront run in step; what is left of __syncwarp is its memory fence and"
    " a barrier for the compiler.  From 7.0 the port writes __syncwarp() without a mask, before"
    " that the two builtins of which that function is made.",
)
UNFOLLOWED = Code(
    "WRP010",
    "warp-mask-width",
    Severity.ERROR,
    "a warp function used in a way the port cannot rewrite",
    f"{_WIDTH}  A *_sync function is taken by name, or its arguments come from a macro's"
    " __VA_ARGS__ or a parameter pack, so the port cannot tell the mask from the value.  Pass a"
    " 64-bit mask, or call the function without _sync and without a mask.",
)
PAIR = Code(
    "WRP011",
    "half-types",
    Severity.ERROR,
    "a shuffle of two bfloat16 numbers in one value",
    "HIP has no shuffle for __hip_bfloat162, so the call does not compile.  A single __hip_bfloat16"
    " is shuffled through its 16 bits; the pair has no such conversion in every release.  Shuffle"
    " the two numbers one by one, with __low2bfloat16, __high2bfloat16 and __halves2bfloat162.",
)
HIDDEN = Code(
    "WRP012",
    "half-types",
    Severity.NOTE,
    "a shuffle of a value whose type does not show",
    "CUDA shuffles __nv_bfloat16; the bf16 header of ROCm 6.2 has no shuffle for __hip_bfloat16,"
    " though later ones may, and the call is ambiguous.  Where the text shows the type, the number"
    " is shuffled through its 16 bits.  Here it is a template parameter, `auto` or a name from"
    " elsewhere, in a tree that has bfloat16 numbers.  The finding is a warning where the same file"
    " passes one to the function, and a note where it may only be so.",
)
UNTOLD_SHIFT = Code(
    "WRP013",
    "warp-mask-width",
    Severity.WARNING,
    "a lane mask computed by a shift that cannot be told in 64 bits",
    f"{_WIDTH}  {_STRATEGY}  A mask like `(1u << lane) - 1` or `~0u >> (31 - lane)` is computed in"
    " 64 bits: what is shifted gets them, and amounts that count down from bit 31 count from bit"
    " 63.  Here the amount tells neither: `1u << (31 - lane)` may mean another lane's bit or bits"
    " in reverse order, and a shift by all 32 bits gives 0 in CUDA and is undone on AMD GPUs."
    "  In 32 bits the mask is wrong for the lanes 32 to 63.  Compute it in unsigned long long, so"
    " that it has one bit for each lane of the wavefront.",
)
LITERAL = Code(
    "WSZ001",
    "warp-size-literal",
    Severity.NOTE,
    "32 lanes written as a number",
    f"{_WIDTH}  {_STRATEGY}  Arithmetic like `threadIdx.x & 31` is therefore left as it is.  It"
    " uses half a wavefront's shuffles on CDNA; for speed, count in warpSize.",
)
MIXED = Code(
    "WSZ002",
    "warp-size-literal",
    Severity.NOTE,
    "warpSize in a tree that counts in 32",
    f"{_WIDTH}  {_STRATEGY}  This tree does both, and warpSize, which is 32 in CUDA, would be 64"
    " on CDNA for one part of the code only.  So all of it keeps 32-lane warps, and warpSize is"
    " written as 32.  For whole wavefronts, remove the literal 32s first and port again.",
)
MIXED_MACRO = Code(
    "WSZ004",
    "warp-size-literal",
    Severity.WARNING,
    "a library's warp size in a file that counts in 32",
    f"{_WIDTH}  A macro like C10_WARP_SIZE is 64 on CDNA.  Other code of this tree computes lanes"
    " with a literal 32.  Where the two meet, lanes and warps are counted differently.  Use one of"
    " them throughout.",
)
CONSTANT = Code(
    "WSZ003",
    "warp-size-literal",
    Severity.ERROR,
    "warpSize where a constant is needed",
    "From ROCm 7.0 warpSize is an object that asks the hardware, no compile-time constant: array"
    " bounds, template arguments, case labels and constexpr initializers cannot use it.  Up to 6.4"
    " it is a constant, but the host pass of the compiler sees 64 for every GPU.  Use the largest"
    " wavefront (64) for bounds, or a template parameter chosen by the host from"
    " hipDeviceProp_t::warpSize.",
)
SHORT_ARRAY = Code(
    "WSZ005",
    "warp-size-literal",
    Severity.WARNING,
    "an array of 32 elements that every lane of a wavefront writes",
    f"{_WIDTH}  The code asks warpSize, so it becomes wave-wide, and lanes go up to 63.  An array"
    " in shared memory with 32 elements that is written at the lane's index overflows on CDNA."
    "  Give it 64 elements.",
)
CODES: Final = (
    SHUFFLE,
    BALLOT,
    WIDENED,
    ESCAPES,
    VOTE,
    REDUCE,
    REDUCED,
    MATCH,
    SYNCWARP,
    UNFOLLOWED,
    PAIR,
    HIDDEN,
    UNTOLD_SHIFT,
    LITERAL,
    MIXED,
    MIXED_MACRO,
    CONSTANT,
    SHORT_ARRAY,
)
