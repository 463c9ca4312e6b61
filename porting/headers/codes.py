"""The kinds of findings about compat headers and compat trees, with a page each."""

from porting.diagnostics import Code, Severity

NEEDS_REWRITE = Code(
    "HDR001",
    "compat-mode",
    Severity.ERROR,
    "a place that only a rewrite of the source makes right",
    "In compat mode sources stay as they are and a generated header gives HIP under CUDA's names."
    "  What is no name - inline PTX, a case label, an attribute, an argument that another form of"
    " the call has - no header can change.  Put the place behind a guard that CUDA builds alone"
    " pass, like #if defined(__CUDA_ARCH__) or #if !defined(__HIP_PLATFORM_AMD__), with the"
    " portable form in #else, or port with --mode rename, which rewrites it.",
)
ARCH_GUARD = Code(
    "HDR002",
    "compat-mode",
    Severity.WARNING,
    "a condition on __CUDA_ARCH__ in a compat tree",
    "__CUDA_ARCH__ stays undefined in ROCm builds, so a branch that asks for it is left out and its"
    " #else is compiled, for the device too.  Where the branch holds inline PTX that is what it is"
    " for.  Where it divides device from host code, or newer from older GPUs, ask for"
    " __HIP_DEVICE_COMPILE__ as well.",
)
JOINED = Code(
    "HDR003",
    "compat-mode",
    Severity.WARNING,
    "a macro that passes a CUDA name on to one that joins or quotes it",
    "The compat header makes CUDA's names macros.  An argument that a macro passes on to another is"
    " expanded first, so the second macro joins or quotes HIP's name.  Take the name in the macro"
    " that joins or quotes it, without one in between, or port with --mode rename.",
)
LACKING = Code(
    "HDR005",
    "compat-header",
    Severity.ERROR,
    "a CUDA name that the compat header lacks",
    "The tree uses the name, and its compat header was made before it did, so a ROCm build does not"
    " know it.  Run `porting headers TREE -o TREE` and commit what it writes.",
)
STALE = Code(
    "HDR006",
    "compat-header",
    Severity.NOTE,
    "a name in the compat header that the tree no longer uses",
    "The header still provides the name, which does no harm.  Run `porting headers TREE -o TREE`"
    " to drop it.",
)
OUTDATED = Code(
    "HDR007",
    "compat-header",
    Severity.WARNING,
    "a compat header that is not what this release would write",
    "The header provides every name, and its text differs from what `porting headers` writes now:"
    " it was edited by hand, made by another release or for another ROCm, or the tree calls a"
    " function in a form it did not use before.  Run `porting headers TREE -o TREE`.",
)
WAVEFRONT = Code(
    "HDR008",
    "warp-mask-width",
    Severity.WARNING,
    "code for ROCm that counts in wavefronts, in a compat tree",
    "The tree has a branch for ROCm that calls warp functions.  In compat mode these, and warpSize,"
    " mean CUDA's warp of 32 lanes on every GPU, so code that was written for 64 lanes and 64-bit"
    " masks is cut in half.  With the header the branch for CUDA serves both platforms.",
)
TORCH_WARPS = Code(
    "HDR009",
    "warp-mask-width",
    Severity.WARNING,
    "a warp function or size of PyTorch's in a compat tree that counts in warps of its own",
    "C10_WARP_SIZE and WARP_SHFL and its kin come from PyTorch's headers, where a ROCm build counts"
    " in wavefronts: 64 lanes on CDNA.  warpSize and the warp functions of CUDA have 32 lanes in a"
    " compat tree.  Code that mixes both counts wrong on 64-wide wavefronts.  Use those of one side"
    " throughout: CUDA's own names, or PyTorch's alone.",
)
CODES = (NEEDS_REWRITE, ARCH_GUARD, JOINED, LACKING, STALE, OUTDATED, WAVEFRONT, TORCH_WARPS)
