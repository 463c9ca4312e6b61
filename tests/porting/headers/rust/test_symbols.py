"""Forwarders: the numbers that they translate, and what needs none."""

import pytest

from porting.headers.rust.api import cuda_api, hip_api
from porting.headers.rust.shapes import Shapes
from porting.headers.rust.symbols import Symbols
from porting.mapping import Names


def symbols(names: Names, *wanted: str) -> Symbols:
    made = Symbols(Shapes(names, cuda_api(), hip_api("7.1")))
    made.provide(wanted)
    return made


def test_text_when_a_number_is_another_one(names: Names) -> None:
    text = symbols(names, "cudaDeviceGetAttribute").text()
    assert 'pub unsafe extern "C" fn cudaDeviceGetAttribute(' in text
    assert "hip_sys::hipDeviceGetAttribute(value, cudaDeviceAttr_to_hip(attr), device)" in text
    assert "    cudaError_from_hip(result)\n" in text


def test_text_when_hip_writes_a_number(names: Names) -> None:
    text = symbols(names, "cudaGraphNodeGetType").text()
    assert "        *pType = cudaGraphNodeType_from_hip(*pType);\n" in text


def test_text_when_the_name_is_the_same_in_both(names: Names) -> None:
    made = symbols(names, "ncclAllReduce")
    assert not made.functions
    assert not made.missing


def test_missing_when_there_is_no_counterpart(names: Names) -> None:
    made = symbols(names, "cudaMalloc", "cudaGraphConditionalHandleCreate")
    assert list(made.functions) == ["cudaMalloc"]
    assert list(made.missing) == ["cudaGraphConditionalHandleCreate"]


@pytest.mark.parametrize("name", ["cudaGetErrorString", "cudaFree"])
def test_targets_when_a_forwarder_calls_hip(names: Names, name: str) -> None:
    assert symbols(names, name).targets == {name.replace("cuda", "hip")}
