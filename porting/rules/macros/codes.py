"""The kinds of findings about preprocessor macros."""

from typing import Final

from porting.diagnostics import Code, Severity

COMPILER: Final = Code(
    "MAC001",
    "compiler-macro",
    Severity.NOTE,
    "a condition that asks for NVIDIA's compiler",
    "The macro says which NVIDIA compiler, version or mode is at work (__NVCC__,"
    " __CUDACC_VER_MAJOR__, ...).  It is left as it is and stays undefined in a ROCm build, so the"
    " code for other compilers is taken.  That is right for workarounds and warning pragmas; where"
    " the condition stands for GPU code as such, write __HIPCC__.",
)
COMPILER_LEFT_OUT: Final = Code(
    "MAC002",
    "compiler-macro",
    Severity.WARNING,
    "code that only NVIDIA's compiler sees",
    "The condition names a macro that NVIDIA's compiler defines and that has no counterpart in HIP."
    "  In a ROCm build it is undefined, so the code behind it is left out without a word.  Check"
    " whether that code is needed.",
)
ARCHITECTURE: Final = Code(
    "MAC003",
    "arch-guard",
    Severity.NOTE,
    "a condition on __CUDA_ARCH__",
    "__CUDA_ARCH__ is undefined in HIP, on the device too, so a comparison with it takes the branch"
    " for the oldest GPUs, or that for the host.  The tool writes the condition with"
    " __HIP_DEVICE_COMPILE__, so that device code takes the branch for the newest NVIDIA GPUs,"
    " as far as it needs nothing that AMD GPUs are known to lack.  Where that branch holds PTX or"
    " names that HIP lacks and an older branch does not, the older one is taken, and the comparison"
    " stays, always false.  A branch for older GPUs that defines a device function which HIP has,"
    " such as atomicAdd for double, is left out on the host too, where HIP's headers declare the"
    " function as well: `defined(__CUDA_ARCH__) &&` in front makes the condition false.  Where the"
    " condition asks for features that AMD GPUs may lack (tensor cores, asynchronous copies), see"
    " MAC004.",
)
ARCHITECTURE_OPEN: Final = Code(
    "MAC004",
    "arch-guard",
    Severity.WARNING,
    "a condition on __CUDA_ARCH__ that a person must decide",
    "__CUDA_ARCH__ is undefined in HIP.  Neither taking the branch for new NVIDIA GPUs nor leaving"
    " it out is right by itself here: the branch holds PTX or names that HIP lacks, and without it"
    " nothing is left; or it turns on features of compute capability 7.0 and newer, by macros or by"
    " calls named like them (mma, cp_async, TMA), which AMD GPUs have in another form or not at"
    " all; or the value is used outside of #if.  The comparison is left as it is, which counts the"
    " macro as 0.  Write a branch for AMD GPUs under `#if defined(__HIP_DEVICE_COMPILE__)`, or,"
    " where the features are wanted, write that instead of the comparison.",
)
VERSION: Final = Code(
    "MAC005",
    "version-guard",
    Severity.NOTE,
    "a condition on the version of CUDA",
    "CUDA_VERSION and its relatives are undefined in HIP, so a comparison silently takes the branch"
    " for the oldest CUDA.  HIP follows the current one, so the tool lets a build without"
    " CUDA_VERSION take the branch for the newest.  Where that branch needs names that HIP lacks"
    " and the other does not, the condition is left as it is.",
)
VERSION_OPEN: Final = Code(
    "MAC006",
    "version-guard",
    Severity.WARNING,
    "a condition on the version of CUDA that a person must decide",
    "CUDA_VERSION and its relatives are undefined in HIP.  The branch for new versions needs names"
    " that HIP lacks, and without it nothing is left, or the condition cannot be read.  It is left"
    " as it is, which leaves the branch out.  Check whether its code is needed.",
)
HEADER_GUARD: Final = Code(
    "MAC007",
    "header-guard",
    Severity.NOTE,
    "a condition that asks whether a CUDA header was included",
    "The macro is the include guard of a CUDA header.  HIP's headers have guards of their own, so"
    " the condition would be false and the code behind it left out.  The tool writes the guard of"
    " the HIP header that takes its place.",
)
HEADER_GUARD_OPEN: Final = Code(
    "MAC008",
    "header-guard",
    Severity.WARNING,
    "the include guard of a CUDA header that has no counterpart",
    "The macro is the include guard of a CUDA header, and no HIP header with a known guard takes"
    " its place.  In a ROCm build the condition is false and the code behind it left out.  Ask for"
    " something the build defines instead.",
)
DEPRECATED: Final = Code(
    "MAC009",
    "deprecated-macro",
    Severity.WARNING,
    "a platform macro that ROCm no longer defines",
    "__HIP_PLATFORM_HCC__, __HIP_PLATFORM_NVCC__ and __HCC__ come from the time of the HCC"
    " compiler.  Current HIP headers define __HIP_PLATFORM_AMD__ or __HIP_PLATFORM_NVIDIA__ only,"
    " so code behind the old names is silently left out.  The tool writes the new name.  Check that"
    " what is compiled from now on is what is wanted.",
)
DUAL: Final = Code(
    "MAC010",
    "dual-platform",
    Severity.NOTE,
    "a branch for one platform is left as it is",
    "The condition already tells ROCm from CUDA, so the branches are left byte for byte: the ROCm"
    " one is written for HIP, and the CUDA one is never seen by a ROCm build.",
)
PRAGMA: Final = Code(
    "MAC011",
    "compiler-macro",
    Severity.NOTE,
    "a pragma of NVIDIA's compiler",
    "The pragma steers nvcc (warnings to suppress, checks to skip).  HIP's compiler ignores it with"
    " a warning about an unknown pragma.  Use `#pragma clang diagnostic` if it is needed there.",
)
PASTED: Final = Code(
    "MAC012",
    "token-pasting",
    Severity.NOTE,
    "an identifier that a macro joins from pieces",
    "A macro builds a name by ## from a CUDA name or from a prefix like cu.  A rename of single"
    " identifiers cannot see such names and leaves them half renamed.  The tool looks at every use"
    " of the macro in the tree and renames the pieces and the identifiers made from them together.",
)
PASTED_OPEN: Final = Code(
    "MAC013",
    "token-pasting",
    Severity.ERROR,
    "an identifier joined from pieces that has no HIP name of that form",
    "A macro builds CUDA names by ## and at least one of them has no HIP name, or one that cannot"
    " be joined from the same pieces (cuDeviceGetCount is hipGetDeviceCount).  The macro is left as"
    " it is.  Pass whole names to it instead of pieces, or list the odd ones by hand.",
)
CODES: Final = (
    COMPILER,
    COMPILER_LEFT_OUT,
    ARCHITECTURE,
    ARCHITECTURE_OPEN,
    VERSION,
    VERSION_OPEN,
    HEADER_GUARD,
    HEADER_GUARD_OPEN,
    DEPRECATED,
    DUAL,
    PRAGMA,
    PASTED,
    PASTED_OPEN,
)
