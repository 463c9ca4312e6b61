"""The name tables as the rules see them: what a name becomes in which release."""

import time

import pytest

from porting import mapping
from porting.errors import MappingError
from porting.mapping import Action, Names, Status

RELEASES = ("6.2", "6.4", "7.0", "7.1", "7.2", "10.0")


@pytest.fixture(scope="module")
def names() -> Names:
    return Names.load("7.1")


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("cudaMalloc", "hipMalloc"),
        ("cudaError_t", "hipError_t"),
        ("cudaErrorMemoryAllocation", "hipErrorOutOfMemory"),
        ("cuDeviceGetCount", "hipGetDeviceCount"),
        ("cuGetErrorString", "hipDrvGetErrorString"),
        ("cuStreamCreate", "hipStreamCreateWithFlags"),
        ("cuMemcpy2D", "hipMemcpyParam2D"),
        ("CUaddress_mode", "HIPaddress_mode"),
        ("CUtexref", "hipTexRef"),
        ("__nv_bfloat16", "__hip_bfloat16"),
        ("nv_bfloat16", "__hip_bfloat16"),
        ("__nv_bfloat162", "__hip_bfloat162"),
        ("__float2bfloat16_rn", "__float2bfloat16"),
        ("cudaDataType_t", "hipDataType"),
        ("CUDA_R_16F", "HIP_R_16F"),
        ("CUBLAS_COMPUTE_32F", "HIPBLAS_COMPUTE_32F"),
        ("cublasSgemm_v2", "hipblasSgemm"),
        ("cublasGetStatusString", "hipblasStatusToString"),
        ("cublasLtMatmul", "hipblasLtMatmul"),
        ("cufftXtMakePlanMany", "hipfftXtMakePlanMany"),
        ("curandStatePhilox4_32_10_t", "hiprandStatePhilox4_32_10_t"),
        ("curand_init", "hiprand_init"),
        ("cusparseSpMV", "hipsparseSpMV"),
        ("cusolverDnSgetrf", "hipsolverDnSgetrf"),
        ("nvrtcGetCUBIN", "hiprtcGetCode"),
        ("nvtxRangePushA", "roctxRangePushA"),
        ("make_cuComplex", "make_hipComplex"),
        ("CUDART_INF_F", "HIP_INF_F"),
        ("cuuint64_t", "uint64_t"),
    ],
)
def test_get_when_hip_has_another_name(names: Names, name: str, target: str) -> None:
    found = names.get(name)

    assert found is not None
    assert (found.status, found.target) == (Status.MAPPED, target)
    assert found.since in RELEASES
    assert found.cite


@pytest.mark.parametrize(
    "name",
    [
        "threadIdx",
        "warpSize",
        "dim3",
        "float4",
        "make_float4",
        "sinf",
        "__shfl_sync",
        "__half",
        "half2",
        "__hfma2",
        "atomicAdd",
        "__popc",
        "ncclAllReduce",
        "NCCL_CONFIG_INITIALIZER",
        "cooperative_groups::this_thread_block",
        "surf2Dread",
        "__launch_bounds__",
    ],
)
def test_get_when_hip_has_the_same_name(names: Names, name: str) -> None:
    found = names.get(name)

    assert found is not None
    assert (found.status, found.target) == (Status.UNCHANGED, name)
    assert found.action is Action.NONE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cuFuncSetAttribute", "host function"),
        ("cuTensorMapEncodeTiled", "TMA"),
        ("cudaGraphConditionalHandleCreate", "conditional"),
        ("cudaDevAttrMpsEnabled", "no such attribute"),
        ("CUDA_VERSION", "HIP_VERSION"),
        ("cudnnConvolutionForward", "MIOpen"),
        ("nvmlDeviceGetCount", "AMD SMI"),
        ("nvcuda::wmma::fragment", "rocWMMA"),
        ("cooperative_groups::labeled_partition", "partition by label"),
        ("__nanosleep", "nanoseconds"),
        ("__cvta_generic_to_shared", "address space"),
        ("__DRIVER_TYPES_H__", "include guard"),
    ],
)
def test_get_when_hip_has_no_counterpart(names: Names, name: str, words: str) -> None:
    found = names.get(name)

    assert found is not None
    assert (found.status, found.target) == (Status.UNSUPPORTED, None)
    assert words in found.reason
    assert found.help
    assert found.cite.startswith("searched:")


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("cudaMemcpyToSymbol", Action.SYMBOL),
        ("cudaGetSymbolAddress", Action.SYMBOL),
        ("CUdeviceptr", Action.CAST),
        ("cudaTextureObject_t", Action.CAST),
        ("cufftHandle", Action.CAST),
        ("CUmemGenericAllocationHandle", Action.CAST),
        ("cudaGraphInstantiate", Action.ARGUMENTS),
        ("cudaMemAdvise", Action.ARGUMENTS),
        ("cudaMemPrefetchAsync", Action.ARGUMENTS),
        ("cuMemcpy", Action.ARGUMENTS),
        ("cuMemcpyAsync", Action.ARGUMENTS),
        ("cudaMalloc", Action.RENAME),
    ],
)
def test_get_when_more_than_a_new_spelling_is_needed(
    names: Names, name: str, action: Action
) -> None:
    found = names.get(name)

    assert found is not None
    assert found.action is action
    assert action in (Action.RENAME, Action.SYMBOL) or found.reason


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("cuMemGetHandleForAddressRange", "7.0"),
        ("CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD", "7.0"),
        ("cudaLaunchKernelExC", "7.0"),
        ("cudaLaunchKernelEx", "7.0"),
        ("__syncwarp", "7.0"),
        ("__reduce_add_sync", "7.0"),
        ("cudaMemAdvise_v2", "7.1"),
        ("cudaGetDriverEntryPoint", "7.1"),
        ("cuStreamBatchMemOp", "6.4"),
        ("__nv_fp8_e4m3", "6.4"),
        ("ncclCommShrink", "7.1"),
        ("cooperative_groups::reduce", "10.0"),
        ("cudaGreenCtxCreate", "10.0"),
    ],
)
def test_get_when_the_release_is_older_than_the_name(name: str, first: str) -> None:
    position = RELEASES.index(first)

    for release in RELEASES:
        found = Names.load(release).get(name)
        assert found is not None
        if RELEASES.index(release) >= position:
            assert found.status is not Status.UNSUPPORTED
        else:
            assert found.status is Status.UNSUPPORTED
            assert found.reason.endswith(f"exists from ROCm {first}; the target is {release}")


@pytest.mark.parametrize("release", RELEASES)
def test_get_when_one_spelling_lives_in_every_release(release: str) -> None:
    found = Names.load(release).get("CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID")

    assert found is not None
    assert found.target == "hipDeviceAttributePciDomainID"


def test_get_when_the_name_is_a_users(names: Names) -> None:
    for name in ("my_cudaMalloc_count", "cudaXyz", "cuda_stream", "cub", "payload", "w", "wait"):
        assert names.get(name) is None


def test_get_when_asked_twice_returns_the_same_record(names: Names) -> None:
    assert names.get("cudaFree") is names.get("cudaFree")


def test_get_when_the_member_of_a_struct_differs(names: Names) -> None:
    same = names.get("cudaDeviceProp::name")
    renamed = names.get("CUmemAllocationProp::requestedHandleTypes")
    missing = names.get("cudaDeviceProp::deviceNumaId")

    assert same is not None
    assert same.status is Status.UNCHANGED
    assert renamed is not None
    assert renamed.target == "hipMemAllocationProp::requestedHandleType"
    assert missing is not None
    assert missing.reason == "hipDeviceProp_t has no member deviceNumaId"


def test_private_when_a_cuda_header_declares_a_common_word(names: Names) -> None:
    found = names.private("EXCLUDE_FROM_RTC")

    assert found is not None
    assert found.status is Status.UNSUPPORTED
    assert names.private("cudaMalloc") is None


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("cuda_runtime.h", "hip/hip_runtime.h"),
        ("cuda.h", "hip/hip_runtime.h"),
        ("device_launch_parameters.h", "hip/hip_runtime.h"),
        ("vector_types.h", "hip/hip_vector_types.h"),
        ("cuda_fp16.h", "hip/hip_fp16.h"),
        ("cuda_bf16.h", "hip/hip_bf16.h"),
        ("cuda_fp8.h", "hip/hip_fp8.h"),
        ("cooperative_groups.h", "hip/hip_cooperative_groups.h"),
        ("cublas_v2.h", "hipblas/hipblas.h"),
        ("cublasLt.h", "hipblaslt/hipblaslt.h"),
        ("cufft.h", "hipfft/hipfft.h"),
        ("curand.h", "hiprand/hiprand.h"),
        ("curand_kernel.h", "hiprand/hiprand_kernel.h"),
        ("cusparse.h", "hipsparse/hipsparse.h"),
        ("cusolverDn.h", "hipsolver/hipsolver.h"),
        ("nccl.h", "rccl/rccl.h"),
        ("nvrtc.h", "hip/hiprtc.h"),
        ("nvToolsExt.h", "roctracer/roctx.h"),
        ("cub/cub.cuh", "hipcub/hipcub.hpp"),
        ("cub/block/block_reduce.cuh", "hipcub/hipcub.hpp"),
        ("thrust/system/cuda/execution_policy.h", "thrust/system/hip/execution_policy.h"),
        ("cuda/std/atomic", "hip/std/atomic"),
    ],
)
def test_header_when_rocm_has_another_path(names: Names, path: str, target: str) -> None:
    found = names.header(path)

    assert found is not None
    assert (found.status, found.target, found.action) == (Status.MAPPED, target, Action.HEADER)


def test_header_when_rocm_has_the_same_path(names: Names) -> None:
    found = names.header("thrust/device_vector.h")

    assert found is not None
    assert (found.status, found.target) == (Status.UNCHANGED, "thrust/device_vector.h")


@pytest.mark.parametrize("path", ["nvml.h", "cudnn.h", "mma.h", "cooperative_groups/reduce.h"])
def test_header_when_rocm_has_none(names: Names, path: str) -> None:
    found = names.header(path)

    assert found is not None
    assert found.status is Status.UNSUPPORTED
    assert found.reason
    assert found.help


def test_header_when_it_is_no_cuda_header(names: Names) -> None:
    assert names.header("vector") is None


@pytest.mark.parametrize(
    ("path", "target"),
    [("cub", "hipcub"), ("thrust::cuda", "thrust::hip"), ("cuda::std", "hip::std")],
)
def test_namespace_when_rocm_has_another(names: Names, path: str, target: str) -> None:
    found = names.namespace(path)

    assert found is not None
    assert (found.target, found.action) == (target, Action.NAMESPACE)
    assert names.namespace("std") is None


@pytest.mark.parametrize(
    ("asked", "used"),
    [("6.2", "6.2"), ("6.3", "6.2"), ("6.4.2", "6.4"), ("7.1.1", "7.1"), ("7.14", "7.2")],
)
def test_load_when_the_release_lies_between_known_ones(asked: str, used: str) -> None:
    assert Names.load(asked).release == used


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("6.1", r"^ROCm 6\.1 is older than the tables reach; they know 6\.2, .*10\.0, so name one"),
        ("seven", r"^'seven' is no ROCm release; the tables know 6\.2, 6\.4, 7\.0, 7\.1, 7\.2, 10"),
    ],
)
def test_load_when_the_release_is_unknown(asked: str, message: str) -> None:
    with pytest.raises(MappingError, match=message):
        Names.load(asked)


def test_load_when_all_tables_are_read_stays_quick() -> None:
    def cost() -> float:
        mapping._tables.cache_clear()
        start = time.process_time()
        Names.load("7.1").get("cudaMalloc")
        return time.process_time() - start

    assert min(cost() for _ in range(5)) < 0.06


def test_releases_when_listed_say_how_far_each_is_checked() -> None:
    levels = {release.name: release.level for release in mapping.releases()}

    assert tuple(levels) == RELEASES
    assert {name for name, level in levels.items() if level == "headers"} == {"6.2", "7.1"}


def test_counts_when_added_up_cover_every_name(names: Names) -> None:
    counts = names.counts()

    assert set(counts) == set(names.libraries())
    assert sum(sum(row.values()) for row in counts.values()) == sum(1 for _ in names)
    assert counts["runtime"][Status.MAPPED] > 1000
    assert counts["cusparselt"][Status.MAPPED] > counts["cusparselt"][Status.UNSUPPORTED]
