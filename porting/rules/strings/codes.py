"""The kinds of findings about text that is looked up, opened or compiled at run time."""

from typing import Final

from porting.diagnostics import Code, Severity

LIBRARY: Final = Code(
    "STR001",
    "dlopen-string",
    Severity.NOTE,
    "the file name of a CUDA library in a string",
    "A program that opens libcuda.so.1, libcudart.so or libnccl.so.2 by name builds on any machine"
    " and fails when it runs where no NVIDIA driver is installed.  ROCm's libraries have their own"
    " names and version numbers, which change with the release, so the tool writes the name with"
    " the version of the target release.  The driver and the runtime are one library in HIP:"
    " libamdhip64.  Messages that name the library follow.",
)
NO_LIBRARY: Final = Code(
    "STR002",
    "dlopen-string",
    Severity.ERROR,
    "the file name of a library that has no drop-in in ROCm",
    "The library is opened by name and AMD has nothing with the same functions under another name."
    "  The string is left as it is, so opening it fails at run time.  Replace the calls that are"
    " made through it by those of the library the help text names, or make the feature optional.",
)
BUILT_LIBRARY: Final = Code(
    "STR003",
    "dlopen-string",
    Severity.ERROR,
    "the file name of a CUDA library put together at run time",
    "The name of a CUDA library and its version number are joined when the program runs.  ROCm's"
    " version numbers are others and do not follow CUDA's, so no part can be replaced on its own."
    "  Write the name of ROCm's library as one string.",
)
SYMBOL: Final = Code(
    "STR004",
    "dlsym-string",
    Severity.NOTE,
    "the name of a CUDA function in a string that is looked up",
    "dlsym, GetProcAddress and cuGetProcAddress find functions by the text of their name, which no"
    " compiler checks.  The name is written as HIP's; where the exported symbol differs from the"
    " function (hipGetDeviceProperties is exported as hipGetDevicePropertiesR0600), as the symbol."
    "  Messages in the same function that name it follow.",
)
NO_SYMBOL: Final = Code(
    "STR005",
    "dlsym-string",
    Severity.ERROR,
    "a looked-up CUDA function that cannot be replaced by name",
    "The function is looked up by name, and HIP has none for it, or one that takes other arguments,"
    " so that calling it through a pointer of CUDA's type would be undefined.  The string is left"
    " as it is and the look-up fails at run time.",
)
ENTRY_POINT: Final = Code(
    "STR006",
    "entry-point",
    Severity.NOTE,
    "a look-up of a driver function with a version",
    "cuGetProcAddress and cudaGetDriverEntryPoint take the CUDA version whose form of a function"
    " is wanted.  HIP numbers its versions otherwise (100 * major + minor), and a CUDA number would"
    " ask for a version that does not exist, so the tool passes HIP's own.",
)
NO_ENTRY_POINT: Final = Code(
    "STR007",
    "entry-point",
    Severity.ERROR,
    "a look-up of a driver function that cannot be rewritten",
    "The call asks CUDA for a driver function by name and version in a form that HIP lacks in the"
    " target release.  Take the address of the HIP function instead, or look it up with dlsym.",
)
ENVIRONMENT: Final = Code(
    "STR008",
    "environment",
    Severity.WARNING,
    "an environment variable, path or program that belongs to NVIDIA's driver",
    "The program asks the environment for something that only NVIDIA's driver or toolkit provides:"
    " a variable like CUDA_LAUNCH_BLOCKING, a path like /proc/driver/nvidia or /dev/nvidia0, a"
    " program like nvidia-smi.  It compiles, and finds nothing on a machine with AMD GPUs.",
)
SOURCE: Final = Code(
    "STR009",
    "string-kernel",
    Severity.WARNING,
    "device code in a string",
    "The string holds kernel source that is compiled when the program runs, so neither the port nor"
    " a compiler has looked at it.  hipRTC takes HIP source: CUDA names, 32-bit warp masks and"
    " inline PTX fail or compute something else there.  Move the source to a file that is ported,"
    " or rewrite the names the message lists.",
)
BINARY: Final = Code(
    "STR010",
    "string-kernel",
    Severity.ERROR,
    "PTX, a CUDA binary or an NVIDIA compile option in a string",
    "The string holds PTX, names a .ptx, .cubin or .fatbin file to load, or passes the run-time"
    " compiler an NVIDIA architecture.  HIP loads code objects for AMD GPUs and hipRTC wants"
    " --offload-arch=gfx..., so this fails at run time.",
)
CODES: Final = (
    LIBRARY,
    NO_LIBRARY,
    BUILT_LIBRARY,
    SYMBOL,
    NO_SYMBOL,
    ENTRY_POINT,
    NO_ENTRY_POINT,
    ENVIRONMENT,
    SOURCE,
    BINARY,
)
