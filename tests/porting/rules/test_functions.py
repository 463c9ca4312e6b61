"""Functions and macro bodies, read from tokens, and which files are HIP already."""

import pytest

from porting.config import Target
from porting.mapping import Names
from porting.rules import Unit
from porting.rules.dialect import is_hip_source
from porting.rules.functions import Functions
from porting.source import SourceFile
from porting.syntax import tokenize


def found(text: str) -> list[str]:
    """Return the names of the functions and macros of a text, `*` behind device functions."""
    lexed = tokenize(text)
    return [
        lexed.tokens[function.name].text + ("*" if function.on_device else "")
        for function in Functions(lexed).all
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(int* p) { if (p) { f(p); } }", ["k*"]),
        ('extern "C" __global__ void k() {}', ["k*"]),
        ('extern "C" { int f() { return 1; } }', ["f"]),
        ("namespace a { namespace b { __device__ int f() { return 1; } } }", ["f*"]),
        ("template <class T, unsigned M = 0xffu> __device__ T f(T t) { return t; }", ["f*"]),
        ("struct S { S(int v) : m{v}, n(3) { m = 1; } ~S() {} int m, n; };", ["S", "S"]),
        ("struct S { __device__ bool operator()(int) const { return true; } };", ["operator*"]),
        ("class __align__(16) Q { int z() { return 2; } };", ["z"]),
        ("__global__ void __launch_bounds__(256, 2) k(int x) {}", ["k*"]),
        ("__attribute__((noinline)) int f(int a = 3) noexcept { return a; }", ["f"]),
        ("auto f() -> decltype(1) { return 1; }", ["f"]),
        ("template <> __device__ float f<float>(float t) { return t; }", ["f*"]),
        ("template <> void S<int>::g<4, A<B<2>>>() { h(); }", ["g"]),
        ("std::enable_if_t<(sizeof(int) > 2), int> f() { return 1; }", ["f"]),
        ("bool operator<(A<int> a, B b) { return a(b); }", ["<"]),
        ("bool operator<<(A<int> a, B b) { return a(b); }", ["<<"]),
        ("template <class T> A<T>::A(int n) : m(n < 2), k(n > 3) { f(); }", ["A"]),
        ("int a[] = {1, 2}; enum E { A = 1 }; auto l = [](int x) { return x; };", []),
        ("#define M(x) { f(x); }\nint g() { return M(1); }", ["M", "g"]),
        ("#define EMPTY\n", []),
        ("int f();\nint x = f();\n", []),
        ("int f() { ", []),
    ],
)
def test_functions_are_found(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_around_gives_the_macro_inside_a_function_and_then_the_function() -> None:
    text = "int f() {\n#define M(x) (x + 1)\n  return M(1);\n}\nint y;\n"
    lexed = tokenize(text)
    functions = Functions(lexed)
    place = {token.text: number for number, token in enumerate(lexed.tokens)}
    inside = functions.around(place["+"])
    assert inside is not None
    assert inside.is_macro
    outer = functions.around(place["return"])
    assert outer is not None
    assert lexed.tokens[outer.name].text == "f"
    assert functions.around(place["y"]) is None


@pytest.mark.parametrize(
    ("text", "hip"),
    [
        ("#include <hip/hip_runtime.h>\n", True),
        ("#include <hipcub/hipcub.hpp>\n", True),
        ("#include <cuda_runtime.h>\n", False),
        ("#include <hip/hip_runtime.h>\n#include <cuda_fp16.h>\n", False),
        ("#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#endif\n", False),
        ("#include <vector>\n", False),
    ],
)
def test_a_file_is_hip_when_it_includes_hip_and_no_cuda(text: str, *, hip: bool) -> None:
    unit = Unit(SourceFile("k.cu", text.encode()), Target(), Names.load("7.1"))
    assert is_hip_source(unit) is hip
