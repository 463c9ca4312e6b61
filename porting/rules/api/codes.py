"""The codes of the call-signature family, each with its page for `porting explain`."""

from porting.diagnostics import Code, Severity

SYMBOL = Code(
    "API001",
    "api-signature",
    Severity.NOTE,
    "a device symbol is passed in HIP_SYMBOL",
    "HIP's copies to and from __device__ and __constant__ variables take the symbol argument in"
    " HIP_SYMBOL(), which keeps the code right for both HIP back ends.  Only the symbol argument"
    " is wrapped, also inside macros and when it is an element (tab[i]).  The graph node"
    " functions have no overload for a symbol, so they take its address instead.  Symbols named"
    " by a string, which CUDA dropped in 5.0, are an error here.",
)
ADAPTED = Code(
    "API002",
    "api-signature",
    Severity.NOTE,
    "a call was fitted to HIP's parameter list",
    "The HIP function of the same purpose has other parameters: one more, one less, an overload"
    " that only CUDA's C++ headers have, or a pointer type without the implicit template.  The"
    " call was rewritten so that it means the same; the message says what changed.",
)
OTHER_SIGNATURE = Code(
    "API003",
    "api-signature",
    Severity.ERROR,
    "HIP has no form of this call with these arguments",
    "The HIP function exists, but no parameter list of the target release takes what this call"
    " passes, and what the arguments hold cannot be read from the text.  The CUDA name is kept, so"
    " that the place cannot compile by accident and mean something else.  Rewrite the call as the"
    " help says.",
)
MENTIONED = Code(
    "API004",
    "api-signature",
    Severity.WARNING,
    "a function whose HIP parameters differ is used without being called",
    "The function's name is taken as a pointer, passed to a wrapper or called through a table, so"
    " its arguments are written elsewhere.  The name is ported; the place that supplies the"
    " arguments has to supply HIP's.  A function pointer type written out by hand would call the"
    " HIP function with the wrong arguments without any error from the compiler.",
)
FIELD = Code(
    "API005",
    "api-field",
    Severity.ERROR,
    "a member that HIP's structure lacks",
    "The HIP structure of the same purpose has no member of this name in the target release.  The"
    " help names the member or query that gives the same value, where there is one.",
)
FIELD_RENAMED = Code(
    "API006",
    "api-field",
    Severity.NOTE,
    "a member has another name in HIP's structure",
    "The HIP structure of the same purpose holds the value under another name in the target"
    " release; the member was renamed.",
)
LAUNCH_CONFIG = Code(
    "API007",
    "api-signature",
    Severity.NOTE,
    "a launch with a configuration structure needs ROCm 7",
    "cudaLaunchKernelEx and cudaLaunchConfig_t have HIP counterparts from ROCm 7.0 on.  The ported"
    " code does not build with an older release.  Of the launch attributes HIP knows only a few"
    " (cooperative, priority): cluster sizes and programmatic dependent launch are refused.",
)
FIELD_ORDER = Code(
    "API008",
    "api-field",
    Severity.ERROR,
    "a structure is initialized by position, and HIP has another order",
    "HIP declares the members of this structure in another order than CUDA.  An initializer that"
    " gives values by position puts them into the wrong members, often without any word from the"
    " compiler.  Assign the members by name.",
)
OVERLOADED = Code(
    "API009",
    "api-signature",
    Severity.ERROR,
    "the address of a function that HIP overloads",
    "hipMalloc, hipHostAlloc, hipMallocManaged and their like have a template beside the C function"
    " in HIP's C++ headers.  The driver's names (cuMemAlloc), and the runtime's in host files, have"
    " none in CUDA, so `auto f = &cuMemAlloc` and `decltype(&cuMemAlloc)` compile there; with HIP's"
    " name, nothing says which function is meant.  The tool writes a static_cast to the type of"
    " the C function.  Where a macro takes the address of what a list passes to it, it names the"
    " entry: give that function a line of its own with the cast.",
)
CODES = (
    SYMBOL,
    ADAPTED,
    OTHER_SIGNATURE,
    MENTIONED,
    FIELD,
    FIELD_RENAMED,
    LAUNCH_CONFIG,
    FIELD_ORDER,
    OVERLOADED,
)
