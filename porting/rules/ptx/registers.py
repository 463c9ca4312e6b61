"""PTX special registers in HIP."""

from typing import Final

MASK: Final = "mask"
_THREAD: Final = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
_LANE: Final = "(__lane_id() & 31)"
_INDICES: Final = {"tid": "threadIdx", "ntid": "blockDim", "ctaid": "blockIdx", "nctaid": "gridDim"}
# 32-lane warps: the lane masks have 32 bits.  A shift by 32 never happens: 2u << 31 is 0.
_LOGICAL: Final = {
    "laneid": ("(__lane_id() & 31)", "u32"),
    "warpid": (f"(({_THREAD}) / 32)", "u32"),
    "lanemask_eq": (f"(1u << {_LANE})", "u32"),
    "lanemask_lt": (f"((1u << {_LANE}) - 1)", "u32"),
    "lanemask_le": (f"((2u << {_LANE}) - 1)", "u32"),
    "lanemask_gt": (f"(~0u << {_LANE} << 1)", "u32"),
    "lanemask_ge": (f"(~0u << {_LANE})", "u32"),
}
# The wavefront: 64-bit masks, cut to the lanes that exist.
_LANES: Final = "~0ull >> (64 - warpSize)"
_WAVE: Final = {
    "laneid": ("__lane_id()", "u32"),
    "warpid": (f"(({_THREAD}) / warpSize)", "u32"),
    "lanemask_eq": ("(1ull << __lane_id())", MASK),
    "lanemask_lt": ("((1ull << __lane_id()) - 1)", MASK),
    "lanemask_le": ("((2ull << __lane_id()) - 1)", MASK),
    "lanemask_gt": (f"({_LANES} & ~0ull << __lane_id() << 1)", MASK),
    "lanemask_ge": (f"({_LANES} & ~0ull << __lane_id())", MASK),
}
_EITHER: Final = {
    "smid": ("__smid()", "u32"),
    "clock": ("static_cast<unsigned>(clock64())", "u32"),
    "clock_hi": ("static_cast<unsigned>(clock64() >> 32)", "u32"),
    "clock64": ("static_cast<unsigned long long>(clock64())", "u64"),
    "globaltimer": ("static_cast<unsigned long long>(wall_clock64())", "u64"),
    "globaltimer_lo": ("static_cast<unsigned>(wall_clock64())", "u32"),
    "globaltimer_hi": ("static_cast<unsigned>(wall_clock64() >> 32)", "u32"),
}
# Registers whose value is of the same kind but not the same quantity, and how it differs.
_TICKS: Final = "wall_clock64() counts ticks (hipDeviceAttributeWallClockRate, in kHz), not ns"
DIFFERING: Final = {
    "smid": "__smid() numbers compute units with gaps, not from 0 to the count",
    "globaltimer": _TICKS,
    "globaltimer_lo": _TICKS,
    "globaltimer_hi": _TICKS,
}


def special_register(name: str, *, logical: bool) -> tuple[str, str] | None:
    """Return (expression, PTX type) of a special register without its `%`, or None.

    The type MASK is a lane mask of the wavefront, 64 bits wide where PTX has 32.
    """
    base, dot, axis = name.partition(".")
    if dot and base in _INDICES and axis in ("x", "y", "z"):
        return f"{_INDICES[base]}.{axis}", "u32"
    if name in _EITHER:
        return _EITHER[name]
    return (_LOGICAL if logical else _WAVE).get(name)
