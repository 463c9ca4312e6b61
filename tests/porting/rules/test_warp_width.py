"""How wide a tree's warps are: evidence in its text, and warpSize as a value."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import Project
from porting.rules.warp import check
from porting.rules.warp.evidence import asks_warp_size, counts_in_32

Port = Callable[..., Any]
HALF = "(__lane_id() & 32)"


def first_line(text: str) -> str:
    return text.splitlines()[0]


def test_warp_size_is_written_as_32_when_the_file_counts_in_32_too(ported: Port) -> None:
    text = (
        "__device__ int a(bool p) { return __popc(__ballot_sync(-1, p)) % warpSize; }\n"
        "__device__ int b() { return threadIdx.x % 32; }\n"
    )
    found = ported(check, text)
    assert first_line(found.text).endswith(f"(__ballot(p) >> {HALF})) % 32; }}")
    assert found.said() == [(1, "WRP002"), (1, "WSZ002"), (2, "WSZ001")]


def test_warp_size_is_written_as_32_when_another_file_counts_in_32(ported: Port) -> None:
    text = "__device__ int a(int v) { return __shfl_sync(-1, v, warpSize - 1); }\n"
    found = ported(check, text, project=Project(counts_in_32=True))
    assert found.text == "__device__ int a(int v) { return __shfl(v, 32 - 1, 32); }\n"
    assert ported(check, text).text == text.replace("_sync(-1, ", "(")


def test_file_without_evidence_follows_its_tree(ported: Port) -> None:
    text = "__device__ int a(int v) { return __shfl_sync(kAll, v, 0) + __any_sync(-1, v); }\n"
    alone = ported(check, text)
    half = f"(static_cast<unsigned>(__ballot(v) >> {HALF}) != 0)"
    assert alone.text == f"__device__ int a(int v) {{ return __shfl(v, 0, 32) + {half}; }}\n"
    wave = ported(check, text, project=Project(asks_warp_size=True))
    assert wave.text == "__device__ int a(int v) { return __shfl(v, 0) + __any(v); }\n"
    both = ported(check, text, project=Project(asks_warp_size=True, counts_in_32=True))
    assert both.text == alone.text


def test_constant_mask_is_widened_only_when_code_asks_warp_size(ported: Port) -> None:
    text = "constexpr unsigned kAll = 0xffffffffu;\nint f() { return __shfl_sync(kAll, 1, 0); }\n"
    assert first_line(ported(check, text).text) == "constexpr unsigned kAll = 0xffffffffu;"
    wave = ported(check, text, project=Project(asks_warp_size=True))
    assert first_line(wave.text) == "constexpr unsigned long long kAll = 0xffffffffffffffffull;"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("int lane = threadIdx.x % warpSize;", True),
        ("for (int o = warpSize / 2; o; o /= 2)", True),
        ("int lanes = properties.warpSize;", False),
        ("int lanes = p->warpSize;", False),
        ("int f() { return warpSize; }", True),
        ("constexpr int warpSize = 32;", False),
        ("int warpSize = props.warpSize; int blocks = n / warpSize;", False),
        ("template <int warpSize> int f(int n) { return n / warpSize; }", False),
        ("int kwarpSize2 = 1;", False),
    ],
)
def test_text_asks_warp_size(text: str, *, asks: bool) -> None:
    assert asks_warp_size(text) is asks


def test_library_warp_size_is_a_warning_when_the_file_counts_in_32(ported: Port) -> None:
    text = "__device__ int a() { return threadIdx.x % C10_WARP_SIZE + threadIdx.x % 32; }\n"
    assert ported(check, text).said(above="note") == [(1, "WSZ004")]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("int lane = threadIdx.x & 31;", True),
        ("w = lane_id / 32;", True),
        ("if (tid < 32) return;", True),
        ("v += __shfl_xor_sync(m, v, 16);", True),
        ("for (int o = 1; o <= 16; o *= 2) v += __shfl_xor_sync(m, v, o);", True),
        ("#define WARP_SIZE 32", True),
        ("constexpr int kWarpSize = 32;", True),
        ("for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(WARP, v, o);", True),
        ("int lane = threadIdx.x % warpSize;", False),
        ("bits[i >> 5] & (1u << (i & 31));", False),
        ("constexpr int kMaxWarps = 32;", False),
    ],
)
def test_text_counts_in_32(text: str, *, counts: bool) -> None:
    assert counts_in_32(text) is counts


def test_variable_named_warp_size_is_no_evidence(ported: Port) -> None:
    text = "__device__ int f(int v, int warpSize) { return __shfl_sync(-1, v, warpSize - 1); }\n"
    assert "__shfl(v, warpSize - 1, 32)" in ported(check, text).text


@pytest.mark.parametrize(
    ("statement", "codes"),
    [
        ("__shared__ float s[32]; s[lane] = v;", ["WSZ005"]),
        ("__shared__ float s[64]; s[lane] = v;", []),
        ("__shared__ float s[32]; s[warp] = v;", []),
        ("__shared__ float s[32]; v = s[lane];", []),
    ],
)
def test_shared_array_is_too_short_for_a_wavefront(
    ported: Port, statement: str, codes: list[str]
) -> None:
    head = "__device__ void f(float v, int warp) { const int lane = threadIdx.x % warpSize; "
    found = ported(check, f"{head}{statement} }}\n")
    assert [code for _, code in found.said()] == codes


def test_host_field_named_warp_size_is_no_evidence(ported: Port) -> None:
    text = "int f(cudaDeviceProp& p) { return p.warpSize; }\nint lanes = threadIdx.x & 31;\n"
    assert ported(check, text).said() == [(2, "WSZ001")]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k() { __shared__ int s[warpSize]; }",
        "__global__ void k() { int a[1024 / warpSize]; }",
        "__global__ void k() { g<warpSize>(); }",
        "constexpr int n = warpSize * 2;",
        "static_assert(warpSize == 32);",
    ],
)
def test_warp_size_is_an_error_where_a_constant_is_needed(ported: Port, text: str) -> None:
    assert "WSZ003" in [code for _, code in ported(check, text + "\n", "7.0").said()]
    assert "WSZ003" not in [code for _, code in ported(check, text + "\n", "6.4").said()]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int* p) { p[warpSize] = 1; }",
        "__global__ void k(int* p) { p[0] = p[threadIdx.x % warpSize]; }",
        "__global__ void k() { if (a < warpSize && b > 2) return; }",
        "__global__ void k() { f(a, warpSize, b); }",
        "__global__ void k() { const int n = warpSize; }",
    ],
)
def test_warp_size_is_left_alone_where_a_value_will_do(ported: Port, text: str) -> None:
    assert ported(check, text + "\n").findings == ()
