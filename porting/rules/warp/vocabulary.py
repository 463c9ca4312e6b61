"""The device functions that make, take and count lane masks."""

from typing import Final

PRODUCERS: Final = frozenset(
    ("__ballot_sync", "__ballot", "__activemask", "__match_any_sync", "__match_all_sync")
)
COUNTERS: Final = {
    "__popc": "__popcll",
    "__ffs": "__ffsll",
    "__clz": "__clzll",
    "__brev": "__brevll",
    "__fns": "__fns64",
    "__builtin_popcount": "__builtin_popcountll",
    "__builtin_ffs": "__builtin_ffsll",
    "__builtin_ctz": "__builtin_ctzll",
    "__builtin_clz": "__builtin_clzll",
}
LOSE_MASKS: Final = frozenset(
    ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__syncwarp")
)
# Functions whose first argument is a lane mask.
MASKED: Final = frozenset(
    (
        *PRODUCERS - {"__activemask", "__ballot"},
        *LOSE_MASKS,
        *("__any_sync", "__all_sync"),
        *("__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync"),
        *("__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"),
    )
)
