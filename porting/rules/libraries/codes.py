"""The codes of the library family, each with its page for `porting explain`."""

from porting.diagnostics import Code, Severity

CUB_WARP = Code(
    "LIB001",
    "warp-size-literal",
    Severity.NOTE,
    "a CUB warp primitive is given its width of 32",
    "cub::WarpReduce<T> and WarpScan<T> work on 32 lanes, hipCUB's on a whole wavefront, which is"
    " 64 lanes on gfx9.  The surrounding code was written for groups of 32, so the width is"
    " written out: hipcub::WarpReduce<T, 32> means the same on every architecture.",
)
CUB_WARP_WIDTH = Code(
    "LIB002",
    "warp-size-literal",
    Severity.WARNING,
    "a CUB warp primitive without its width",
    "Without the width, hipCUB's warp primitives work on a whole wavefront: 64 lanes on gfx9, where"
    " CUB works on 32.  Name the width (the template argument LOGICAL_WARP_THREADS) so that the"
    " groups stay what the surrounding code takes them for.",
)
CUB_INTERNAL = Code(
    "LIB003",
    "library-internals",
    Severity.ERROR,
    "a part of CUB that hipCUB does not have",
    "hipCUB carries CUB's documented primitives over rocPRIM.  CUB's dispatch and agent layers, its"
    " tuning policies and its detail namespaces have no counterpart.  Call the Device-wide function"
    " instead, or use rocPRIM, whose configuration types do the tuning there.",
)
CUB_NAMESPACE = Code(
    "LIB004",
    "library-internals",
    Severity.WARNING,
    "namespace cub is reopened or wrapped",
    "The code adds to CUB's namespace or moves it into one of its own (CUB_WRAPPED_NAMESPACE,"
    " CUB_NS_PREFIX).  hipCUB has its types in an inline namespace of hipcub, named after the"
    " release, and cannot be wrapped.  Specialise hipCUB's template by its qualified name.",
)
LIBCUDACXX = Code(
    "LIB005",
    "libcudacxx",
    Severity.ERROR,
    "a name of libcu++ outside cuda::std",
    "libcu++ is no part of ROCm.  AMD's libhipcxx, a separate install, has hip::std and a few of"
    " the extensions as hip::.  cuda::atomic and cuda::barrier carry scopes and PTX that must be"
    " said anew: __hip_atomic_* builtins with a scope, __syncthreads(), plain copies in place of"
    " asynchronous ones.",
)
LIBCUDACXX_STD = Code(
    "LIB006",
    "libcudacxx",
    Severity.WARNING,
    "cuda::std becomes hip::std, which libhipcxx brings",
    "hip::std exists only where libhipcxx is installed; ROCm does not bring it.  Install libhipcxx,"
    " or use std:: where the code is constexpr (type traits, numeric_limits, array): clang takes"
    " constexpr functions of the standard library in device code.",
)
FUNCTOR = Code(
    "LIB007",
    "libcudacxx",
    Severity.NOTE,
    "an operator of libcu++ becomes that of hipCUB or rocThrust",
    "CUB 3 and Thrust 3 take their operators from libcu++ (cuda::maximum, cuda::std::plus).  Where"
    " the code uses CUB or Thrust, the same operator is in hipcub:: or thrust::, so libhipcxx is"
    " not needed for it.",
)
FOREIGN = Code(
    "LIB008",
    "library",
    Severity.ERROR,
    "a name of an NVIDIA library that ROCm has no port of",
    "The name belongs to a library whose interface exists on NVIDIA's platform only.  There may be"
    " an AMD library for the same purpose, with an interface of its own; the help names it.  The"
    " code is left as it is.",
)
BLAS_V2 = Code(
    "LIB009",
    "library",
    Severity.WARNING,
    "compute types need HIPBLAS_V2 before ROCm 7",
    "Up to ROCm 6.x, hipblasGemmEx and its batched forms take hipblasDatatype_t unless HIPBLAS_V2"
    " is defined; with it they take hipDataType and hipblasComputeType_t, which is what cuBLAS's"
    " calls pass; the same macro makes the complex types hipComplex and hipDoubleComplex.  Define"
    " HIPBLAS_V2 for every unit that includes hipblas/hipblas.h: by a compile option, which this"
    " tool has to know as well (defines in [tool.porting]), or by #define in front of the"
    " #include.",
)
BLAS_V1 = Code(
    "LIB010",
    "library",
    Severity.ERROR,
    "the cuBLAS interface without handles",
    "cublas.h without _v2 declares the interface of CUDA 3: no handle, characters for the"
    " operations, results by value.  hipBLAS has only the interface with handles.  Create a handle"
    " by hipblasCreate and pass it first, with HIPBLAS_OP_N or _T and scalars by address.",
)
RANDOM = Code(
    "LIB011",
    "silent-semantics",
    Severity.NOTE,
    "random numbers differ from cuRAND's",
    "hipRAND over rocRAND gives another sequence than cuRAND for the same seed and generator.  The"
    " distributions are the same; tests that compare stored values, and runs that must repeat a"
    " CUDA run, are not.",
)
CODES = (
    CUB_WARP,
    CUB_WARP_WIDTH,
    CUB_INTERNAL,
    CUB_NAMESPACE,
    LIBCUDACXX,
    LIBCUDACXX_STD,
    FUNCTOR,
    FOREIGN,
    BLAS_V2,
    BLAS_V1,
    RANDOM,
)
