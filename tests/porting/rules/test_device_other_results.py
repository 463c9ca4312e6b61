"""Device functions that HIP has by CUDA's name, with a result of another value or type."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import collect_project
from porting.rules.device import check
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
HEAD = "__device__ unsigned long long f(__nv_bfloat16 v, unsigned short b, unsigned a) {\n"
RAW = "static_cast<__hip_bfloat16_raw>(v)"
BITS = f"__builtin_bit_cast(unsigned short, {RAW})"
NUMBER = "__hip_bfloat16(__hip_bfloat16_raw{static_cast<unsigned short>"
WRITTEN = [
    ("a = __bfloat16_as_ushort(v);", f"a = {BITS};"),
    ("a = __bfloat16_as_short(v);", f"a = __builtin_bit_cast(short, {RAW});"),
    ("v = __ushort_as_bfloat16(b + 1);", f"v = {NUMBER}(b + 1)}});"),
    ("v = ::__short_as_bfloat16(b);", f"v = {NUMBER}(b)}});"),
    (
        "v = __ushort_as_bfloat16(__bfloat16_as_ushort(v) ^ 0x8000);",
        f"v = {NUMBER}({BITS} ^ 0x8000)}});",
    ),
    ("return __umul24(a, b) / 3;", "return static_cast<unsigned>(__umul24(a, b)) / 3;"),
    ("return -__umul24(__umul24(a, a), b);", None),
]
NESTED = "static_cast<unsigned>(__umul24(static_cast<unsigned>(__umul24(a, a)), b))"
KERNEL = """\
#include <cuda_bf16.h>
#define NOT_A_NUMBER __ushort_as_bfloat16(0x7fc0)
#define BITS_OF(x) __bfloat16_as_short(x)
__host__ __device__ __nv_bfloat16 up(__nv_bfloat16 v) {
  __nv_bfloat16 next(__ushort_as_bfloat16(__bfloat16_as_ushort(v) + 1));
  return next;
}
__global__ void k(__nv_bfloat16* p, unsigned long long* n, unsigned a) {
  p[0] = up(NOT_A_NUMBER);
  n[0] = __umul24(a, a) / 3;
  n[1] = BITS_OF(__short_as_bfloat16(-4)) + __umul24(a, a);
  n[2] = __popc(__ballot_sync(~0u, a)) - __popcll(n[3]) + -__ffs(__activemask()) * __ffsll(a);
  n[3] = __all_sync(~0u, __popc(a) - 1) + __shfl_up_sync(~0u, __popc(a), __popc(a) - 1);
  p[1] = __shfl_xor_sync(~0u, __ushort_as_bfloat16(__bfloat16_as_ushort(p[2])), __umul24(a, 1u));
}
"""


@pytest.mark.parametrize(("before", "after"), WRITTEN)
def test_call_is_written_for_what_cuda_returns(
    ported: Port, before: str, after: str | None
) -> None:
    found = ported(check, f"{HEAD}  {before}\n}}\n")
    assert found.text.splitlines()[1].strip() == after or f"return -{NESTED};"
    assert {code for _, code in found.said()} == {"DEV018"}
    assert found.said(above="note") == []


@pytest.mark.parametrize(
    "text",
    [
        "static_cast<unsigned>(__umul24(a, b))",
        "product.__umul24(a, b)",
    ],
)
def test_call_is_left_when_its_result_is_cast_or_its_function_is_another(
    ported: Port, text: str
) -> None:
    before = f"{HEAD}  return {text};\n}}\n"
    assert ported(check, before).text == before


def port(text: str, rocm: str) -> str:
    """Return a file as a port with all rules leaves it."""
    source = SourceFile("k.cu", text.encode())
    project = collect_project([source], {"k.cu": text})
    return hipify(source, Target(rocm), Names.load(rocm), project).data.decode()


def test_call_is_written_when_a_macro_stands_for_it() -> None:
    found = port("#define NOT_A_NUMBER __ushort_as_bfloat16(0x7fc0)\n__nv_bfloat16 v;\n", "7.1")
    assert f"#define NOT_A_NUMBER {NUMBER}(0x7fc0)}})\n" in found


def test_calls_compile_when_all_rules_have_written_them(
    compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    for rocm, tree in (("7.1", sysroot), ("6.2", sysroot_6_2)):
        found = port(KERNEL, rocm)
        assert "_as_bfloat16(" not in found
        assert "__bfloat16_as_" not in found
        compiles(found, tree)


SHOWS = [
    "n = CALL - CALL < 0;",
    "w = CALL - 1;",
    "w = -CALL;",
    "n = (CALL) / k;",
    "n = k < CALL;",
    "n = CALL <= k;",
    "n = CALL > -1;",
    "n = k - 1 < CALL;",
    "n = k ? CALL : -1;",
    "n = k ? -1 : CALL;",
    "n /= CALL;",
    "n = CALL << k;",
    "n = min(CALL, k);",
    "int m{CALL};",
    "auto m = CALL;",
    "auto one = 1, m = CALL;",
    "S s{.n = CALL, .m = 1};",
    "const auto& m = (CALL);",
    "auto l = [m = CALL] { return m; };",
    "auto l = [k]() { return CALL; };",
    "n = p[k + CALL];",
    "long long m = CALL - 1;",
    "for (int i = 0; i < CALL; ++i) n += i;",
    "w = CALL ?: -1;",
]
HIDDEN = [
    "int m = CALL;",
    "const int m = (CALL);",
    "float m = CALL;",
    "n = CALL, k = 2;",
    "w += CALL;",
    "p[k].x = CALL;",
    "n = p[CALL];",
    "if (CALL) n = 2;",
    "while (CALL > 1) n = 2;",
    "n = CALL >= 2 ? 3 : -1;",
    "n = !CALL && 1 == CALL;",
    "n = CALL != k || 0 < CALL;",
    "n = 1 << CALL;",
    "n = (int)CALL - 1;",
    "n = k - int(CALL);",
    "n = k - static_cast<int>(CALL);",
    "w = static_cast<unsigned long long>(CALL) - 1;",
    "int leader = CALL - 1, other;",
    "const unsigned leader = CALL - 1;",
    "return CALL;",
]
BODY = "__device__ int f(long long w, int k, unsigned a, int* p) {\n  STATEMENT\n}\n"


@pytest.mark.parametrize("statement", SHOWS)
def test_count_is_cast_where_its_sign_shows(ported: Port, statement: str) -> None:
    text = BODY.replace("STATEMENT", statement)
    found = ported(check, text.replace("CALL", "__popc(a)"))
    assert found.text == text.replace("CALL", "static_cast<int>(__popc(a))")
    assert set(found.said()) == {(2, "DEV018")}
    assert found.said(above="note") == []


@pytest.mark.parametrize("statement", HIDDEN)
def test_count_is_left_where_its_sign_does_not_show(ported: Port, statement: str) -> None:
    text = BODY.replace("STATEMENT", statement).replace("CALL", "__popcll(a)")
    found = ported(check, text)
    assert found.text == text
    assert found.said() == []


def test_count_is_cast_where_a_macro_or_an_unseen_type_takes_it(ported: Port) -> None:
    before = (
        "#define COUNT(x) CALL\n#define COUNTED int n = CALL;\n"
        "__device__ auto f(unsigned x) { return CALL; }\n"
        "auto g = [] __device__(unsigned x) { return CALL; };\n"
    )
    found = ported(check, before.replace("CALL", "::__popc(x)"))
    expected = before.replace("CALL", "static_cast<int>(::__popc(x))")
    expected = expected.replace("n = static_cast<int>(::__popc(x));", "n = ::__popc(x);")
    assert found.text == expected


@pytest.mark.parametrize(
    ("rocm", "front", "back"), [("6.2", "static_cast<int>(", ")"), ("7.1", "", "")]
)
def test_place_of_a_bit_is_cast_for_releases_that_return_unsigned(
    ported: Port, rocm: str, front: str, back: str
) -> None:
    found = ported(check, f"{HEAD}  return __ffs(a) - __ffsll(1ull);\n}}\n", rocm)
    calls = [f"{front}{call}{back}" for call in ("__ffs(a)", "__ffsll(1ull)")]
    assert f"return {' - '.join(calls)};" in found.text


def test_count_of_a_ballot_is_cast_around_what_masks_become() -> None:
    text = "__global__ void k(long long* n) {\n  n[0] = CALL - 4 + warpSize;\n}\n"
    found = port(text.replace("CALL", "__popc(__ballot_sync(~0u, n[1]))"), "7.1")
    assert text.replace("CALL", "static_cast<int>(__popcll(__ballot(n[1])))") in found


@pytest.mark.parametrize(
    "use",
    [
        "auto p = &NAME;",
        "auto p = &::NAME;",
        "apply(v, NAME);",
        "(NAME)(a);",
        "using F = decltype(&NAME);",
        "T<NAME> t;",
    ],
)
@pytest.mark.parametrize("name", ["__umul24", "__popc", "__ushort_as_bfloat16"])
def test_function_that_is_named_without_a_call_is_a_warning(
    ported: Port, name: str, use: str
) -> None:
    before = f"{HEAD}  {use.replace('NAME', name)}\n}}\n"
    found = ported(check, before)
    assert found.text == before
    assert found.said(above="note") == [(2, "DEV019")]
    (finding,) = found.findings
    assert finding.column == before.splitlines()[1].index(name) + 1
    assert name in finding.message
    assert name in finding.help


def test_name_that_is_no_use_of_the_function_is_no_warning(ported: Port) -> None:
    before = (
        "#ifdef __popc\n#undef __popc\n#endif\n"
        "#if !defined(__umul24) && !defined __popcll\n#endif\n"
        f"using ::__popc;\n{HEAD}  n.__popc = v->__umul24 + mine::__popcll;\n}}\n"
    )
    found = ported(check, before)
    assert found.text == before
    assert found.said() == []


def test_place_of_a_bit_is_named_without_a_call_for_releases_that_return_unsigned(
    ported: Port,
) -> None:
    text = f"{HEAD}  apply(a, __ffs);\n}}\n"
    assert ported(check, text, "6.2").said(above="note") == [(2, "DEV019")]
    assert ported(check, text, "7.1").said() == []
