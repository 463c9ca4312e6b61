"""The warp family: 32-lane code keeps its warps, code that asks warpSize gets the wavefront."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import Project
from porting.rules.warp import check

Port = Callable[..., Any]
Check = Callable[..., None]
HALF = "(__lane_id() & 32)"
MINE = f"__ballot(1) & (0xffffffffull << {HALF})"


def line(text: str, number: int = 1) -> str:
    """Return one line of a text, without its indentation."""
    return text.splitlines()[number - 1].strip()


SHUFFLES = [
    ("__shfl_down_sync(0xffffffff, v, d)", "__shfl_down(v, d, 32)"),
    ("__shfl_sync(0xFFFFFFFFu, v, 0)", "__shfl(v, 0, 32)"),
    ("__shfl_up_sync(-1, v, 1)", "__shfl_up(v, 1, 32)"),
    ("__shfl_xor_sync(~0u, v, m ^ 3)", "__shfl_xor(v, m ^ 3, 32)"),
    ("__shfl_xor_sync(~0u, f(a, b), g<1, 2>(c))", "__shfl_xor(f(a, b), g<1, 2>(c), 32)"),
    ("__shfl_sync(mask, v, 0, 16)", "__shfl(v, 0, 16)"),
    ("::__shfl_sync(k::kAll, v, 0)", "::__shfl(v, 0, 32)"),
    ("__shfl_sync(__activemask(), v, 0)", "__shfl(v, 0, 32)"),
    ("__shfl_sync ( 0xffffffff , v,\n 0 )", "__shfl ( v,\n 0 , 32)"),
    ("__shfl_sync((unsigned)-1, __shfl_sync(m, v, 1), 2)", "__shfl(__shfl(v, 1, 32), 2, 32)"),
]


@pytest.mark.parametrize(("before", "after"), SHUFFLES)
def test_shuffle_loses_mask_and_gets_width_when_code_counts_in_32(
    ported: Port, before: str, after: str
) -> None:
    found = ported(check, f"__device__ int f(int v) {{ return {before}; }}\n")
    assert found.text == f"__device__ int f(int v) {{ return {after}; }}\n"
    assert {d.code for d in found.findings} == {"WRP001"}
    assert found.said(above="note") == []


def test_shuffle_spans_the_wavefront_when_code_asks_warp_size(ported: Port) -> None:
    text = (
        "__device__ int f(int v) {\n"
        "  for (int o = warpSize / 2; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);\n"
        "  return v;\n}\n"
    )
    found = ported(check, text)
    assert "v += __shfl_down(v, o);" in found.text
    assert found.said() == [(2, "WRP001")]


@pytest.mark.parametrize(
    "text",
    [
        "#define SHFL(...) __shfl_sync(__VA_ARGS__)\n",
        "template <class... A> __device__ int f(A... a) { return __shfl_sync(-1, a...); }\n",
        "auto f = &__shfl_sync<int>;\n",
        "__device__ int f(unsigned m) { return __shfl_sync(m <<= 1, 1, 2); }\n",
    ],
)
def test_shuffle_is_an_error_when_its_mask_cannot_be_seen(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.said(above="note") == [(1, "WRP010")]


@pytest.mark.parametrize(
    "text",
    [
        "// __shfl_sync(0xffffffff, v, 0)\n",
        'const char* s = "__ballot_sync(0xffffffff, p)";\n',
        "__device__ int f(int v) { return __shfl_sync(0xffffffffffffffffull, v, 0); }\n",
        "__device__ int f(int v, unsigned long long m) { return __shfl_sync(m, v, 0); }\n",
        "#ifdef __HIP_PLATFORM_AMD__\nint f(int v) { return __shfl_sync(m, v, 0); }\n#endif\n",
        "#ifndef USE_ROCM\nint f(int v) { return __shfl_sync(m, v, 0); }\n#endif\n",
        "#include <hip/hip_runtime.h>\n__device__ int f(int v) { return __shfl_down(v, 32); }\n",
        "int shfl_sync(int m, int v); int f() { return shfl_sync(0xffffffff, 1); }\n",
        "#define __shfl_sync(mask, v, lane, width) __shfl(v, lane, width)\n",
    ],
)
def test_nothing_is_done_when_code_is_not_cuda_or_already_wide(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.findings == ()


LEGACY = [
    ("__shfl_down(v, 1)", "__shfl_down(v, 1, 32)"),
    ("__shfl(v, 0, 16)", "__shfl(v, 0, 16)"),
    ("__popc(__ballot(v))", f"__popc(static_cast<unsigned>(__ballot(v) >> {HALF}))"),
    ("__any(v > 1)", f"(static_cast<unsigned>(__ballot(v > 1) >> {HALF}) != 0)"),
    ("__all(v || x)", f"(static_cast<unsigned>(__ballot(!(v || x)) >> {HALF}) == 0)"),
]


@pytest.mark.parametrize(("before", "after"), LEGACY)
def test_function_without_mask_keeps_32_lanes_in_cuda_files(
    ported: Port, before: str, after: str
) -> None:
    text = f"__device__ int f(int v, int x) {{ return {before}; }}\n"
    assert ported(check, text).text == f"__device__ int f(int v, int x) {{ return {after}; }}\n"
    assert ported(check, text, path="k.h").text == text
    tree = Project(files=frozenset(("k.h", "main.cu")))
    assert ported(check, text, path="k.h", project=tree).text != text or before == after
    assert ported(check, text, project=Project(asks_warp_size=True)).text == text.replace(
        "__popc(", "__popcll("
    )
    hip = f"{text}int main() {{ return hipDeviceSynchronize(); }}\n"
    assert ported(check, hip).text == hip


def test_ballot_reads_the_callers_half_when_code_counts_in_32(ported: Port) -> None:
    text = (
        "__global__ void k(int* p) {\n"
        "  int lane = threadIdx.x & 31;\n"
        "  unsigned votes = __ballot_sync(0xffffffff, p[0] > 0);\n"
        "  p[1] = __popc(votes & ((1u << lane) - 1));\n"
        "  p[2] = 31 - __clz(votes);\n"
        "}\n"
    )
    found = ported(check, text)
    assert line(found.text, 3) == (
        f"unsigned long long votes = static_cast<unsigned>(__ballot(p[0] > 0) >> {HALF});"
    )
    assert line(found.text, 4) == "p[1] = __popcll(votes & ((1ull << lane) - 1));"
    assert line(found.text, 5) == "p[2] = 31 - __clz(votes);"
    assert (3, "WRP002") in found.said(above="note")
    assert (2, "WSZ001") in found.said()


@pytest.mark.parametrize(
    "use",
    [
        *("~votes == 0", "votes << 1", "f(votes)", "g(&votes)", "a[votes]", "-votes"),
        *("max(votes, 3u)", "votes == -1", "~0 != votes", "votes == every", "votes ^ -1"),
    ],
)
def test_ballot_variable_keeps_its_type_when_64_bits_could_tell(ported: Port, use: str) -> None:
    text = (
        "__device__ int k(int* p) {\n"
        "  unsigned votes = __ballot_sync(0xffffffff, p[0] > 0);\n"
        f"  return {use};\n"
        "}\n"
    )
    found = ported(check, text)
    assert line(found.text, 2).startswith("unsigned votes = static_cast<unsigned>(__ballot(")
    assert line(found.text, 3) == f"return {use};"
    assert found.said(above="note") == [(2, "WRP002")]


def test_masks_become_64_bits_without_a_warning_when_code_asks_warp_size(ported: Port) -> None:
    text = (
        "constexpr unsigned kAll = 0xffffffffu;\n"
        "__device__ unsigned below() {\n"
        "  unsigned mask;\n"
        '  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));\n'
        "  return mask;\n"
        "}\n"
        "__device__ int slot(int* n, bool want) {\n"
        "  const std::uint32_t votes = __ballot_sync(kAll, want);\n"
        "  if (votes == 0 || !__any_sync(kAll, want) || __all_sync(kAll, !want)) return -1;\n"
        "  int leader = __ffs(votes) - 1, last = 31 - __clz(votes);\n"
        "  const unsigned me = 1u << (threadIdx.x % warpSize);\n"
        "  if (votes & me) leader += __popc(votes & below()) + __popc(__ballot_sync(kAll, want));\n"
        "  return __shfl_sync(kAll, leader, last);\n"
        "}\n"
    )
    found = ported(check, text)
    assert found.said(above="note") == []
    assert found.text == (
        "constexpr unsigned long long kAll = 0xffffffffffffffffull;\n"
        "__device__ unsigned long long below() {\n"
        "  unsigned long long mask;\n"
        '  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));\n'
        "  return mask;\n"
        "}\n"
        "__device__ int slot(int* n, bool want) {\n"
        "  const std::uint64_t votes = __ballot(want);\n"
        "  if (votes == 0 || !__any(want) || __all(!want)) return -1;\n"
        "  int leader = __ffsll(votes) - 1, last = 63 - __clzll(votes);\n"
        "  const unsigned long long me = 1ull << (threadIdx.x % warpSize);\n"
        "  if (votes & me) leader += __popcll(votes & below()) + __popcll(__ballot(want));\n"
        "  return __shfl(leader, last);\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ("g(m);", "WRP004"),
        ("out[0] = m;", "WRP004"),
        ("if (m == 0xffffffff) out[0] = 1;", "WRP004"),
        ("out[0] = __brev(m);", "WRP004"),
        ("if (__popc(m) == 32) out[0] = 1;", "WRP004"),
        ("if (m == kEvery) out[0] = 1;", "WRP004"),
    ],
)
def test_a_wide_mask_that_escapes_is_a_warning(ported: Port, use: str, code: str) -> None:
    text = (
        "constexpr unsigned kEvery = ~0u; __device__ void k(int* out, bool p) {\n"
        "  int lane = threadIdx.x % warpSize;\n"
        "  unsigned m = __ballot_sync(0xffffffff, p);\n"
        f"  {use}\n"
        "}\n"
    )
    found = ported(check, text)
    assert line(found.text, 3) == "unsigned long long m = __ballot(p);"
    assert found.said(above="note") == [(4, code)]


WAVE_ESCAPES = [
    ("struct S { unsigned m; __device__ S() : m(__ballot_sync(-1, 1)) {} };", "m(__ballot(1))"),
    ("__device__ void f(int n, bool p) { g(n, __ballot_sync(-1, p)); }", "g(n, __ballot(p))"),
    ("__device__ void f(unsigned* o, bool p) { o[0] = __ballot_sync(-1, p); }", "__ballot(p)"),
    ("__device__ void f(S& s, bool p) { s.m = __ballot_sync(-1, p); }", "__ballot(p)"),
    ("__device__ int f(bool p) { return __any_sync(s.mask, p); }", "((s.mask) & __ballot(p))"),
    ("__device__ int f(bool p) { return __any_sync(0xff, p); }", "(0xff & __ballot(p))"),
]


@pytest.mark.parametrize(("text", "wide"), WAVE_ESCAPES)
def test_a_wide_mask_is_never_cut_without_a_warning(ported: Port, text: str, wide: str) -> None:
    found = ported(check, text + "\n", project=Project(asks_warp_size=True))
    assert wide in found.text
    assert "WRP004" in [code for _, code in found.said(above="note")]


WAVE_FLOWS = [
    ("unsigned m(__ballot_sync(-1, p)); n = __popc(m);", "__popcll(m)"),
    ("unsigned m = 0; if (p) m |= __ballot_sync(-1, p); n = __ffs(m);", "__ffsll(m)"),
    ("unsigned m; for (;;) m = __activemask(); n = __popc(m);", "__popcll(m)"),
    ("auto vote = [&](bool q) { return __ballot_sync(-1, q); }; n = __popc(vote(p));", "popcll(v"),
    ("n = __popc(VOTE(p));", "__popcll(VOTE(p))"),
    ("n = __popc(all<0>(p));", "__popcll(all<0>(p))"),
    ("n = (__ballot_sync(-1, p) >> lane) & 1;", "(__ballot(p) >> lane) & 1"),
    ("if (__ballot_sync(-1, p)) n = 1; while (!__ballot_sync(-1, p)) n = 2;", "if (__ballot(p))"),
]


@pytest.mark.parametrize(("statement", "wide"), WAVE_FLOWS)
def test_a_wide_mask_is_followed_without_a_warning(ported: Port, statement: str, wide: str) -> None:
    text = (
        "#define VOTE(p) __ballot_sync(0xffffffff, p)\n"
        "template <int N = 0> __device__ unsigned all(bool p) { return __ballot_sync(-1, p); }\n"
        f"__device__ void f(int n, bool p, int lane) {{ {statement} }}\n"
    )
    found = ported(check, text, project=Project(asks_warp_size=True))
    assert wide in line(found.text, 3)
    assert found.said(above="note") == []


def test_masks_declared_together_are_a_warning_when_they_must_widen(ported: Port) -> None:
    text = (
        "__device__ int k(bool p) {\n  int w = warpSize;\n"
        "  unsigned a = 1, m = __ballot_sync(-1, p);\n"
        "  return __popc(m) + a + w;\n}\n"
    )
    found = ported(check, text)
    assert (3, "WRP004") in found.said(above="note")


def test_mask_parameter_widens_with_its_callers_when_code_asks_warp_size(ported: Port) -> None:
    text = (
        "__device__ int k(bool p, unsigned mask = 0xffffffff) {\n"
        "  return __popc(__ballot_sync(mask, p)) + warpSize;\n}\n"
        "__device__ int g() { return k(true, 0xffffffffu) + k(false); }\n"
    )
    found = ported(check, text)
    wide = "0xffffffffffffffffull"
    assert line(found.text) == f"__device__ int k(bool p, unsigned long long mask = {wide}) {{"
    assert line(found.text, 2) == "return __popcll((mask & __ballot(p))) + warpSize;"
    assert line(found.text, 4) == f"__device__ int g() {{ return k(true, {wide}) + k(false); }}"
    assert found.said(above="note") == []
    in_header = ported(check, text, "7.1", "k.cuh")
    assert in_header.said(above="note") == [(1, "WRP004")]


VOTES = [
    ("__any_sync(0xffffffff, p)", f"(static_cast<unsigned>(__ballot(p) >> {HALF}) != 0)"),
    ("__all_sync(~0, a && b)", f"(static_cast<unsigned>(__ballot(!(a && b)) >> {HALF}) == 0)"),
    ("__any_sync(m, p)", f"((m & static_cast<unsigned>(__ballot(p) >> {HALF})) != 0)"),
    ("__all_sync(m | 1, p)", f"(((m | 1) & static_cast<unsigned>(__ballot(!(p)) >> {HALF})) == 0)"),
    ("__match_any_sync(m, p)", f"(m & static_cast<unsigned>(__match_any(p) >> {HALF}))"),
    (
        "__match_all_sync(0xffffffff, p, &q)",
        f"static_cast<unsigned>(__match_all_sync({MINE}, p, &q) >> {HALF})",
    ),
    (
        "__reduce_add_sync(0xffffffff, p)",
        f"__reduce_add_sync({MINE}, p)",
    ),
    (
        "__reduce_min_sync(m, p)",
        f"__reduce_min_sync(__ballot(1) & (static_cast<unsigned long long>(m) << {HALF}), p)",
    ),
]


@pytest.mark.parametrize(("before", "after"), VOTES)
def test_vote_speaks_of_32_lanes_when_code_counts_in_32(
    ported: Port, before: str, after: str
) -> None:
    found = ported(check, f"__device__ int f(int p, unsigned m) {{ return {before}; }}\n")
    assert found.text == f"__device__ int f(int p, unsigned m) {{ return {after}; }}\n"
    assert found.said(above="note") == []


@pytest.mark.parametrize("name", ["__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"])
def test_bitwise_reduction_is_an_error_because_hip_combines_logically(
    ported: Port, name: str
) -> None:
    text = f"__device__ int f(unsigned v) {{ return {name}(0xffffffff, v); }}\n"
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "WRP006")]
    assert "logical" in found.findings[0].message


def test_reduction_is_an_error_when_the_release_lacks_it(ported: Port) -> None:
    text = "__device__ int f(int v) { return __reduce_add_sync(0xffffffff, v); }\n"
    found = ported(check, text, "6.4")
    assert found.text == text
    assert found.said() == [(1, "WRP006")]
    assert "ROCm 7.0" in found.findings[0].message


def test_match_is_a_warning_when_the_release_hides_it_behind_a_macro(ported: Port) -> None:
    text = "__device__ int f(int v) { return __match_any_sync(0xffffffff, v); }\n"
    assert ported(check, text, "6.4").said() == [(1, "WRP008")]
    assert ported(check, text, "7.0").said() == [(1, "WRP005")]


@pytest.mark.parametrize("call", ["__syncwarp()", "__syncwarp(0xffffffff)", "__syncwarp(m)"])
def test_syncwarp_by_release(ported: Port, call: str) -> None:
    text = f"__device__ void f(unsigned m) {{ if (m) {call}; }}\n"
    new = ported(check, text, "7.1")
    assert new.text == "__device__ void f(unsigned m) { if (m) __syncwarp(); }\n"
    old = ported(check, text, "6.4")
    assert "__syncwarp" not in old.text
    assert "if (m) (__builtin_amdgcn_fence(__ATOMIC_RELEASE" in old.text
    assert "__builtin_amdgcn_wave_barrier()" in old.text
    assert old.said() == [(1, "WRP009")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__global__ void k() { int l = threadIdx.x & 31; }", "WSZ001"),
        ("__global__ void k() { int l = (threadIdx.x + 1) % 32u; }", "WSZ001"),
        ("__global__ void k() { int w = tid >> 5; }", "WSZ001"),
        ("__global__ void k() { int w = threadIdx.x / 0x20; }", "WSZ001"),
        ("__global__ void k() { int l = 31 & threadIdx.x; }", "WSZ001"),
        ("__global__ void k() { if (threadIdx.x < 32) return; }", "WSZ001"),
        ("__global__ void k() { if (lane == 31) return; }", "WSZ001"),
        ("#define WARP_SIZE 32", "WSZ001"),
        ("constexpr int kWarpSize{32};", "WSZ001"),
        ("enum { WARP_SIZE = 32 };", "WSZ001"),
        ("static const unsigned threadsPerWarp = 32;", "WSZ001"),
        ("const int warpSize = 32;", "WSZ001"),
        ("__global__ void k() { bits[i >> 5] |= 1u << (i & 31); }", ""),
        ("#define MAX_WARPS 32", ""),
        ("constexpr int kWarps = 32;", ""),
        ("int b = blocks / 32;", ""),
        ("__global__ void k() { int l = threadIdx.x & 15; }", ""),
    ],
)
def test_literal_lane_counts_are_noted(ported: Port, text: str, said: str) -> None:
    found = ported(check, text + "\n")
    assert found.text == text + "\n"
    assert [code for _, code in found.said()] == ([said] if said else [])
