"""Device functions, scoped atomics, cache hints, and what AMD GPUs do not have."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
HEAD = (
    "template <class T> __global__ void k(float* p, const float* cp, int* ip, unsigned* up,\n"
    "    const float4* f4, const T* t, const __nv_bfloat16* bp, unsigned long long* ul, int n) {\n"
)
SCOPE = "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP"


def kernel(statement: str) -> str:
    """Return a kernel that holds a statement in line 3."""
    return f"{HEAD}  {statement}\n}}\n"


def written(ported: Port, statement: str) -> str:
    """Return what a statement becomes; it must be rewritten without a warning."""
    found = ported(check, kernel(statement))
    assert found.said(above="note") == []
    return str(found.text.splitlines()[2].strip())


CACHE_HINTS = [
    ("__stcs(p, 1.f);", "__builtin_nontemporal_store(1.f, p);"),
    ("__stcs(p + n, p[1] * 2);", "__builtin_nontemporal_store(p[1] * 2, p + n);"),
    ("__stcs(p, __ldg(cp));", "*(p) = __ldg(cp);"),
    ("__stcg(&p[n], 1.f);", "*(&p[n]) = 1.f;"),
    ("n ? __stcg(p, 1.f) : __stwb(p, 2.f);", "n ? (*(p) = 1.f) : (*(p) = 2.f);"),
    ("p[0] = __ldcs(cp + 1);", "p[0] = __builtin_nontemporal_load(cp + 1);"),
    (
        "p[0] = __ldcg(cp);",
        "p[0] = __hip_atomic_load(cp, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
    ),
    (
        "p[0] = __ldcv(cp);",
        "p[0] = __hip_atomic_load(cp, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);",
    ),
    (
        "__stwt(ip, n);",
        "__hip_atomic_store(ip, n, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);",
    ),
    ("float4 v = __ldcg(f4 + n);", "float4 v = *(f4 + n);"),
    ("p[0] = __ldcg(f4).x;", "p[0] = (*f4).x;"),
    ("T v = __ldca(t);", "T v = *t;"),
    ("auto v = __ldg(bp + n);", "auto v = *(bp + n);"),
]


@pytest.mark.parametrize(("before", "after"), CACHE_HINTS)
def test_cache_hint_becomes_what_it_asks_for(ported: Port, before: str, after: str) -> None:
    assert written(ported, before) == after


@pytest.mark.parametrize("statement", ["auto v = __ldcv(f4);", "__stwt(q, x);"])
def test_cache_hint_that_promises_memory_is_an_error_for_unknown_types(
    ported: Port, statement: str
) -> None:
    found = ported(check, kernel(statement))
    assert found.text == kernel(statement)
    assert found.said(above="note") == [(3, "DEV002")]


ATOMICS = [
    ("atomicAdd_block(&p[0], 1.f);", f"__hip_atomic_fetch_add(&p[0], 1.f, {SCOPE});"),
    ("n = atomicMax_block(ip, n);", f"n = __hip_atomic_fetch_max(ip, n, {SCOPE});"),
    ("n = atomicExch_block(ip, n);", f"n = __hip_atomic_exchange(ip, n, {SCOPE});"),
    ("atomicXor_block(ul, 1ull);", f"__hip_atomic_fetch_xor(ul, 1ull, {SCOPE});"),
    ("n = atomicCAS_block(ip, 1, n);", "n = atomicCAS(ip, 1, n);"),
    ("atomicInc_block(up, 7u);", "atomicInc(up, 7u);"),
    ("atomicInc_system(up, 7u);", '__builtin_amdgcn_atomic_inc32(up, 7u, __ATOMIC_RELAXED, "");'),
]


@pytest.mark.parametrize(("before", "after"), ATOMICS)
def test_scoped_atomic_keeps_or_widens_its_scope(ported: Port, before: str, after: str) -> None:
    assert written(ported, before) == after


GENERIC = "(const __attribute__((address_space(0))) void*)"
IS_GLOBAL = (
    "[](auto q) { return !__builtin_amdgcn_is_shared(q) && !__builtin_amdgcn_is_private(q); }"
)
INTRINSICS = [
    ("if (n) __trap();", "if (n) __builtin_trap();"),
    ("if (n) ::__trap();", "if (n) ::__builtin_trap();"),
    ("__nanosleep(100);", "__builtin_amdgcn_s_sleep(2);"),
    ("__nanosleep(1000000);", "__builtin_amdgcn_s_sleep(127);"),
    ("__nanosleep(n);", "__builtin_amdgcn_s_sleep(1);"),
    ("__brkpt();", "__builtin_debugtrap();"),
    ("__prof_trigger(3);", "static_cast<void>(0);"),
    (
        "bool s = __isShared(p);",
        f"bool s = [](auto q) {{ return __builtin_amdgcn_is_shared(q); }}({GENERIC}(p));",
    ),
    (
        "bool s = ::__isLocal(p + n);",
        f"bool s = [](auto q) {{ return __builtin_amdgcn_is_private(q); }}({GENERIC}(p + n));",
    ),
    ("bool g = __isGlobal(p);", f"bool g = {IS_GLOBAL}({GENERIC}(p));"),
    ("n = ip[__isGlobal(p + n)];", f"n = ip[({IS_GLOBAL}({GENERIC}(p + n)))];"),
    (
        "unsigned a = __cvta_generic_to_shared(p + n);",
        "unsigned a = (reinterpret_cast<size_t>(p + n) & 0xffffffffu);",
    ),
    ("__pipeline_memcpy_async(p, cp, 16);", "__builtin_memcpy(p, cp, 16);"),
    ("__pipeline_wait_prior(0);", "static_cast<void>(0);"),
    (
        "auto b = __float2bfloat162_rn(p[0]);",
        "auto b = __bfloat162bfloat162(__float2bfloat16(p[0]));",
    ),
    (
        "auto b = __floats2bfloat162_rn(p[0], p[1]);",
        "auto b = __float22bfloat162_rn(make_float2(p[0], p[1]));",
    ),
    ("n = __bfloat162int_rz(bp[0]);", "n = __float2int_rz(__bfloat162float(bp[0]));"),
    ("p[0] = __tanhf(p[1]);", "p[0] = tanhf(p[1]);"),
    (
        "n = __dp4a(ip[0], ip[1], n);",
        ("n = (static_cast<signed char>(ip[0]) * static_cast<signed char>(ip[1]) +"
        " static_cast<signed char>(ip[0] >> 8) * static_cast<signed char>(ip[1] >> 8) +"
        " static_cast<signed char>(ip[0] >> 16) * static_cast<signed char>(ip[1] >> 16) +"
        " static_cast<signed char>(ip[0] >> 24) * static_cast<signed char>(ip[1] >> 24) + n);"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), INTRINSICS)
def test_intrinsic_is_written_in_another_form(ported: Port, before: str, after: str) -> None:
    head = "#include <cuda_bf16.h>\n"
    found = ported(check, head + kernel(before))
    assert found.said(above="note") == []
    assert found.text.splitlines()[3].strip() == after


@pytest.mark.parametrize(
    ("operands", "byte"),
    [
        ("1, 2", "signed char"),
        ("-1, ip[0]", "signed char"),
        ("0x7f010203, 017", "signed char"),
        ("0x80ff0102, 0b1u", "unsigned char"),
        ("1'0U, 2u", "unsigned char"),
    ],
)
def test_numbers_say_whether_a_dot_product_is_signed(
    ported: Port, operands: str, byte: str
) -> None:
    found = ported(check, kernel(f"n = __dp4a({operands}, 3);"))
    assert found.said(above="note") == []
    assert found.text.count("static_cast<") == found.text.count(f"static_cast<{byte}>(") == 8
    first = operands.partition(",")[0]
    assert f"({f'({first})' if first.startswith('-') else first} >> 24)" in found.text


@pytest.mark.parametrize("operands", ["2147483648, 1", "1, 2u", "1.5f, 2", "1ll, 2ll", "1 + n, 2"])
def test_numbers_of_another_type_leave_a_dot_product_open(ported: Port, operands: str) -> None:
    found = ported(check, kernel(f"n = __dp4a({operands}, 3);"))
    assert found.said(above="note") == [(3, "DEV005")]


@pytest.mark.parametrize(
    "statement",
    ["n = __dp4a(t[0], t[1], n);", "n = __dp4a(ip[f()], ip[1], n);", "__nanosleep(next());"],
)
def test_intrinsic_is_an_error_when_its_operands_are_not_known(
    ported: Port, statement: str
) -> None:
    found = ported(check, kernel(statement))
    assert found.text == kernel(statement)
    assert found.said(above="note") == [(3, "DEV005")]


@pytest.mark.parametrize(
    "text",
    [
        "struct S { void __trap(); }; void f(S s) { s.__trap(); }\n",
        "// __ldcg(p) atomicAdd_block(p, 1)\n",
        "#define __ldcg(p) (*(p))\n",
        "__device__ float __ldcs(const float* p) { return *p; }\n",
        "#ifndef USE_ROCM\n__device__ void f() { __trap(); }\n#endif\n",
        "#include <hip/hip_runtime.h>\n__device__ float f(half* p) { return __ldcg(p); }\n",
        "int main() { k<<<1, 2>>>(p); return cudaDeviceSynchronize(); }\n",
        "__host__ __device__ void f() { cudaDeviceSynchronize(); }\n",
        "auto texture = load<float>(path); int surface = 3;\n",
        "void f() { g(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }\n",
        "void f() { g(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n); }\n",
        "void f() { k<<<70000, 256, 65536>>>(p); k<<<1, 2>>>(p); k<<<1, 2, n * 4, s>>>(p); }\n",
        "const int n = 98304 / 2; void f() { k<<<1, 2, n>>>(p); }\n",
        "__global__ void __launch_bounds__(256, 2) k() {}\n",
        "__device__ void f(int* m) { if (threadIdx.x == 0) while (atomicCAS(m, 0, 1)); }\n",
        "__device__ void f(int* m) { do { o = s; s = atomicCAS(m, o, g(o)); } while (o != s); }\n",
        "__device__ void f(int* m) { if (lane == 0) { while (atomicExch(m, 1) != 0) {} } }\n",
    ],
)
def test_code_that_needs_nothing_is_left_alone(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.findings == ()


@pytest.mark.parametrize(
    ("text", "line", "code", "word"),
    [
        ("__global__ void p(float* x) {\n  k<<<1, 32>>>(x);\n}\n", 2, "DEV006", "device-side"),
        (
            "__device__ void p(float* x) {\n  k<T><<<1, 32, 0, s>>>(x);\n}\n",
            2,
            "DEV006",
            "launches",
        ),
        (
            "__global__ void p(float* x) {\n  cudaDeviceSynchronize();\n}\n",
            2,
            "DEV006",
            "cudaDeviceSynchronize",
        ),
        ("texture<float, 1, cudaReadModeElementType> tx;\n", 1, "DEV007", "texture reference"),
        ("static texture<uint2> tx;\n", 1, "DEV007", "texture reference"),
        ("surface<void, 2> sf;\n", 1, "DEV007", "surface reference"),
        (
            (
                "__global__ void k(float* p, cudaTextureObject_t t) {\n"
                "  p[0] = tex2D<float>(t, 1, 2);\n}\n"
            ),
            2,
            "DEV008",
            "gfx942",
        ),
        (
            (
                "void set() {\n  cudaFuncSetAttribute(k,\n"
                "      cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024);\n}\n"
            ),
            3,
            "DEV009",
            "98304",
        ),
        (
            (
                "void f() {\n  cuFuncSetAttribute(k,"
                " CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10);\n}\n"
            ),
            2,
            "DEV009",
            "232448",
        ),
        (
            (
                "constexpr int kBytes = 98304;\n"
                "void f() { g(k, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes); }\n"
            ),
            2,
            "DEV009",
            "98304",
        ),
        ("void f() { k<<<1, 256, 2 * 48 * 1024, s>>>(p); }\n", 1, "DEV009", "98304"),
        ("#include <mma.h>\nusing namespace nvcuda;\n", 2, "DEV010", "rocWMMA"),
        ("__nv_fp8_e4m3 a;\n__nv_fp8_e4m3 b;\n", 1, "DEV011", "FNUZ"),
        ("__global__ void __cluster_dims__(2, 1, 1) k() {}\n", 1, "DEV013", "clusters"),
        (
            "__device__ void lock(int* m) {\n  while (atomicCAS(m, 0, 1) != 0);\n}\n",
            2,
            "DEV014",
            "wavefront",
        ),
        (
            "__device__ void lock(int* m) {\n  while (0 != atomicExch(m, 1)) {}\n}\n",
            2,
            "DEV014",
            "wavefront",
        ),
    ],
)
def test_what_the_hardware_lacks_is_reported(
    ported: Port, text: str, line: int, code: str, word: str
) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.said(above="note") == [(line, code)]
    assert word in found.findings[0].message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "__global__ void k(const __grid_constant__ Map m) {}",
            "__global__ void k(const Map m) {}",
        ),
        ("__global__ void __maxnreg__(64) k() {}", "__global__ void k() {}"),
        (
            "__global__ void __launch_bounds__(256, 2, 1) k() {}",
            "__global__ void __launch_bounds__(256, 2) k() {}",
        ),
    ],
)
def test_attribute_without_effect_is_removed(ported: Port, before: str, after: str) -> None:
    found = ported(check, before + "\n")
    assert found.text == after + "\n"
    assert found.said() == [(1, "DEV012")]


def test_rewritten_device_code_compiles(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    statements = [before for before, _ in (*CACHE_HINTS, *ATOMICS, *INTRINSICS)]
    body = "\n  ".join(f"{{ {statement} }}" for statement in statements)
    found = ported(check, "#include <cuda_bf16.h>\n" + kernel(body))
    text = found.text.replace("cuda_bf16.h", "hip/hip_bf16.h").replace("__nv_", "__hip_")
    for tree in (sysroot, sysroot_6_2):
        compiles(text, tree)


def test_tests_of_an_address_space_compile_for_host_and_device(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    text = """#define IN_LDS(p) __isShared(p)
__device__ bool far(const volatile float* p, int n) { return __isGlobal(&p[n]) && IN_LDS(p + n); }
__device__ bool own(float* p) { return ::__isLocal((void*)p) || __isShared(p); }
"""
    template = """template <typename T> __device__ bool near(T* p, int* n) {
  return __isShared(p + 1) || __isLocal(p) || n[__isGlobal(p)];
}
__global__ void k(float* p, int* n) { p[0] = near(p, n) || far(p, 1) || own(p); }
"""
    found = ported(check, text)
    assert [d.code for d in found.findings] == ["DEV004"] * 4
    assert f"__builtin_amdgcn_is_shared({GENERIC}(p));" in found.text
    generic = ported(check, text + template)
    for tree in (sysroot, sysroot_6_2):
        compiles(found.text, tree, "--offload-host-device")
        compiles(generic.text, tree, "--offload-host-device")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("__ffsll(3)", "__ffsll(static_cast<long long>(3))"),
        ("__ffsll(n)", "__ffsll(static_cast<long long>(n))"),
        ("__ffsll(w)", "__ffsll(w)"),
        ("__ffsll(4ull)", "__ffsll(4ull)"),
    ],
)
def test_first_bit_of_a_narrow_number_is_not_ambiguous(
    ported: Callable[..., Any], before: str, after: str
) -> None:
    text = "__device__ int f(int n, unsigned long long w) {{ return {}; }}\n"
    assert ported(check, text.format(before)).text == text.format(after)
