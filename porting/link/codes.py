"""The kinds of findings of the audit of built binaries."""

from porting.diagnostics import Code, Severity

TOPIC = "linking"


def _code(number: int, severity: Severity, title: str, explanation: str) -> Code:
    return Code(f"LNK{number:03}", TOPIC, severity, title, explanation)


TWO_CUDARTS = _code(
    1,
    Severity.ERROR,
    "two CUDA runtimes in one process",
    "A statically linked cudart and a shared one, in one file or in files that one process loads,"
    " keep separate state: current device, last error and registered kernels of one are unknown to"
    " the other.  Link every file of the process in the same way.",
)
TWO_MAJORS = _code(
    2,
    Severity.ERROR,
    "two versions of a vendor library in one process",
    "The loader takes libraries with different SONAMEs for different libraries and loads both, such"
    " as libcudart.so.12 and libcudart.so.13.  Handles of one mean nothing to the other.  Build"
    " every file of the process against one release.",
)
NO_RUNPATH = _code(
    3,
    Severity.WARNING,
    "no RUNPATH to the ROCm libraries",
    "The file needs libraries of ROCm and does not say where they are.  ROCm's folder is not among"
    " the loader's own, so the program starts only where LD_LIBRARY_PATH or ld.so.conf names it."
    "  Link with -Wl,--enable-new-dtags,-rpath,<rocm>/lib.",
)
RPATH = _code(
    4,
    Severity.WARNING,
    "RPATH where RUNPATH is wanted",
    "DT_RPATH is searched before LD_LIBRARY_PATH and holds for the libraries' own libraries too, so"
    " nobody can put another copy in front of it.  Link with -Wl,--enable-new-dtags.",
)
WRONG_RUNPATH = _code(
    5,
    Severity.WARNING,
    "RUNPATH without the folder of the target's ROCm libraries",
    "The file has a RUNPATH, and none of its folders holds the ROCm libraries of the target: they"
    " are found by luck, in another release's folder, or not at all.  Where the machine that is to"
    " run it has them in a folder that this one has not, say so with --runpath.",
)
BUILD_FOLDER = _code(
    6,
    Severity.WARNING,
    "RUNPATH with a folder of the machine it was built on",
    "A folder that exists only where the file was built, or one relative to the folder that a user"
    " happens to be in, is no place for libraries: elsewhere, whoever can write there decides what"
    " the program loads.  Strip it when installing, or write it with $ORIGIN;"
    " --runpath names a folder of ROCm's libraries that is right elsewhere.",
)
NO_SUCH_MAJOR = _code(
    7,
    Severity.ERROR,
    "a SONAME that the target release does not have",
    "The number behind .so. changes when a library's binary interface does.  The target's ROCm has"
    " another one, so the loader finds no such file.  Build against the target's release.",
)
LEFT_CUDA = _code(
    8,
    Severity.ERROR,
    "a function of CUDA is left undefined in a ROCm binary",
    "No library of ROCm defines the function, so the file does not load, or dies at the first call"
    " where symbols are bound late.  A source file was not ported, or a compatibility header that"
    " gives HIP under CUDA's names was not included.",
)
LEFT_HIP = _code(
    9,
    Severity.ERROR,
    "a function of HIP is left undefined in a CUDA binary",
    "No library of CUDA defines the function.  An object of the ROCm build was linked into the CUDA"
    " build, or a ported source was compiled with it.",
)
NEWER_VERSION = _code(
    10,
    Severity.ERROR,
    "a symbol version newer than the target release",
    "The file was linked against a newer libamdhip64 and asks for a version of a symbol that the"
    " target's does not define.  The loader refuses such a file.  Build against the oldest release"
    " that is to run it.",
)
MISSING_ARCH = _code(
    11,
    Severity.ERROR,
    "device code without a wanted architecture",
    "The kernels of the file were not compiled for an architecture that was asked for; launching"
    " them there fails at run time.  Compile every source with each of them (--offload-arch for"
    " ROCm, -gencode for CUDA).",
)
UNKNOWN_ARCH = _code(
    12,
    Severity.WARNING,
    "device code that cannot be read here",
    "The device code is compressed in a way that this machine cannot undo, so nothing is said about"
    " the architectures it is for.",
)
NOT_PIC = _code(
    13,
    Severity.WARNING,
    "host code that is not position independent",
    "The object holds addresses that are fixed when it is linked, which a shared library cannot"
    " have: linking fails, or the loader must patch code (DT_TEXTREL), which hardened systems"
    " refuse.  Compile with -fPIC; with nvcc, -Xcompiler -fPIC.",
)
TWO_HIPS = _code(
    14,
    Severity.ERROR,
    "two HIP runtimes in one process",
    "Two copies of libamdhip64 under different names are both loaded, such as torch's own and the"
    " system's.  Each starts its own ROCr, streams and memory of one are unknown to the other, and"
    " many programs abort.  Let every file of the process use one copy.",
)
WHICH_COPY = _code(
    15,
    Severity.WARNING,
    "the order of loading decides which copy of a library is used",
    "Files of one process find a library of the same name in different folders.  The first one"
    " loaded serves all of them, so the result depends on the order of imports.",
)
MIXED = _code(
    16,
    Severity.ERROR,
    "one file is linked with both vendors' libraries",
    "A file that needs both CUDA and ROCm loads only where both are installed.  Build one file per"
    " platform, or open the vendor's library at run time.",
)
WRONG_PLATFORM = _code(
    17,
    Severity.ERROR,
    "a file follows another platform's plan",
    "The audit was asked about one platform, and the file is linked for the other.",
)
LINKED_DRIVER = _code(
    18,
    Severity.WARNING,
    "a library of the driver or of communication is linked instead of opened",
    "The file does not load where the library is missing, even if it would never call it: on a"
    " machine without a GPU driver, or without RDMA.  Open it with dlopen, with RTLD_NOLOAD first,"
    " so that a copy which is already loaded is shared.",
)
NOT_FOUND = _code(
    19,
    Severity.NOTE,
    "a library was not found on this machine",
    "The loader would not find the library here, so what it brings into the process was not"
    " examined.  On the machine that is to run the file it has to be there.",
)
TEXTREL = _code(
    20,
    Severity.WARNING,
    "the loader has to patch code",
    "DT_TEXTREL: an object without -fPIC was linked into the file.  Its pages cannot be shared, and"
    " systems with SELinux or systemd's MemoryDenyWriteExecute refuse to load it.",
)
CUDA_TEXT = _code(
    21,
    Severity.NOTE,
    "a name of a CUDA library is left in a ROCm binary",
    "The file holds the name of a library of CUDA as a text, as for dlopen.  A translation table"
    " does that on purpose; in other code the call finds nothing on a machine with ROCm.",
)
NOT_EXAMINED = _code(
    22,
    Severity.NOTE,
    "a member of an archive was not examined",
    "Nothing is said of it.  Linkers do not look into an archive in an archive, so its objects are"
    " not linked unless somebody takes them out; bitcode is compiled when it is linked, and what"
    " comes out can be audited; anything else is no part of a program.",
)
CODES = (
    TWO_CUDARTS,
    TWO_MAJORS,
    NO_RUNPATH,
    RPATH,
    WRONG_RUNPATH,
    BUILD_FOLDER,
    NO_SUCH_MAJOR,
    LEFT_CUDA,
    LEFT_HIP,
    NEWER_VERSION,
    MISSING_ARCH,
    UNKNOWN_ARCH,
    NOT_PIC,
    TWO_HIPS,
    WHICH_COPY,
    MIXED,
    WRONG_PLATFORM,
    LINKED_DRIVER,
    NOT_FOUND,
    TEXTREL,
    CUDA_TEXT,
    NOT_EXAMINED,
)
