"""Inline PTX: what is written in its place, what is reported, and that the numbers agree."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.ptx import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
WORD = 0xFFFFFFFF


def body(statement: str) -> str:
    """Return device code with the parameters that the statements of these tests use."""
    return (
        "__device__ void f(unsigned u, unsigned v, int i, int j, float x, float y, double d,\n"
        "    unsigned long long l, unsigned long long m, unsigned short h, unsigned* p, float* q,\n"
        "    unsigned smem, unsigned s, int size) {\n"
        f"  {statement}\n"
        "}\n"
    )


def rewritten(ported: Port, statement: str, rocm: str = "7.1") -> str:
    """Return what a statement becomes, without a warning; long lines are joined again."""
    found = ported(check, body(statement), rocm)
    assert found.said(above="note") == []
    text = "\n".join(found.text.splitlines()[3:-1]).strip()
    return re.sub(r"\n {6,}", " ", re.sub(r"\(\n {6,}", "(", text))


PAIR = "_Float16 __attribute__((ext_vector_type(2)))"
REWRITES = [
    ('asm volatile("mov.u32 %0, %%laneid;" : "=r"(u));', "u = __lane_id() & 31;"),
    ('asm("mov.u32 %0, %laneid;" : "=r"(u) :: "memory");', "u = __lane_id() & 31;"),
    ('__asm__ __volatile__ ("mov.u32 %0, %%tid.x;" : "=r"(i));', "i = threadIdx.x;"),
    ('asm("mov.u32 %0, %%lanemask_lt;" : "=r"(u));', "u = (1u << (__lane_id() & 31)) - 1;"),
    ('asm("mov.u32 %0, %%lanemask_gt;" : "=r"(u));', "u = ~0u << (__lane_id() & 31) << 1;"),
    (
        'asm volatile("mov.u64 %0, %%clock64;" : "=l"(l));',
        "l = static_cast<unsigned long long>(clock64());",
    ),
    ('asm("bfe.u32 %0, %1, 4, 8;" : "=r"(u) : "r"(v));', "u = (v >> 4) & 0xffu;"),
    (
        'asm("bfi.b32 %0, %1, %2, 4, 8;" : "=r"(u) : "r"(u), "r"(v));',
        "u = (v & 0xfffff00fu) | (u << 4 & 0xff0u);",
    ),
    ('asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(u) : "r"(v));', "u = __byte_perm(v, 0u, 0x0123);"),
    (
        'asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(u) : "r"(u), "r"(v), "r"(s));',
        "u = __funnelshift_r(u, v, s);",
    ),
    (
        'asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(u) : "r"(u), "r"(v), "r"(s));',
        "u = (u & v) | s;",
    ),
    ('asm("popc.b32 %0, %1;" : "=r"(i) : "r"(v));', "i = __popc(v);"),
    ('asm("mul.hi.u32 %0, %1, %2;" : "=r"(u) : "r"(u), "r"(v));', "u = __umulhi(u, v);"),
    (
        'asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(l) : "r"(u), "r"(v), "l"(m));',
        "l = static_cast<unsigned long long>(u) * v + m;",
    ),
    (
        'asm("mov.b64 %0, {%1, %2};" : "=l"(l) : "r"(u), "r"(v));',
        "l = static_cast<unsigned long long>(v) << 32 | u;",
    ),
    ('asm("mov.b32 %0, %1;" : "=r"(u) : "f"(x));', "u = __float_as_uint(x);"),
    ('asm("mov.b32 %0, 0x3f800000;" : "=f"(x));', "x = __uint_as_float(0x3f800000u);"),
    ('asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(x) : "f"(x), "f"(y), "f"(x));', "x = fmaf(x, y, x);"),
    ('asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(y));', "x = __builtin_amdgcn_exp2f(y);"),
    ('asm("ex2.approx.f32 %0, %1;" : "=f"(x) : "f"(y));', "x = exp2f(y);"),
    ('asm("rsqrt.approx.f32 %0, %1;" : "=f"(x) : "f"(y));', "x = rsqrtf(y);"),
    ('asm("add.f32 %0, %1, 0f3F800000;" : "=f"(x) : "f"(y));', "x = y + 1.0f;"),
    ('asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(x));', "i = __float2int_rn(x);"),
    (
        'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));',
        "h = __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));",
    ),
    (
        'asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(q + 1));',
        "x = *reinterpret_cast<const float*>(q + 1);",
    ),
    (
        'asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(u) : "l"(p));',
        "u = __builtin_nontemporal_load(reinterpret_cast<const unsigned*>(p));",
    ),
    (
        'asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(u) : "l"(p) : "memory");',
        (
            "u = __hip_atomic_load(reinterpret_cast<const unsigned*>(p), __ATOMIC_ACQUIRE,"
            " __HIP_MEMORY_SCOPE_AGENT);"
        ),
    ),
    (
        'asm volatile("st.global.wt.f32 [%0+4], %1;" :: "l"(q), "f"(x));',
        "*reinterpret_cast<float*>(reinterpret_cast<char*>(q) + 4) = x;",
    ),
    (
        'asm volatile("red.release.gpu.global.add.u32 [%0], %1;" :: "l"(p), "r"(u));',
        (
            "static_cast<void>(__hip_atomic_fetch_add(reinterpret_cast<unsigned*>(p), u,"
            " __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT));"
        ),
    ),
    (
        'asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(u) : "l"(p), "r"(u), "r"(v));',
        "u = atomicCAS(reinterpret_cast<unsigned*>(p), u, v);",
    ),
    (
        'asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));',
        "x = static_cast<float>(__builtin_bit_cast(_Float16, static_cast<unsigned short>(h)));",
    ),
    (
        'asm("add.f16 %0, %1, %1;" : "=h"(h) : "h"(h));',
        (
            "h = __builtin_bit_cast(unsigned short, static_cast<_Float16>("
            "__builtin_bit_cast(_Float16, static_cast<unsigned short>(h)) +"
            " __builtin_bit_cast(_Float16, static_cast<unsigned short>(h))));"
        ),
    ),
    (
        'asm("max.f16x2 %0, %1, %2;" : "=r"(u) : "r"(u), "r"(v));',
        (
            f"u = __builtin_bit_cast(unsigned, __builtin_elementwise_max("
            f"__builtin_bit_cast({PAIR}, u), __builtin_bit_cast({PAIR}, v)));"
        ),
    ),
    (
        'asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(u) : "r"(u), "r"(v), "r"(s));',
        (
            f"u = __builtin_bit_cast(unsigned, __builtin_elementwise_fma("
            f"__builtin_bit_cast({PAIR}, u), __builtin_bit_cast({PAIR}, v),"
            f" __builtin_bit_cast({PAIR}, s)));"
        ),
    ),
    (
        'asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u) : "f"(x), "f"(y));',
        (
            "u = static_cast<unsigned>(__builtin_bit_cast(unsigned short,"
            " static_cast<__bf16>(x))) << 16 |"
            " __builtin_bit_cast(unsigned short, static_cast<__bf16>(y));"
        ),
    ),
    (
        'asm("cvt.rn.relu.f16.f32 %0, %1;" : "=h"(h) : "f"(x));',
        "h = __builtin_bit_cast(unsigned short, static_cast<_Float16>(x < 0.0f ? 0.0f : x));",
    ),
    ('asm volatile("membar.gl;" ::: "memory");', "__threadfence();"),
    ('asm volatile("fence.acq_rel.cta;" ::: "memory");', "__threadfence_block();"),
    ('asm volatile("bar.sync 0;");', "__syncthreads();"),
    ('asm volatile("bar.sync %0;" :: "n"(0));', "__syncthreads();"),
    ('asm volatile("trap;");', "__builtin_trap();"),
    ('asm volatile("cp.async.commit_group;\\n" ::);', "static_cast<void>(0);"),
    ('asm volatile("cp.async.wait_group %0;\\n" :: "n"(2));', "static_cast<void>(0);"),
    (
        'asm("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" :: "r"(smem), "l"(p));',
        (
            "*(uint4*)(__attribute__((address_space(3))) void*)(smem) ="
            " *reinterpret_cast<const uint4*>(p);"
        ),
    ),
    (
        (
            'asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }"'
            ' : "=r"(smem) : "l"(p));'
        ),
        (
            "do {\n    unsigned long long ptx_a;\n"
            "    ptx_a = (unsigned long long)(p) & 0xffffffffu;\n"
            "    smem = static_cast<unsigned>(ptx_a);\n  } while (0);"
        ),
    ),
    (
        (
            'asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.u32 [%1], %2; }"'
            ' :: "r"(u), "l"(p), "r"(v));'
        ),
        (
            "do {\n    bool ptx_p;\n    ptx_p = u != 0u;\n"
            "    if (ptx_p) *reinterpret_cast<unsigned*>(p) = v;\n  } while (0);"
        ),
    ),
]


@pytest.mark.parametrize(("statement", "expected"), REWRITES)
def test_idiom_becomes_cpp(ported: Port, statement: str, expected: str) -> None:
    assert rewritten(ported, statement) == expected


NAMED_SIZE = """\
template <int bytes, int lut>
__device__ void copy(unsigned smem, const void* from, int n, int a, int b, int c, int* out) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(smem), "l"(from), "n"(bytes));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(smem), "l"(from), "n"(bytes),
               "r"(n));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(smem), "l"(from), "r"(n));
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(*out) : "r"(a), "r"(b), "r"(c), "n"(lut));
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(out[0]), "=r"(out[1]) : "l"(from));
  asm volatile("ld.global.cs.u32 {%0}, [%1];" : "=r"(out[2]) : "l"(from));
  asm volatile("{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p, 1.0;"
               " cp.async.cg.shared.global.L2::cache_hint [%0], [%1], %2, p; }" ::"r"(smem),
               "l"(from), "n"(bytes));
}
template __device__ void copy<16, 0xea>(unsigned, const void*, int, int, int, int, int*);
"""


def test_constants_with_names_are_kept_for_the_compiler(
    ported: Port, compiles: Check, sysroot: Sysroot
) -> None:
    found = ported(check, NAMED_SIZE)
    assert found.said(above="note") == []
    assert "asm" not in found.text
    assert "(lut & 128 ? a & b & c : 0u)" in found.text
    compiles(found.text, sysroot)


def test_scope_that_spans_statements_is_an_error(ported: Port) -> None:
    text = body('asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0;" :: "r"(u));')
    found = ported(check, text)
    assert found.text == text
    assert found.said(above="note") == [(4, "PTX003")]


def test_every_rewrite_compiles_for_both_releases(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    statements = "\n  ".join(statement for statement, _ in REWRITES)
    for tree in (sysroot, sysroot_6_2):
        text = rewritten(ported, statements, tree.rocm)
        compiles("#include <hip/hip_fp16.h>\n" + body(text), tree)


def test_lane_masks_span_the_wavefront_when_code_asks_warp_size(ported: Port) -> None:
    text = body('int w = warpSize; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(l));')
    assert "l = (1ull << __lane_id()) - 1;" in ported(check, text).text
    text = body('int w = warpSize; asm("mov.u32 %0, %%lanemask_ge;" : "=r"(l));')
    assert "l = ~0ull >> (64 - warpSize) & ~0ull << __lane_id();" in ported(check, text).text


def test_names_inside_operands_are_renamed(ported: Port) -> None:
    statement = 'asm("mov.b32 %0, %1;" : "=r"(i) : "r"(cudaErrorInvalidValue));'
    assert rewritten(ported, statement) == "i = static_cast<unsigned>(hipErrorInvalidValue);"


@pytest.mark.parametrize(
    ("statement", "word", "advice"),
    [
        (
            ('asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32'
            ' {%0}, {%1}, {%2}, {%3};" : "=f"(x) : "r"(u), "r"(v), "f"(y));'),
            "mma.sync",
            "rocWMMA",
        ),
        ('asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(u) : "r"(smem));',
         "ldmatrix", "rocWMMA"),
        ('asm volatile("wgmma.fence.sync.aligned;\\n" ::: "memory");', "wgmma", "rocWMMA"),
        ('asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(smem), "r"(u));',
         "mbarrier", "__syncthreads"),
        ('asm volatile("cp.async.bulk.commit_group;");', "cp.async.bulk", "vector loads"),
        ('asm("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(240));', "setmaxnreg", "fixed"),
        ('asm volatile("bar.sync %0, %1;" :: "r"(u), "r"(v));', "barrier", "no named barriers"),
        ('asm volatile("exit;");', "exit", "whole wavefront"),
        ('asm("add.cc.u32 %0, %1, %2; addc.u32 %0, %0, 0;" : "=r"(u) : "r"(u), "r"(v));',
         "add.cc", "C++"),
        ('asm("prmt.b32 %0, %1, %2, %3;" : "=r"(u) : "r"(u), "r"(v), "r"(s));', "prmt", "C++"),
        ('asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(x));', "tf32", "float does"),
        ('asm("{ .reg .pred p; L1: @p bra L1; }");', "asm", "C++"),
        ('asm("bfi.b32 %0, %1, %2, %3, 4;" : "=r"(u) : "r"(u), "r"(v), "r"(g(i++)));',
         "once", "C++"),
    ],
)  # fmt: skip
def test_instruction_without_equivalent_is_an_error(
    ported: Port, statement: str, word: str, advice: str
) -> None:
    found = ported(check, body(statement))
    assert found.text == body(statement)
    (finding,) = found.findings
    assert (finding.line, finding.code, finding.severity) == (4, "PTX003", "error")
    assert word in finding.message or word == "asm"
    assert advice in finding.help


@pytest.mark.parametrize(
    ("statement", "text", "how"),
    [
        ('asm("mov.u32 %0, %%smid;" : "=r"(u));', "u = __smid();", "gaps"),
        (
            'asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(l));',
            "l = static_cast<unsigned long long>(wall_clock64());",
            "ticks",
        ),
    ],
)
def test_register_that_measures_something_else_is_a_warning(
    ported: Port, statement: str, text: str, how: str
) -> None:
    found = ported(check, body(statement))
    assert text in found.text
    assert [d.code for d in found.findings] == ["PTX002"]
    assert how in found.findings[0].message


@pytest.mark.parametrize(
    "text",
    [
        'asm volatile("" ::: "memory");\n',
        '__device__ void f() { asm volatile("" ::: "memory"); }\n',
        'inline void f() { asm volatile("pause" ::: "memory"); }\n',
        'inline void f() { unsigned a, d; asm volatile("rdtsc" : "=a"(a), "=d"(d)); }\n',
        'inline void f(int x, int y) { __asm__("mov %1, %0" : "=r"(x) : "r"(y)); }\n',
        'inline void f() { asm volatile("dmb ish" ::: "memory"); }\n',
        'void g() asm("other_name");\n',
        '// asm("mov.u32 %0, %%laneid;" : "=r"(x));\n',
        "int asm_count = 3; struct { int asm_; } s;\n",
        '#ifndef USE_ROCM\n__device__ void f(int x) { asm("trap;"); }\n#endif\n',
    ],
)
def test_assembly_that_is_not_ptx_is_left_alone(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.findings == ()


def test_device_assembly_that_cannot_be_read_is_an_error(ported: Port) -> None:
    text = '__device__ void f(int x) { asm volatile(OPCODE ".u32 %0, 1;" : "=r"(x)); }\n'
    assert ported(check, text).said() == [(1, "PTX004")]
    text = '__device__ void f(int x) { asm volatile("v_nop"); }\n'
    assert ported(check, text).said() == [(1, "PTX004")]


def test_operand_of_empty_statement_gets_a_vector_register(ported: Port) -> None:
    text = (
        '__device__ void f(int x, float y) { asm volatile("" : "+r"(x), "+f"(y) :: "memory"); }\n'
    )
    found = ported(check, text)
    assert 'asm volatile("" : "+v"(x), "+v"(y) :: "memory");' in found.text
    assert found.said() == [(1, "PTX005")]


def test_macro_that_wraps_assembly_is_rewritten(ported: Port) -> None:
    text = (
        "#define LDG(dst, src) \\\n"
        '  asm volatile("ld.global.nc.f32 %0, [%1];" \\\n'
        '               : "=f"(dst) : "l"(src))\n'
    )
    found = ported(check, text)
    assert found.text == (
        "#define LDG(dst, src) \\\n  dst = *reinterpret_cast<const float*>(src)\n"
    )


# The numbers. Each instruction is rewritten, compiled for the host, and compared with a model of
# what NVIDIA's PTX manual says.
