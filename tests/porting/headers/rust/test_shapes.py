"""What stands for CUDA's types over HIP, and where the numbers differ."""

import pytest

from porting.headers.rust.api import cuda_api, hip_api, with_size_t
from porting.headers.rust.numbers import differing_fields, numbers
from porting.headers.rust.shapes import Form, Shapes
from porting.mapping import Names


@pytest.fixture(scope="module")
def shapes(names: Names) -> Shapes:
    return Shapes(names, cuda_api(), hip_api("7.1"))


@pytest.mark.parametrize(
    ("name", "form", "hip"),
    [
        ("CUdeviceptr", Form.INTEGER, "hipDeviceptr_t"),
        ("CUmemGenericAllocationHandle", Form.INTEGER, "hipMemGenericAllocationHandle_t"),
        ("cudaError_t", Form.ENUM, "hipError_t"),
        ("CUstream", Form.ALIAS, "hipStream_t"),
        ("cudaExtent", Form.ALIAS, "hipExtent"),
        ("CUmemAllocationProp", Form.RECORD, "hipMemAllocationProp"),
        ("cudaDeviceProp", Form.DIFFERENT, "hipDeviceProp_tR0600"),
    ],
)
def test_get_when_a_type_has_a_counterpart(shapes: Shapes, name: str, form: Form, hip: str) -> None:
    found = shapes.get(name)
    assert found is not None
    assert (found.form, found.hip) == (form, hip)


def test_get_when_hip_has_nothing(shapes: Shapes) -> None:
    assert shapes.get("CUtensorMap") is None


def test_get_when_a_field_has_no_counterpart(shapes: Shapes) -> None:
    found = shapes.get("cudaFuncAttributes")
    assert found is not None
    assert found.form is Form.DIFFERENT


def test_get_when_the_release_is_older(names: Names) -> None:
    older = Shapes(Names.load("6.2"), cuda_api(), hip_api("6.2"))
    found = older.get("CUmemAllocationProp")
    assert found is not None
    assert found.form is Form.RECORD  # requestedHandleType there, in no union yet


def test_numbers_when_an_attribute_is_another_one(shapes: Shapes) -> None:
    found = numbers(shapes, "cudaDeviceAttr")
    attribute = cuda_api().enums["cudaDeviceAttr"].values["cudaDevAttrWarpSize"]
    assert found.to_hip[attribute] == shapes.hip.value("hipDeviceAttributeWarpSize")


def test_numbers_when_hip_alone_has_an_error(shapes: Shapes) -> None:
    found = numbers(shapes, "cudaError")
    assert found.to_cuda[shapes.hip.enums["hipError_t"].values["hipErrorRuntimeMemory"]] == 999
    assert 2 not in found.to_cuda


def test_numbers_when_all_are_the_same(shapes: Shapes) -> None:
    assert numbers(shapes, "cudaMemcpyKind").same


def test_differing_fields_when_an_enumeration_is_inside(shapes: Shapes) -> None:
    assert differing_fields(shapes, "CUDA_MEMCPY2D") == ["srcMemoryType", "dstMemoryType"]
    assert differing_fields(shapes, "cudaExtent") == []


def test_with_size_t_when_bindgen_wrote_c_ulong() -> None:
    found = with_size_t(cuda_api(), "c_ulong")
    assert found.functions["cudaMalloc"].parameters[1] == ("size", "c_ulong")
    assert with_size_t(found, "usize") is found
