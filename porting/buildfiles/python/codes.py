"""The kinds of findings in build scripts written in Python."""

from porting.diagnostics import Code, Severity
from porting.generated import FOLDER

TOPIC = "build-system"

SCRIPT_UNREADABLE = Code(
    "BLD101",
    TOPIC,
    Severity.ERROR,
    "a build script in Python that cannot be read",
    "The script names CUDA and is no Python 3, so none of it was ported and it stays as it is."
    "  Bring it to Python 3 first.",
)
SCRIPT_COMMAND = Code(
    "BLD105",
    TOPIC,
    Severity.ERROR,
    "a command of nvcc that could not be ported",
    "The command is written in a form that hides its words, so a ROCm build would start nvcc.  Hand"
    " the list of words to gpu_build.command, which turns it into one of clang for HIP.",
)
SCRIPT_ARCHITECTURES = Code(
    "BLD106",
    TOPIC,
    Severity.NOTE,
    "CUDA architectures in a build script",
    "A ROCm build takes its architectures from PYTORCH_ROCM_ARCH, and without it those the port was"
    " made for; the list of CUDA architectures stays for CUDA.",
)
SCRIPT_CMAKE = Code(
    "BLD107",
    TOPIC,
    Severity.WARNING,
    "a build script gives CMake variables of CUDA's",
    "The script configures CMake and names a variable of CUDA's in a form that is not converted,"
    " unlike an option such as -DCMAKE_CUDA_FLAGS=-lineinfo.  A ROCm build does not read it: its"
    " compiler and architectures are CMAKE_HIP_COMPILER and CMAKE_HIP_ARCHITECTURES.",
)
SCRIPT_MANIFEST = Code(
    "BLD108",
    TOPIC,
    Severity.NOTE,
    "a line in MANIFEST.in for the generated folder",
    f"setup.py imports {FOLDER}/gpu_build.py, so a source distribution has to carry that folder:"
    f" the line `graft {FOLDER}` was added, which does it.  A tree without a MANIFEST.in gets one.",
)
SDIST_INCOMPLETE = Code(
    "BLD109",
    TOPIC,
    Severity.WARNING,
    "a setup.py below the root of the tree, whose sdist lacks the generated folder",
    f"setup.py imports {FOLDER}/gpu_build.py from the root of the tree, and a source distribution"
    " holds nothing from above its own folder.  What is built in the tree, wheels too, is whole;"
    " an sdist is not.",
)
CODES = (
    SCRIPT_UNREADABLE,
    SCRIPT_COMMAND,
    SCRIPT_ARCHITECTURES,
    SCRIPT_CMAKE,
    SCRIPT_MANIFEST,
    SDIST_INCOMPLETE,
)
