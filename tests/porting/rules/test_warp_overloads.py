"""Functions of the tree that are named like CUDA's shuffles."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import Project
from porting.rules.warp import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]

OWN_SHUFFLE = Project(declared=frozenset({"__shfl_up_sync"}))
OVERLOAD = (
    "__device__ Half __shfl_up_sync(const unsigned mask, const Half v, const unsigned d) {\n"
    "  return __shfl_up_sync(mask, v.operator __half(), d);\n"
    "}\n"
)


def test_overload_for_a_class_loses_its_mask_with_its_calls(ported: Port) -> None:
    call = "__device__ Half f(Half v) { return __shfl_up_sync(-1, v, threadIdx.x & 31); }\n"
    found = ported(check, OVERLOAD + call, project=OWN_SHUFFLE)

    assert found.text == (
        "__device__ Half __shfl_up(const Half v, const unsigned d, int = 32) {\n"
        "  return __shfl_up(v.operator __half(), d, 32);\n"
        "}\n"
        "__device__ Half f(Half v) { return __shfl_up(v, threadIdx.x & 31, 32); }\n"
    )
    assert found.said(above="note") == []


def test_overload_in_wave_wide_code_spans_the_wavefront(ported: Port) -> None:
    code = OVERLOAD + "__device__ int lane() { return threadIdx.x % warpSize; }\n"
    tree = Project(declared=frozenset({"__shfl_up_sync"}), asks_warp_size=True)
    assert "const unsigned d, int = warpSize) {" in ported(check, code, project=tree).text


def test_overload_of_a_template_class_with_a_width_keeps_it(ported: Port) -> None:
    code = (
        "template <class T> __device__ cplx<T> __shfl_xor_sync(unsigned m, cplx<T> v, int d,"
        " int w) {\n  return {__shfl_xor_sync(m, v.re, d, w), __shfl_xor_sync(m, v.im, d, w)};\n}\n"
    )
    found = ported(check, code, project=Project(declared=frozenset({"__shfl_xor_sync"})))
    assert found.text == code.replace("_xor_sync", "_xor").replace("unsigned m, ", "").replace(
        "(m, ", "("
    )


@pytest.mark.parametrize(
    "overload",
    [
        OVERLOAD.replace("Half", "__half"),
        OVERLOAD.replace("Half", "T").replace("__device__", "template <class T> __device__"),
        OVERLOAD.replace("{\n", "{\n  if (mask == 0) return v;\n"),
    ],
)
def test_overload_that_must_stay_leaves_calls_beside_it_to_a_person(
    ported: Port, overload: str
) -> None:
    call = "__device__ int f(int v) { return __shfl_up_sync(-1, v, 1); }\n"
    found = ported(check, overload + call, project=OWN_SHUFFLE)

    assert "__shfl_up_sync(const unsigned mask" in found.text
    assert found.text.endswith(call)
    assert "WRP010" in [code for _, code in found.said()]


def test_overload_makes_a_call_unambiguous(
    ported: Port, compiles: Callable[..., None], sysroot: Sysroot
) -> None:
    text = (
        "#include <hip/hip_fp16.h>\n"
        "struct Half { operator float() const; operator __half() const; Half(float); Half(__half);"
        " unsigned short x; };\n"
        f"{OVERLOAD.replace('__device__', '__device__ inline')}"
        "template <class T> __global__ void k(T* p) { T v = p[0];\n"
        "  for (int i = 1; i < 32; i *= 2) v = v + __shfl_up_sync(0xffffffffu, v, i);\n"
        "  p[0] = v; }\n"
        "template __global__ void k<Half>(Half*);\ntemplate __global__ void k<float>(float*);\n"
    )
    text = text.replace(
        "operator float() const;", "__device__ operator float() const { return 0; }"
    )
    text = text.replace(
        "operator __half() const;", "__device__ operator __half() const { return x; }"
    )
    text = text.replace(
        "Half(float); Half(__half);", "__device__ Half(float) {} __device__ Half(__half) {}"
    )
    found = ported(check, "#include <cuda_fp16.h>\n" + text, project=OWN_SHUFFLE)
    compiles(found.text.partition("\n")[2], sysroot)


def test_shuffle_of_the_trees_own_making_is_left_alone(ported: Port) -> None:
    text = (
        "__device__ int __shfl_up_sync(unsigned m, int v, int d) { return mine(v, d); }\n"
        "__device__ int f(int v) { return __shfl_up_sync(-1, v, 1); }\n"
    )
    found = ported(check, text, project=OWN_SHUFFLE)

    assert found.text == text
    assert found.said() == []
