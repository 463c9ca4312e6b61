"""Errors of `--faults` by name: the numbers of the platform's headers, and what is refused."""

import re

import pytest

from porting.emulate.faults import numbered, without_those_of_others
from porting.emulate.toolkits import Headers
from porting.errors import UsageError
from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot


@pytest.fixture(scope="module")
def cuda(cuda_home: CudaHome) -> Headers:
    return Headers("cuda", cuda_home.path, cuda_home.release)


@pytest.fixture(scope="module")
def rocm(sysroot: Sysroot) -> Headers:
    return Headers("rocm", sysroot.path, "7.1")


@pytest.mark.parametrize(
    ("named", "wanted"),
    [
        ("", ""),
        ("cudaMalloc:2=2;cuInit=100", "cudaMalloc:2=2;cuInit=100"),
        ("cudaMalloc:2=cudaErrorMemoryAllocation", "cudaMalloc:2=2"),
        ("cuMemAlloc=CUDA_ERROR_OUT_OF_MEMORY;;cuInit=100", "cuMemAlloc=2;cuInit=100"),
        ("kernel ns::f(int, a::b):1=cudaErrorLaunchFailure", "kernel ns::f(int, a::b):1=719"),
        ("kernel f=CUDA_ERROR_LAUNCH_FAILED", "kernel f=719"),
    ],
)
def test_names_of_cuda_when_they_are_known(cuda: Headers, named: str, wanted: str) -> None:
    assert numbered(named, cuda) == wanted


def test_names_of_rocm_when_they_are_known(rocm: Headers) -> None:
    named = "hipMalloc:3=hipErrorOutOfMemory;kernel f=hipErrorLaunchFailure"
    assert numbered(named, rocm) == "hipMalloc:3=2;kernel f=719"


@pytest.mark.parametrize(
    ("entry", "what", "right"),
    [
        (
            "cudaMalloc=cudaErrorMemoryAlocation",
            r"cudaErrorMemoryAlocation is no error of cuda 13\.\d+",
            "cudaErrorMemoryAllocation",
        ),
        (
            "cudaMalloc=hipErrorOutOfMemory",
            "hipErrorOutOfMemory is no error of cuda",
            "cudaErrorMemoryAllocation",
        ),
        (
            "cuInit=hipErrorOutOfMemory",
            "hipErrorOutOfMemory is no error of cuda",
            "CUDA_ERROR_OUT_OF_MEMORY",
        ),
        (
            "cuMemAlloc=cudaErrorMemoryAllocation",
            "no call of that interface returns cudaErrorMemoryAllocation",
            "CUDA_ERROR_OUT_OF_MEMORY",
        ),
    ],
)
def test_names_of_cuda_when_they_are_refused(
    cuda: Headers, entry: str, what: str, right: str
) -> None:
    with pytest.raises(UsageError, match=f"^--faults has '{entry}', but {what}; write {right}$"):
        numbered(f"cudaFree=1;{entry}", cuda)


@pytest.mark.parametrize(
    ("error", "what", "advice"),
    [
        ("cudaErrorMemoryAllocation", "rocm", "write hipErrorOutOfMemory"),
        ("CUDA_ERROR_OUT_OF_MEMORY", "rocm", "write hipErrorOutOfMemory"),
        ("hipErrorOutOfMem", "rocm 7.1", "write hipErrorOutOfMemory"),
        ("nonsense", "rocm 7.1", "give the number of the error that is meant"),
    ],
)
def test_names_of_rocm_when_they_are_refused(
    rocm: Headers, error: str, what: str, advice: str
) -> None:
    said = f"--faults has 'hipMalloc={error}', but {error} is no error of {what}; {advice}"
    with pytest.raises(UsageError, match=f"^{re.escape(said)}$"):
        numbered(f"hipMalloc={error}", rocm)


def test_faults_of_two_builds_when_errors_have_names() -> None:
    faults = "cudaMalloc=cudaErrorUnknown;hipMalloc=hipErrorUnknown;kernel f=719;f=wrong"
    cuda = "cudaMalloc=cudaErrorUnknown;kernel f=719;f=wrong"
    assert without_those_of_others(faults, "cuda") == cuda
    rocm = "hipMalloc=hipErrorUnknown;kernel f=719;f=wrong"
    assert without_those_of_others(faults, "rocm") == rocm
