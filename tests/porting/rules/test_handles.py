"""Integer handles that are pointers in HIP: cast where the type is certain, else reported."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import Project, collect_project, handles
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

HEAD = (
    "#include <cuda.h>\n#include <cstdio>\n#include <vector>\n"
    "struct Block { CUdeviceptr base; size_t size; };\n"
    "CUdeviceptr make();\n"
)
PARAMETERS = "CUdeviceptr p, CUdeviceptr q, size_t n, uint64_t a, Block* b, CUdeviceptr* v"


def body(statement: str) -> str:
    return f"{HEAD}void f({PARAMETERS}) {{ {statement} }}\n"


REWRITTEN = [
    ("q = p + n;", "q = static_cast<char*>(p) + n;"),
    ("q = p - 16;", "q = static_cast<char*>(p) - 16;"),
    ("q = n + p;", "q = n + static_cast<char*>(p);"),
    ("q = p + n * sizeof(float);", "q = static_cast<char*>(p) + n * sizeof(float);"),
    ("q = p + n + 4;", "q = static_cast<char*>(p) + n + 4;"),
    ("size_t d = q - p;", "size_t d = static_cast<char*>(q) - static_cast<char*>(p);"),
    ("p += n;", "p = static_cast<char*>(p) + n;"),
    ("p -= n + 1;", "p = static_cast<char*>(p) - (n + 1);"),
    ("b->base = b->base + b->size;", "b->base = static_cast<char*>(b->base) + b->size;"),
    ("q = make() + n;", "q = static_cast<char*>(make()) + n;"),
    ("q = v[1] + n;", "q = static_cast<char*>(v[1]) + n;"),
    ("q = *v + n;", "q = static_cast<char*>(*v) + n;"),
    ("auto r = p; q = r + 1;", "auto r = p; q = static_cast<char*>(r) + 1;"),
    (
        "float* x = reinterpret_cast<float*>(p + n);",
        "float* x = reinterpret_cast<float*>(static_cast<char*>(p) + n);",
    ),
    ("uint64_t x = p;", "uint64_t x = reinterpret_cast<uint64_t>(p);"),
    ("a = p;", "a = reinterpret_cast<uint64_t>(p);"),
    ("uint64_t x = p + n;", "uint64_t x = reinterpret_cast<uint64_t>(static_cast<char*>(p) + n);"),
    ("a = static_cast<uint64_t>(p);", "a = reinterpret_cast<uint64_t>(p);"),
    ("a = static_cast<size_t>(p + n);", "a = reinterpret_cast<size_t>(static_cast<char*>(p) + n);"),
    ("p = static_cast<CUdeviceptr>(a);", "p = reinterpret_cast<hipDeviceptr_t>(a);"),
    ("if (p % 256 == 0) n = 1;", "if (reinterpret_cast<uintptr_t>(p) % 256 == 0) n = 1;"),
    ("if ((p & 15) != 0) n = 1;", "if ((reinterpret_cast<uintptr_t>(p) & 15) != 0) n = 1;"),
    (
        "q = (p + 255) & ~255ull;",
        "q = reinterpret_cast<hipDeviceptr_t>((reinterpret_cast<uintptr_t>(p) + 255) & ~255ull);",
    ),
    ("p = a;", "p = reinterpret_cast<hipDeviceptr_t>(a);"),
    (
        "CUdeviceptr x = a + n * 4;",
        "hipDeviceptr_t x = reinterpret_cast<hipDeviceptr_t>(a + n * 4);",
    ),
    ("b->base = a;", "b->base = reinterpret_cast<hipDeviceptr_t>(a);"),
    ("cuMemsetD8(a + 4, 0, n);", "hipMemsetD8(reinterpret_cast<hipDeviceptr_t>(a + 4), 0, n);"),
    (
        "p = reinterpret_cast<uintptr_t>(v);",
        "p = reinterpret_cast<hipDeviceptr_t>(reinterpret_cast<uintptr_t>(v));",
    ),
    ("if (p > 0) n = 1;", "if (p != nullptr) n = 1;"),
    ("if (a == p) n = 1;", "if (a == reinterpret_cast<uintptr_t>(p)) n = 1;"),
    (
        "q = (p + 255) & ~(CUdeviceptr)255;",
        (
            "q = reinterpret_cast<hipDeviceptr_t>((reinterpret_cast<uintptr_t>(p) + 255)"
            " & ~(uintptr_t)255);"
        ),
    ),
    (
        "q = p & ~CUdeviceptr(255);",
        "q = reinterpret_cast<hipDeviceptr_t>(reinterpret_cast<uintptr_t>(p) & ~uintptr_t(255));",
    ),
    (
        "q = p & ~static_cast<CUdeviceptr>(n - 1);",
        (
            "q = reinterpret_cast<hipDeviceptr_t>(reinterpret_cast<uintptr_t>(p)"
            " & ~static_cast<uintptr_t>(n - 1));"
        ),
    ),
    (
        "q = ((CUdeviceptr)v + 15) & ~(CUdeviceptr)15;",
        "q = reinterpret_cast<hipDeviceptr_t>(((uintptr_t)v + 15) & ~(uintptr_t)15);",
    ),
    ("q = (CUdeviceptr)v + n;", "q = (char*)v + n;"),
    ("q = (CUdeviceptr)(void*)v + n;", "q = (char*)(void*)v + n;"),
    ("q = CUdeviceptr(v) + n;", "q = (char*)(v) + n;"),
    ("q = reinterpret_cast<CUdeviceptr>(v) + n;", "q = (char*)(v) + n;"),
    ("q = static_cast<CUdeviceptr>(a) + n;", "q = (char*)(a) + n;"),
    ("q = p + (CUdeviceptr)n;", "q = static_cast<char*>(p) + (uintptr_t)n;"),
    ("cuMemFree((CUdeviceptr)v + n);", "hipFree((char*)v + n);"),
    ("a = (CUdeviceptr)v % 16;", "a = (uintptr_t)v % 16;"),
    ("a = (CUdeviceptr)v;", "a = (uintptr_t)v;"),
    ("a = (CUdeviceptr)v - (CUdeviceptr)b;", "a = (uintptr_t)v - (uintptr_t)b;"),
    (
        "a = p - (CUdeviceptr)b;",
        "a = reinterpret_cast<uint64_t>(static_cast<char*>(p) - (uintptr_t)b);",
    ),
    ("a = p - (CUdeviceptr)v;", "a = static_cast<char*>(p) - (char*)v;"),
    ("if (((CUdeviceptr)v & 15) == 0) n = 1;", "if (((uintptr_t)v & 15) == 0) n = 1;"),
    ('printf("%llx", p);', 'printf("%llx", reinterpret_cast<unsigned long long>(p));'),
]
UNCHANGED = [
    *("p = 0;", "if (p == 0 || !q) n = 1;", "if (p) n = 1;", "if (p != q) n = 1;", "q = p;"),
    *("if (p < q) n = 1;", "float* x = (float*)p;", "float* x = reinterpret_cast<float*>(p);"),
    *("void** x = (void**)&p;", "a = (uint64_t)p;", 'printf("%p", (void*)p);', "n = sizeof(p);"),
    *("v[n + 1] = p;", "b->size = b->size + n;", "a = a + n;", "a = (uint64_t)p + 4;"),
    *("CUdeviceptr x = p;", "p = make();", "p = (CUdeviceptr)a;"),
    *("p = (CUdeviceptr)(a & ~255ull);", "n = sizeof(CUdeviceptr) & 3;"),
]


@pytest.mark.parametrize(("statement", "expected"), REWRITTEN)
def test_handle_gets_the_cast_that_its_use_needs(statement: str, expected: str) -> None:
    source = SourceFile("a.cpp", body(statement).encode())
    done = hipify(source, Target(), Names.load("7.1"))
    assert done.data.decode().splitlines()[-1].split("{ ", 1)[1] == f"{expected} }}"
    assert {d.topic for d in done.diagnostics} == {"handle-type"}
    assert {d.severity.value for d in done.diagnostics} == {"note"}


@pytest.mark.parametrize("statement", UNCHANGED)
def test_use_that_a_pointer_allows_stays(ported: Callable[..., Any], statement: str) -> None:
    done = ported(handles.check, body(statement), path="a.cpp")
    assert done.text == body(statement)
    assert done.findings == ()


@pytest.mark.parametrize(
    "statement",
    [
        "p++;",
        "use(p & 3);",
        "use((CUdeviceptr)v & 3);",
        "CUtexObject t = make_t(); a = t + 1;",
        "auto x = p >> 3;",
    ],
)
def test_use_that_no_cast_mends_is_an_error(ported: Callable[..., Any], statement: str) -> None:
    done = ported(handles.check, body(statement), path="a.cpp")
    assert done.text == body(statement)
    assert [(d.code, d.severity.value) for d in done.findings] == [("HND002", "error")]
    assert "CUdeviceptr" in done.findings[0].message


@pytest.mark.parametrize(
    ("parameter", "cast", "expected"),
    [
        ("const void* s", "reinterpret_cast<CUdeviceptr>(s)", "(hipDeviceptr_t)(s)"),
        ("float const* s", "reinterpret_cast<CUdeviceptr>(s)", "(hipDeviceptr_t)(s)"),
        ("const float* s", "reinterpret_cast<CUdeviceptr>(s + 4)", "(hipDeviceptr_t)(s + 4)"),
        ("const std::vector<int>& s", "reinterpret_cast<CUdeviceptr>(s.data())",
         "(hipDeviceptr_t)(s.data())"),
        ("float* s", "reinterpret_cast<CUdeviceptr>(s)", "reinterpret_cast<hipDeviceptr_t>(s)"),
        ("void* const s", "reinterpret_cast<CUdeviceptr>(s)",
         "reinterpret_cast<hipDeviceptr_t>(s)"),
        ("uint64_t s", "reinterpret_cast<CUdeviceptr>(s)", "reinterpret_cast<hipDeviceptr_t>(s)"),
    ],
)  # fmt: skip
def test_cast_of_a_pointer_to_const_drops_the_const(
    parameter: str, cast: str, expected: str
) -> None:
    text = f"{HEAD}#include <cstdint>\nCUdeviceptr f({parameter}) {{ return {cast}; }}\n"
    done = hipify(SourceFile("a.cpp", text.encode()), Target(), Names.load("7.1"))
    assert done.data.decode().endswith(f"{{ return {expected}; }}\n")


def test_returned_sum_needs_only_the_cast_of_its_operand(ported: Callable[..., Any]) -> None:
    text = "CUdeviceptr off(CUdeviceptr b, size_t n) { return b + n * sizeof(float); }\n"
    expected = text.replace("return b", "return static_cast<char*>(b)")
    assert ported(handles.check, text, path="a.cpp").text == expected


def test_returned_integer_becomes_a_handle(ported: Callable[..., Any]) -> None:
    text = "CUdeviceptr conv(uint64_t a) { return a; }\n"
    expected = "CUdeviceptr conv(uint64_t a) { return reinterpret_cast<hipDeviceptr_t>(a); }\n"
    assert ported(handles.check, text, path="a.cpp").text == expected


def test_c_file_gets_casts_of_c(ported: Callable[..., Any]) -> None:
    text = "void f(CUdeviceptr p, size_t n) { CUdeviceptr q = p + n; uint64_t a = p; }\n"
    expected = text.replace("= p + n", "= (char*)p + n").replace("a = p", "a = (uint64_t)p")
    assert ported(handles.check, text, path="a.c").text == expected


def test_other_variable_of_the_same_name_in_another_function_stays(
    ported: Callable[..., Any],
) -> None:
    text = "void f(CUdeviceptr p) {}\nvoid g(float* p, int n) { h(p + n); }\n"
    assert ported(handles.check, text, path="a.cpp").text == text


def test_member_of_a_header_is_known_in_another_file() -> None:
    source = SourceFile("a.cpp", b"#include <cuda.h>\nvoid f(B* b) { g(b->base + 4); }\n")
    names = Names.load("7.1")
    known = Project(handle_members={"base": "CUdeviceptr"})
    assert b"static_cast<char*>(b->base) + 4" in hipify(source, Target(), names, known).data
    assert b"g(b->base + 4)" in hipify(source, Target(), names).data


def test_alias_of_the_type_is_followed(ported: Callable[..., Any]) -> None:
    text = "using Ptr = CUdeviceptr;\nPtr f(Ptr p) { return p + 4; }\n"
    assert "static_cast<char*>(p) + 4" in ported(handles.check, text, path="a.cpp").text


def test_rewritten_uses_compile_for_every_architecture(
    compiles: Callable[..., None], sysroot: Sysroot
) -> None:
    functions = "\n".join(
        f"void f{number}({PARAMETERS}) {{ {statement} }}"
        for number, statement in enumerate([s for s, _ in REWRITTEN] + UNCHANGED)
    )
    source = SourceFile("a.cpp", f"{HEAD}{functions}\n".encode())
    done = hipify(source, Target(), Names.load("7.1"))
    compiles(done.data.decode(), sysroot)


def test_expression_that_the_end_of_the_file_breaks_off_is_read_to_the_end(
    ported: Callable[..., Any],
) -> None:
    text = "CUdeviceptr p = 0;(p + n"
    assert ported(handles.check, text, path="a.inl").text == text.replace(
        "(p", "(static_cast<char*>(p)"
    )


@pytest.mark.parametrize(
    ("macro", "use"),
    [
        ("#define UP(x, n) (((x) + (n) - 1) & ~((n) - 1))", "q = UP(p, 256);"),
        ("#define UP(n, x) \\\n  ((n) + (x))", "q = UP(16, b->base);"),
        ("#define low(x) (x & 255)", "a = low(p);"),
        ("#define PAGE(x) ((x) >> 12)", "a = PAGE(v[0]);"),
    ],
)
def test_handle_that_a_macro_calculates_with_is_an_error_at_the_use(macro: str, use: str) -> None:
    header = SourceFile("align.h", f"{macro}\n".encode())
    source = SourceFile("a.cpp", body(use).encode())
    done = hipify(source, Target(), Names.load("7.1"), collect_project([header, source]))
    (found,) = [d for d in done.diagnostics if d.severity.value != "note"]
    assert (found.line, found.code) == (6, "HND002")
    assert "macro" in found.message


@pytest.mark.parametrize(
    ("macro", "use"),
    [
        ("#define UP(x, n) (((uintptr_t)(x) + (n) - 1) & ~((n) - 1))", "a = UP(p, 256);"),
        ("#define UP(x, n) (reinterpret_cast<uintptr_t>(x) + (n))", "a = UP(p, 256);"),
        ("#define UP(x, n) (((x) + (n) - 1) & ~((n) - 1))", "a = UP(n, 256);"),
        ("#define UP(x, n) f(x) + (n)", "a = UP(p, 256);"),
        ("#define AT(x, n) ((x)[n - 1])", "q = AT(v, 1);"),
        ("#define OR(x, y) ((x) ? (x) : (y))", "q = OR(p, q);"),
        ("#define LOAD(x) (*(x) && g(&x)) // x + 1", "a = LOAD(v);"),
    ],
)
def test_handle_that_a_macro_takes_as_it_is_is_no_finding(macro: str, use: str) -> None:
    header = SourceFile("align.h", f"{macro}\n".encode())
    source = SourceFile("a.cpp", body(use).encode())
    done = hipify(source, Target(), Names.load("7.1"), collect_project([header, source]))
    assert [d for d in done.diagnostics if d.code == "HND002"] == []
