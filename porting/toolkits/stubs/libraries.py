"""Which ROCm libraries have API stubs, and what a header needs beyond what its stub says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from porting.toolkits.wheels import Wheel


@dataclass(frozen=True)
class Borrowed:
    """Names that a header declares itself although another module's stub describes them."""

    module: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Library:
    """A library's header and the stub it is written from.

    `module` is the Python module whose compiled form holds the values.  `skip`: names that included
    headers declare.  `guards`: enum -> macro that keeps two headers from declaring it twice.
    `parameter_types`: (function pattern, type in the stub, type in the API), where stubs name the
    type behind a typedef.  `before` and `after`: what stubs cannot say (macros, typedefs).
    `initializers`: macro -> (struct pattern, magic number) of structs that begin with size, magic
    and version.  `variant`: (macro, suffix); the macro redirects each function to its variant.
    `borrowed`: what another library's stub says and this header declares itself.
    """

    module: str
    header: str
    stub: str
    includes: tuple[str, ...]
    skip: tuple[str, ...] = ()
    guards: Mapping[str, str] = field(default_factory=dict)
    parameter_types: tuple[tuple[str, str, str], ...] = ()
    before: str = ""
    after: str = ""
    initializers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    variant: tuple[str, str] | None = None
    borrowed: Borrowed | None = None


@dataclass(frozen=True)
class StubSet:
    """The stubs of one ROCm release: a wheel, the file with their values, the libraries.

    `package` is the Python package of the wheel whose modules hold the values; `companions` are
    the wheels that it imports, needed only to read those.
    """

    rocm: str
    wheel: Wheel
    package: str
    values: str
    libraries: tuple[Library, ...]
    companions: tuple[Wheel, ...] = ()


_RUNTIME = "hip/hip_runtime_api.h"
_COMPLEX = "hip/hip_complex.h"
_TYPES = "hip/library_types.h"
# hipBLAS and hipSOLVER both declare these, each unless the other did.
_SHARED_ENUMS = {
    "hipblasOperation_t": "HIPBLAS_OPERATION_DECLARED",
    "hipblasFillMode_t": "HIPBLAS_FILL_MODE_DECLARED",
    "hipblasDiagType_t": "HIPBLAS_DIAG_TYPE_DECLARED",
    "hipblasSideMode_t": "HIPBLAS_SIDE_MODE_DECLARED",
}

_HALF = """\
#ifdef HIPBLAS_USE_HIP_HALF
#include <hip/hip_fp16.h>
typedef __half hipblasHalf;
#else
typedef uint16_t hipblasHalf;
#endif
"""
_HIPBLAS = Library(
    "hipblas",
    "hipblas/hipblas.h",
    "hip/chipblas.pxd",
    ("hipblas-common/hipblas-common.h", _RUNTIME, _COMPLEX, "hip/hip_bfloat16.h", _TYPES),
    (
        "hipblasStatus_t",
        "hipblasOperation_t",
        "hipblasComputeType_t",
        "hipblasHalf",
    ),
    _SHARED_ENUMS,
    ((r"hipblas\w+", "unsigned short", "hipblasHalf"),),
    before=_HALF,
)
# Before ROCm 6.3 there is no hipblas-common, and one macro chooses HIP's complex types.
_HIPBLAS_6_2 = replace(
    _HIPBLAS,
    includes=_HIPBLAS.includes[1:],
    skip=(
        "hipblasHalf",
        "hipblasComplex",
        "hipblasDoubleComplex",
    ),
    variant=("HIPBLAS_V2", "_v2"),
    before=_HALF
    + """\
#ifdef ROCM_MATHLIBS_API_USE_HIP_COMPLEX
typedef hipFloatComplex hipblasComplex;
typedef hipDoubleComplex hipblasDoubleComplex;
#else
typedef struct hipblasComplex { float x, y; } hipblasComplex;
typedef struct hipblasDoubleComplex { double x, y; } hipblasDoubleComplex;
#endif
""",
)
_HIPFFT = Library(
    "hipfft",
    "hipfft/hipfft.h",
    "hip/chipfft.pxd",
    (_RUNTIME, _COMPLEX, _TYPES),
    (
        "hipfftComplex",
        "hipfftDoubleComplex",
    ),
    before="""\
typedef hipFloatComplex hipfftComplex;
typedef hipDoubleComplex hipfftDoubleComplex;
""",
)
_HIPRAND = Library(
    "hiprand",
    "hiprand/hiprand.h",
    "hip/chiprand.pxd",
    (_RUNTIME, "hip/hip_fp16.h"),
    ("uint4",),
    before="#ifndef __cplusplus\ntypedef struct __half_raw __half;\n#endif\n",
    # The stub of 7.1 has lost the half type and says int.
    parameter_types=(
        (r"hiprandGenerate\w*Half", "int", "__half"),
        (r"hiprandGenerate\w*Half", "unsigned short", "__half"),
    ),
)
_HIPSPARSE = Library(
    "hipsparse", "hipsparse/hipsparse.h", "hip/chipsparse.pxd", (_RUNTIME, _COMPLEX, _TYPES)
)
_HIPSOLVER = Library(
    "hipsolver",
    "hipsolver/hipsolver.h",
    "hip/chipsolver.pxd",
    (_RUNTIME, _COMPLEX, _TYPES),
    guards=_SHARED_ENUMS,
    borrowed=Borrowed("hipblas", tuple(_SHARED_ENUMS)),
    skip=(
        *("hipsolverOperation_t", "hipsolverFillMode_t", "hipsolverSideMode_t"),
        *("hipsolverDnHandle_t", "hipsolverHandle_t"),
    ),
    before="typedef void *hipsolverHandle_t;\ntypedef hipsolverHandle_t hipsolverDnHandle_t;\n",
    after="""\
typedef hipblasOperation_t hipsolverOperation_t;
typedef hipblasFillMode_t hipsolverFillMode_t;
typedef hipblasSideMode_t hipsolverSideMode_t;
#define HIPSOLVER_OP_N HIPBLAS_OP_N
#define HIPSOLVER_OP_T HIPBLAS_OP_T
#define HIPSOLVER_OP_C HIPBLAS_OP_C
#define HIPSOLVER_FILL_MODE_UPPER HIPBLAS_FILL_MODE_UPPER
#define HIPSOLVER_FILL_MODE_LOWER HIPBLAS_FILL_MODE_LOWER
#define HIPSOLVER_SIDE_LEFT HIPBLAS_SIDE_LEFT
#define HIPSOLVER_SIDE_RIGHT HIPBLAS_SIDE_RIGHT
""",
)
_RCCL = Library(
    "rccl",
    "rccl/rccl.h",
    "hip/crccl.pxd",
    (_RUNTIME, "limits.h"),
    initializers={
        "NCCL_CONFIG_INITIALIZER": (r"ncclConfig_v\d+", "0xcafebeef"),
        "NCCL_SIM_INFO_INITIALIZER": (r"ncclSimInfo_v\d+", "0x74685283"),
    },
    after="""\
#define NCCL_VERSION(major, minor, patch) \\
  (((major) <= 2 && (minor) <= 8) ? (major) * 1000 + (minor) * 100 + (patch) \\
                                  : (major) * 10000 + (minor) * 100 + (patch))
#define NCCL_SPLIT_NOCOLOR (-1)
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_UNDEF_PTR NULL
#define NCCL_UNDEF_FLOAT (-1.0f)
""",
)
_HIPRTC = Library(
    "hiprtc",
    "hip/hiprtc.h",
    "hip/chiprtc.pxd",
    ("hip/hip_common.h", "hip/linker_types.h"),
    # From 7.0 on hipRTC's options are other names for HIP's.
    before="""\
#define hiprtcJIT_option hipJitOption
#define hiprtcJITInputType hipJitInputType
#define HIPRTC_JIT_MAX_REGISTERS hipJitOptionMaxRegisters
#define HIPRTC_JIT_THREADS_PER_BLOCK hipJitOptionThreadsPerBlock
#define HIPRTC_JIT_WALL_TIME hipJitOptionWallTime
#define HIPRTC_JIT_INFO_LOG_BUFFER hipJitOptionInfoLogBuffer
#define HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES hipJitOptionInfoLogBufferSizeBytes
#define HIPRTC_JIT_ERROR_LOG_BUFFER hipJitOptionErrorLogBuffer
#define HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES hipJitOptionErrorLogBufferSizeBytes
#define HIPRTC_JIT_OPTIMIZATION_LEVEL hipJitOptionOptimizationLevel
#define HIPRTC_JIT_TARGET_FROM_HIPCONTEXT hipJitOptionTargetFromContext
#define HIPRTC_JIT_TARGET hipJitOptionTarget
#define HIPRTC_JIT_FALLBACK_STRATEGY hipJitOptionFallbackStrategy
#define HIPRTC_JIT_GENERATE_DEBUG_INFO hipJitOptionGenerateDebugInfo
#define HIPRTC_JIT_LOG_VERBOSE hipJitOptionLogVerbose
#define HIPRTC_JIT_GENERATE_LINE_INFO hipJitOptionGenerateLineInfo
#define HIPRTC_JIT_CACHE_MODE hipJitOptionCacheMode
#define HIPRTC_JIT_NEW_SM3X_OPT hipJitOptionSm3xOpt
#define HIPRTC_JIT_FAST_COMPILE hipJitOptionFastCompile
#define HIPRTC_JIT_GLOBAL_SYMBOL_NAMES hipJitOptionGlobalSymbolNames
#define HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS hipJitOptionGlobalSymbolAddresses
#define HIPRTC_JIT_GLOBAL_SYMBOL_COUNT hipJitOptionGlobalSymbolCount
#define HIPRTC_JIT_LTO hipJitOptionLto
#define HIPRTC_JIT_FTZ hipJitOptionFtz
#define HIPRTC_JIT_PREC_DIV hipJitOptionPrecDiv
#define HIPRTC_JIT_PREC_SQRT hipJitOptionPrecSqrt
#define HIPRTC_JIT_FMA hipJitOptionFma
#define HIPRTC_JIT_NUM_OPTIONS hipJitOptionNumOptions
#define HIPRTC_JIT_IR_TO_ISA_OPT_EXT hipJitOptionIRtoISAOptExt
#define HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT hipJitOptionIRtoISAOptCountExt
#define HIPRTC_JIT_INPUT_CUBIN hipJitInputCubin
#define HIPRTC_JIT_INPUT_PTX hipJitInputPtx
#define HIPRTC_JIT_INPUT_FATBINARY hipJitInputFatBinary
#define HIPRTC_JIT_INPUT_OBJECT hipJitInputObject
#define HIPRTC_JIT_INPUT_LIBRARY hipJitInputLibrary
#define HIPRTC_JIT_INPUT_NVVM hipJitInputNvvm
#define HIPRTC_JIT_INPUT_LLVM_BITCODE hipJitInputLLVMBitcode
#define HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE hipJitInputLLVMBundledBitcode
#define HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE hipJitInputLLVMArchivesOfBundledBitcode
#define HIPRTC_JIT_INPUT_SPIRV hipJitInputSpirv
#define HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES hipJitNumLegacyInputTypes
#define HIPRTC_JIT_NUM_INPUT_TYPES hipJitNumInputTypes
""",
)

STUBS_7_1 = StubSet(
    "7.1",
    Wheel(
        "hip-python",
        "7.1.1.562.43",
        "e54368d5fb5dfb437808e4b2c0fc3dbd47f4cf66f797391cf4978cbd459df9fe",
        r"hip/c\w+\.pxd",
    ),
    "hip",
    "stub_values_7.1.json",
    (_HIPBLAS, _HIPFFT, _HIPRAND, _HIPSPARSE, _HIPSOLVER, _RCCL, _HIPRTC),
)
STUBS_6_2 = StubSet(
    "6.2",
    Wheel(
        "hip-python",
        "6.2.0.499.16",
        "70bf6b87960034b84c25a13af969034bdbc27f2a7314f67733fb7b8c699c3ed8",
        r"hip/c\w+\.pxd",
    ),
    "hip",
    "stub_values_6.2.json",
    (_HIPBLAS_6_2, _HIPFFT, _HIPRAND, _HIPSPARSE, _HIPSOLVER, _RCCL),
)

_LIBRARIES_10_0 = (
    Library(
        "hipblaslt",
        "hipblaslt/hipblaslt.h",
        "rocm/bindings/cyhipblaslt.pxd",
        ("hipblas/hipblas.h", _RUNTIME, _COMPLEX, _TYPES),
    ),
    Library(
        "hipsparselt",
        "hipsparselt/hipsparselt.h",
        "rocm/bindings/cyhipsparselt.pxd",
        ("hipsparse/hipsparse.h", _RUNTIME, _TYPES),
    ),
)
_COMPANIONS_10_0 = (
    Wheel(
        "rocm-bindings-core",
        "10.0.0.0.1.2",
        "943da68c125cbc7f9ecdc8106241881ae29b36fd6b20e62ac0a7bc2782a41041",
        r"rocm/.*",
    ),
    Wheel(
        "rocm-bindings-hip",
        "10.0.0.0.1.2",
        "b288d26fac3ab77d2f25f4b832397abb1d01157871f23226f9dd389e92b22ee4",
        r"rocm/.*",
    ),
)
# Libraries without stubs of their own release: the nearest stubs there are, and marked as such.
# hipTensor and hipDNN have stubs without the compiled modules that hold their values: left out.
STUBS_10_0 = StubSet(
    "10.0",
    Wheel(
        "rocm-bindings-libraries",
        "10.0.0.0.1.2",
        "1f31dac4a9edaa49c298fa946f52f26c4265ee29e9ced43d5b50306b8cc26380",
        r"rocm/bindings/cy\w+\.pxd",
    ),
    "rocm.bindings",
    "stub_values_10.0_libraries.json",
    _LIBRARIES_10_0,
    _COMPANIONS_10_0,
)
SYSTEMS_10_0 = StubSet(
    "10.0",
    Wheel(
        "rocm-bindings-systems",
        "10.0.0.0.1.2",
        "6e49433cceaf8a5bcb6991b7319042a5db66998fd605cf51bbefa0109ab8df84",
        r"rocm/bindings/cy\w+\.pxd",
    ),
    "rocm.bindings",
    "stub_values_10.0_systems.json",
    (
        Library(
            "amdsmi",
            "amd_smi/amdsmi.h",
            "rocm/bindings/cyamdsmi.pxd",
            ("time.h",),
            ("timespec",),
            before="typedef struct timespec timespec;\n",
        ),
    ),
    _COMPANIONS_10_0,
)
STUB_SETS = (STUBS_7_1, STUBS_6_2, STUBS_10_0, SYSTEMS_10_0)
