"""The findings of the cooperative groups family."""

from typing import Final

from porting.diagnostics import Code, Severity

_HIP: Final = (
    "HIP's cooperative groups (hip/hip_cooperative_groups.h) have the groups and shuffles of"
    " CUDA's, and got the rest release by release: num_threads, votes of tiles and coalesced"
    " groups, and binary_partition with ROCm 7.0, nested tiles with 7.1, split barriers and"
    " block_rank with 7.12 (AMD's HIP changelog)."
)

ABSENT = Code(
    "COG001",
    "coop-groups",
    Severity.ERROR,
    "a part of cooperative groups that HIP lacks in the target release",
    f"{_HIP}  Labeled partitions, clusters and collectives (reduce, scan, memcpy_async, invoke_one)"
    " are in no release up to 7.2.  The name is left as it is; for ROCm 7.0 and newer reduce()"
    " and labeled_partition() are defined with shuffles behind the include of their header.",
)
NESTED = Code(
    "COG002",
    "coop-groups",
    Severity.WARNING,
    "a tile of a tile before ROCm 7.1",
    f"{_HIP}  A tile of a tile that was cut from the block holds the same threads as a tile of that"
    " size cut from the block itself, so the port cuts it from the block.  Only meta_group_rank()"
    " and meta_group_size() differ: they count in the block then, not in the outer tile.",
)
WRITTEN = Code(
    "COG003",
    "coop-groups",
    Severity.NOTE,
    "a part of cooperative groups written in another way",
    f"{_HIP}  The member has an equivalent that every release has, with the same result.  reduce()"
    " and labeled_partition() get a definition behind the include of their header.  reduce() gives"
    " way to AMD's own in a newer ROCm, and may add floats in another order than CUDA does.",
)
TOO_WIDE = Code(
    "COG004",
    "coop-groups",
    Severity.ERROR,
    "a tile wider than a wavefront",
    "A tile must fit in a wavefront: 64 threads on gfx9, 32 on gfx10 and newer.  CUDA cuts tiles of"
    " up to 512 threads with block_tile_memory.  Use the block, or tiles of 32.",
)
SIXTY_FOUR = Code(
    "COG005",
    "coop-groups",
    Severity.WARNING,
    "a vote of a coalesced group in 32 bits",
    "coalesced_threads() holds up to 64 threads on gfx9, and its ballot() and match functions"
    " return 64 bits.  Kept in 32 bits, the votes of the upper half are lost without a word.  Use"
    " unsigned long long, __popcll and __ffsll.",
)
LATER = Code(
    "COG006",
    "coop-groups",
    Severity.NOTE,
    "a vote of a group that only newer headers have",
    f"{_HIP}  The votes are members of AMD's groups then.  `porting sysroot create` makes a tree of"
    " ROCm 7.1 with ROCm 6.2's header of cooperative groups, as no wheel carries the newer one, and"
    " there they do not compile.  In rename mode, where the file includes the header of groups, a"
    " definition with ballots and shuffles takes their place, which every release has; in a compat"
    " tree, and in files without that include, they are left as they are.",
)
CODES: Final = (ABSENT, NESTED, WRITTEN, TOO_WIDE, SIXTY_FOUR, LATER)
