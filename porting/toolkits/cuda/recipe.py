"""What the CUDA home is made of: data about NVIDIA's wheels, and the libraries that only link."""

from porting.libraries import libraries
from porting.toolkits.partial import Excerpt
from porting.toolkits.stub_library import StubLibrary
from porting.toolkits.wheels import Wheel

RELEASE = "13.0"
WHEEL_HOME = "nvidia/cu13"
_ALL = r"nvidia/cu13/(?!\.).+[^/]"
_HEADERS = r"nvidia/cu13/include/.+[^/]"

# The compiler's wheels go together: of different versions, ptxas rejects what cicc wrote.
WHEELS = (
    Wheel(
        "nvidia-cuda-nvcc",
        "13.0.88",
        "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
        _ALL,
    ),
    Wheel(
        "nvidia-cuda-crt",
        "13.0.88",
        "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4",
        _ALL,
    ),
    Wheel(
        "nvidia-nvvm",
        "13.0.88",
        "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0",
        _ALL,
    ),
    Wheel(
        "nvidia-cuda-runtime",
        "13.0.96",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
        _ALL,
    ),
    Wheel(
        "nvidia-cuda-cccl",
        "13.0.85",
        "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649",
        _ALL,
    ),
)
# Headers alone of the libraries whose wheels are large.
EXCERPTS = (
    Excerpt(
        "nvidia-cublas",
        "13.0.2.14",
        "292bf448e7b12449ba515e4bb89f09e7a8127690f36c0c0d910873f28788dd23",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-cufft",
        "12.0.0.61",
        "2c72e1788e71e03f9eeec445e760bb46ae0d4e9f3446877e2442538554a3f15e",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-curand",
        "10.4.0.35",
        "8b051f43b933b1b1fd989ee0b02a280df18bc4fb2c0db05cc84fc3480023db96",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-cusparse",
        "12.6.3.3",
        "5c03c9c69713c7383f73aaca89d2bf2d75f8b498b26ab7e4a054e74fc678583e",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-cusolver",
        "12.0.4.66",
        "79422fff2096c156228b1ab60023308d6861bfd80c5ab3181d848ca58ff5bfdc",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-cuda-nvrtc",
        "13.0.88",
        "b06e3010ec894a2ee0fdc69648eed20e46ebeb214d5a1aab17bd982d892c8c30",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-nvtx",
        "13.0.85",
        "fd3d647b717f6c6f2a063b4f0b2e528fc88618a6ed63c40cd2d8ad2bc449fd5c",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-cuda-profiler-api",
        "13.0.85",
        "2556190d44af5bfc880bc1ba0c3e1b5dbebb161033c1f58f8bfd3bb02d90b87a",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-nvml-dev",
        "13.0.87",
        "325037d83f3eb04624d2d9613b3e1a3426569ba4dfc789131d8eebf6184d572f",
        _HEADERS,
    ),
    Excerpt(
        "nvidia-nccl-cu13",
        "2.32.3",
        "cb5743354827b57cda497d15d23296890ec12a5c4dcafdf622bcd718379d21e8",
        r"nvidia/nccl/include/nccl\.h",
    ),
)


def _library(name: str, header: str, functions: str, status: str) -> tuple[StubLibrary, str]:
    result, _, value = status.partition("=")
    known = (library for library in libraries().values() if library.cuda is not None)
    row = next(library for library in known if library.cuda and library.cuda.name == name)
    return StubLibrary(name, header, functions, (result, value)), row.cuda_soname(RELEASE)


# fmt: off
# What those libraries answer where no device is.
LIBRARIES = (
    _library("cublas", "cublas_v2.h", "cublas(?!Lt)",
             "cublasStatus_t=CUBLAS_STATUS_NOT_INITIALIZED"),
    _library("cublasLt", "cublasLt.h", "cublasLt",
             "cublasStatus_t=CUBLAS_STATUS_NOT_INITIALIZED"),
    _library("cufft", "cufft.h", "cufft", "cufftResult=CUFFT_SETUP_FAILED"),
    _library("curand", "curand.h", "curand",
             "curandStatus_t=CURAND_STATUS_INITIALIZATION_FAILED"),
    _library("cusparse", "cusparse.h", "cusparse",
             "cusparseStatus_t=CUSPARSE_STATUS_NOT_INITIALIZED"),
    _library("cusolver", "cusolverDn.h", "cusolver",
             "cusolverStatus_t=CUSOLVER_STATUS_NOT_INITIALIZED"),
    _library("nvrtc", "nvrtc.h", "nvrtc",
             "nvrtcResult=NVRTC_ERROR_INTERNAL_ERROR"),
    _library("nccl", "nccl.h", "p?nccl", "ncclResult_t=ncclUnhandledCudaError"),
)
# NVIDIA ships these with the driver, and toolkits a copy to link against in lib/stubs.
DRIVER_LIBRARIES = (
    _library("cuda", "cuda.h", "cu[A-Z]", "CUresult=CUDA_ERROR_STUB_LIBRARY"),
    _library("nvidia-ml", "nvml.h", "nvml",
             "nvmlReturn_t=NVML_ERROR_LIBRARY_NOT_FOUND"),
)
# fmt: on
# What the home has of NVIDIA's own, beside what stubs stand for.
_NVIDIAS = ("cudart", "cudart_static", "cudadevrt", "nvvm", "nvToolsExt", "cuda_runtime.h")


def has(name: str) -> bool:
    """Whether the home has a library (cublas, cuda), or its main header (cublas_v2.h)."""
    stubs = [stub for stub, _ in (*LIBRARIES, *DRIVER_LIBRARIES)]
    return name in {*_NVIDIAS, *(known for stub in stubs for known in (stub.name, stub.header))}
