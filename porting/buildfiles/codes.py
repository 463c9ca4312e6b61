"""What converters of build files can say."""

from porting.config import FOLLOWED_CUDA
from porting.diagnostics import Code, Severity

_TOPIC = "build-system"

LEFT_ALONE = Code(
    "BLD010",
    _TOPIC,
    Severity.ERROR,
    "a build file that cannot be converted whole",
    "Something in the build file has no certain counterpart for ROCm.  A half-converted build file"
    " is worse than none, so the file was left as it is; every place that kept it so is reported."
    "  Mend the places by hand, or change the input so that they can be converted.",
)
ALREADY_PORTED = Code(
    "BLD011",
    _TOPIC,
    Severity.NOTE,
    "a build file that knows HIP already",
    "The build file, or one above it that decides for it, has a branch or a setting for HIP or"
    " ROCm.  It was ported before, and stays byte for byte as it is.",
)
FLAG_DROPPED = Code(
    "BLD012",
    _TOPIC,
    Severity.NOTE,
    "an option of nvcc that clang does not need or does not have",
    "The option is not among those for clang; the message says why.  Most such options turn on what"
    " clang does anyway, or steer a program that only NVIDIA has.",
)
FLAG_CHECK = Code(
    "BLD013",
    _TOPIC,
    Severity.WARNING,
    "an option of the compiler that a person should look at",
    "The option was replaced by one that does not mean quite the same, or passed on although it is"
    " not known to be an option of clang.",
)
FLAG_UNSUPPORTED = Code(
    "BLD014",
    _TOPIC,
    Severity.ERROR,
    "an option of nvcc without a counterpart",
    "What the option asks for does not exist with clang and ROCm, so the build step must be made"
    " another way.  A build file with such an option is left as it is.",
)
LIBRARY_DROPPED = Code(
    "BLD015",
    _TOPIC,
    Severity.NOTE,
    "a CUDA library that is not linked for ROCm",
    "The library has no counterpart to link: its functions are in libamdhip64, or nothing of it"
    " exists or is needed in ROCm.",
)
LIBRARY_MISSING = Code(
    "BLD016",
    _TOPIC,
    Severity.ERROR,
    "a CUDA library or package that ROCm has no counterpart for",
    "The build needs a library, CMake package or source dependency that only exists for CUDA.  Take"
    " it out of the ROCm build, or replace it by what the message names.",
)
VERSION_DECISION = Code(
    "BLD017",
    _TOPIC,
    Severity.WARNING,
    "a decision by the version of CUDA",
    "The version of ROCm or HIP says nothing about a version of CUDA.  HIP follows the interfaces"
    f" of CUDA {FOLLOWED_CUDA[0]}, so the condition is decided as CUDA {FOLLOWED_CUDA[0]} would;"
    " check that its branches fit.",
)
VENDOR_STEP = Code(
    "BLD018",
    _TOPIC,
    Severity.WARNING,
    "a step of the build that was rewritten and should be read",
    "The build calls a compiler or a tool of NVIDIA by itself.  The call was rewritten for clang;"
    " what surrounds it, such as names of outputs, is as it was.",
)
SETTING_DROPPED = Code(
    "BLD019",
    _TOPIC,
    Severity.NOTE,
    "a setting of the build that has no meaning for ROCm",
    "The variable, property or command only steers CUDA's compiler or libraries, and was taken"
    " out.",
)
LIBRARY_OWN = Code(
    "BLD020",
    _TOPIC,
    Severity.WARNING,
    "a library of ROCm that takes the place of one of CUDA's with an interface of its own",
    "The library is linked in the place of CUDA's, but its functions and types are others: sources"
    " that use the library must be ported by hand.",
)
RUN_PATH_LOST = Code(
    "BLD021",
    _TOPIC,
    Severity.WARNING,
    "a run path that crates which depend on this one do not get",
    "Cargo hands a build script's arguments for the linker to that package alone.  A crate of the"
    " tree that depends on it gets the run path from a build.rs of its own, which is made or"
    " extended.  The crates that are named have a build script of another name, none by choice, or"
    " one that asks for CUDA itself: what they link has no RUNPATH to ROCm's libraries.",
)
CALL_LACKING = Code(
    "BLD022",
    _TOPIC,
    Severity.WARNING,
    "a build script that looks for ROCm by itself and lacks a line that its crate needs",
    "The script stays as it is.  The crate's sources ask cfg(gpu_rocm), declare CUDA's functions or"
    " have bindgen write bindings, and in the script's ROCm build nothing sets the cfg, links"
    " forwarders under CUDA's names or gives bindgen HIP's.  Write the lines that the message"
    " names where the script is sure of ROCm, or have the crate speak HIP there by itself.",
)
CODES = (
    LEFT_ALONE,
    ALREADY_PORTED,
    FLAG_DROPPED,
    FLAG_CHECK,
    FLAG_UNSUPPORTED,
    LIBRARY_DROPPED,
    LIBRARY_MISSING,
    VERSION_DECISION,
    VENDOR_STEP,
    SETTING_DROPPED,
    LIBRARY_OWN,
    RUN_PATH_LOST,
    CALL_LACKING,
)


def flag_code(severity: Severity) -> Code:
    """Return the code of a note about an option of the compiler."""
    return {
        Severity.NOTE: FLAG_DROPPED,
        Severity.WARNING: FLAG_CHECK,
        Severity.ERROR: FLAG_UNSUPPORTED,
    }[severity]
