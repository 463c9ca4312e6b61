"""The findings of the device code family."""

from typing import Final

from porting.diagnostics import Code, Severity

CACHE_HINT = Code(
    "DEV001",
    "cache-hint",
    Severity.NOTE,
    "a load or store with a cache hint",
    "HIP has __ldg for built-in types, and the other hinted loads and stores for __half at most."
    "  A streaming access (cs, lu) becomes clang's nontemporal builtin, an access that must see or"
    " reach the L2 cache (cg, cv, wt) a relaxed atomic of that scope, where the pointer is known to"
    " point to a number; all others become a plain access, which differs in speed only.",
)
CACHE_HINT_UNKNOWN = Code(
    "DEV002",
    "cache-hint",
    Severity.ERROR,
    "a volatile or write-through access to a type the port does not know",
    "__ldcv reads memory anew every time and __stwt writes through to memory.  For numbers the port"
    " writes a relaxed atomic of system scope; for other types there is none.  Use a volatile"
    " pointer, or __hip_atomic_load and __hip_atomic_store on the parts.",
)
ATOMIC_SCOPE = Code(
    "DEV003",
    "atomic-scope",
    Severity.NOTE,
    "an atomic function with a scope in its name",
    "HIP has no atomicXxx_block, and atomicInc and atomicDec only at device scope.  The port writes"
    " the builtin with an explicit scope where clang has one.  Compare-and-swap, increment and"
    " decrement of block scope become the function of device scope, which is stronger.",
)
INTRINSIC = Code(
    "DEV004",
    "device-intrinsic",
    Severity.NOTE,
    "a device function that HIP has under another form",
    "The function has no HIP name, and an expression with the same result exists: it was written"
    " in its place.",
)
INTRINSIC_UNKNOWN = Code(
    "DEV005",
    "device-intrinsic",
    Severity.ERROR,
    "a device function that the port cannot write for these operands",
    "The function has no HIP name.  An equivalent exists, but it needs to know the operands' types,"
    " or to compute an operand more than once.  Store the operands in variables of plain types"
    " first and port again, or write the function yourself.",
)
LAUNCH = Code(
    "DEV006",
    "device-launch",
    Severity.ERROR,
    "a kernel launched or a runtime call made by device code",
    "HIP has no device-side launches (dynamic parallelism) and no runtime API in kernels.  Launch"
    " the second kernel from the host, put its work into a loop of the first, or keep a queue of"
    " work in memory that persistent blocks take from.",
)
TEXTURE_REFERENCE = Code(
    "DEV007",
    "texture",
    Severity.ERROR,
    "a texture or surface reference",
    "Texture references (`texture<...>` variables at file scope) left CUDA with release 12 and are"
    " deprecated in HIP, where they do not work on GPUs without texture units.  Pass a texture"
    " object (cudaTextureObject_t) to the kernel, or read the array through a pointer.",
)
TEXTURE_UNITS = Code(
    "DEV008",
    "texture",
    Severity.ERROR,
    "a texture or surface fetch on a GPU without texture units",
    "The compute GPUs from gfx942 on have no texture units, and HIP's fetch functions are marked"
    " unavailable for them, so the line does not compile.  Read the array through a pointer and"
    " interpolate in code, or leave these architectures out.",
)
SHARED_LIMIT = Code(
    "DEV009",
    "shared-memory",
    Severity.WARNING,
    "more shared memory than a work-group can have",
    "A work-group has at most 64 KiB of local data share on gfx90a, gfx942 and RDNA (160 KiB on"
    " gfx950), where NVIDIA allows up to 227 KiB.  The launch fails.  Use smaller tiles.",
)
MATRIX = Code(
    "DEV010",
    "matrix-cores",
    Severity.ERROR,
    "nvcuda::wmma",
    "AMD's counterpart is rocWMMA (rocwmma/rocwmma.hpp, namespace rocwmma), whose fragments belong"
    " to a wavefront: 64 lanes on CDNA, so launches that count 32 threads to a fragment change,"
    " and other tile shapes and types are supported.  It is a library of its own.",
)
FP8 = Code(
    "DEV011",
    "half-types",
    Severity.WARNING,
    "8-bit floats whose encoding differs between GPUs",
    "NVIDIA's fp8 types are the OCP formats (e4m3 up to 448, e5m2).  gfx942 computes with the FNUZ"
    " formats (e4m3 up to 240, another exponent bias, no negative zero); gfx950 and gfx12 with OCP."
    "  HIP's __hip_fp8_e4m3 is OCP and is converted in software on gfx942; the _fnuz types are"
    " native there.  Stored bytes are not interchangeable: check what writes and reads them.",
)
ATTRIBUTE = Code(
    "DEV012",
    "kernel-attribute",
    Severity.NOTE,
    "a kernel attribute that HIP lacks and can do without",
    "__grid_constant__ and __maxnreg__ advise NVIDIA's compiler and change no result, and the third"
    " argument of __launch_bounds__ speaks of clusters.  HIP has none of them; the port removes"
    " them.",
)
CLUSTER = Code(
    "DEV013",
    "kernel-attribute",
    Severity.ERROR,
    "a kernel for clusters of blocks",
    "AMD GPUs have no clusters of blocks and no shared memory across blocks.  Exchange data through"
    " global memory, or give the work of a cluster to one block.",
)
LOCK = Code(
    "DEV014",
    "silent-semantics",
    Severity.WARNING,
    "a lock that lanes of one wavefront may wait for",
    "From Volta on, NVIDIA's threads make progress on their own: one lane of a warp may hold a lock"
    " while another spins on it.  Lanes of an AMD wavefront share a program counter: the lane that"
    " holds the lock waits until the spinning lanes leave their loop, which they never do.  The"
    " kernel hangs.  Let one thread per block take the lock, or put the critical section inside the"
    " loop, in the branch in which the lock was taken.",
)
NARROW_ATOMIC = Code(
    "DEV015",
    "half-types",
    Severity.ERROR,
    "an atomic addition to a 16-bit floating-point number",
    "CUDA's atomicAdd has overloads for __half, __half2, __nv_bfloat16 and __nv_bfloat162.  HIP's"
    " has none, so the line does not compile.  Add to a float and convert once at the end, which is"
    " faster and more exact; or loop over atomicCAS on the aligned 32-bit word that holds the"
    " number.  An overload of your own with the name atomicAdd works too.",
)
THROWS = Code(
    "DEV016",
    "device-standard-library",
    Severity.ERROR,
    "a function of the standard library that may throw, in device code",
    "nvcc lets device code call constexpr functions of the standard library and leaves out what"
    " they throw.  clang compiles them whole, and the function that throws is the host's: at() of a"
    " std::array, value() of a std::optional, std::get of a std::variant and std::visit fail, with"
    " the error in the library's header.  at() of a std::array becomes [] in functions that only"
    " the device runs, where no index may be out of range.  Use operator[], operator* or get_if.",
)
SURFACE = Code(
    "DEV017",
    "surfaces",
    Severity.ERROR,
    "a read or write of a surface in a form that HIP lacks",
    "HIP's functions of surfaces have no boundary mode, except surf1Dread, and give what they read"
    " through a pointer.  Outside of a surface they read 0 and write nothing, as with"
    " cudaBoundaryModeZero.  cudaBoundaryModeTrap, CUDA's default, differs for wrong programs only;"
    " cudaBoundaryModeClamp has to be written out.  Other forms are written as HIP has them.",
)
OTHER_RESULT = Code(
    "DEV018",
    "silent-semantics",
    Severity.NOTE,
    "a device function whose HIP form gives something else",
    "HIP has the function, and its result is another one.  __ushort_as_bfloat16 and its kin convert"
    " the number in the headers of ROCm 6.2 where CUDA keeps the bits, which go through"
    " __hip_bfloat16_raw instead.  __umul24 returns int where CUDA returns unsigned, so products"
    " from 2^31 on become negative where they are widened, compared or divided; a cast makes them"
    " unsigned again.  __popc and __popcll, and before ROCm 7.0 __ffs and __ffsll, return unsigned"
    " where CUDA returns int, so a difference of two is never negative; they are cast where that"
    " may show.  __hisinf gives -1 for the infinity below zero in CUDA and 1 or true in HIP; the"
    " number's bits tell the sign, except where a condition only asks whether it is infinite."
    "  __hadd, __rhadd, __uhadd and __urhadd of integers are 0 or 1, or lose the carry, in the"
    " headers of ROCm 6.2; before ROCm 7.1 they are written out.  __hadd is also the sum of two"
    " 16-bit floating-point numbers: the compiler chooses where the operands do not tell.",
)
UNCALLED = Code(
    "DEV019",
    "silent-semantics",
    Severity.WARNING,
    "a device function whose HIP form gives something else, named without a call",
    "Calls of the functions of DEV018 are rewritten to give what they do in CUDA.  Where such a"
    " function is named alone, as an argument or for its address, HIP's is meant, whose result has"
    " another type or value.  Name a function or lambda of your own that calls it.",
)
CODES: Final = (
    CACHE_HINT,
    CACHE_HINT_UNKNOWN,
    ATOMIC_SCOPE,
    INTRINSIC,
    INTRINSIC_UNKNOWN,
    LAUNCH,
    TEXTURE_REFERENCE,
    TEXTURE_UNITS,
    SHARED_LIMIT,
    MATRIX,
    FP8,
    ATTRIBUTE,
    CLUSTER,
    LOCK,
    NARROW_ATOMIC,
    THROWS,
    SURFACE,
    OTHER_RESULT,
    UNCALLED,
)
