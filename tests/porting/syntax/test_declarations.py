"""Names that a text declares itself, and those it only uses."""

import pytest

from porting.syntax import declared_names, tokenize


@pytest.mark.parametrize(
    "source",
    [
        "#define N 1",
        "#define F(N) N",
        "struct N;",
        "enum class N { a };",
        "enum { a, N = 3 };",
        "enum E : int { N };",
        "namespace N = other;",
        "using N = int;",
        "using ns::N;",
        "typedef int N;",
        "typedef struct { int a; } N;",
        "typedef int (*N)(int);",
        "int N = 3;",
        "int a, N = 3;",
        "const float* N;",
        "float *a, *N;",
        "std::vector<int> N;",
        "int N[4];",
        "void f(int N);",
        "void f(const T& N, int b);",
        "void N(int a) {}",
        "T* N(int a) {}",
        "__global__ void __launch_bounds__(256) N(float* p) {}",
        "int (*N)(int) = nullptr;",
        "CUresult (CUDAAPI *N)(int);",
        "auto [a, N] = f();",
        "template <typename N> void f();",
        "for (int N = 0; N < 3; ++N) {}",
    ],
)
def test_declaration_is_seen_for(source: str) -> None:
    assert "N" in declared_names(tokenize(source))


@pytest.mark.parametrize(
    "source",
    [
        "N(3);",
        "return N;",
        "return N(3);",
        "x = N;",
        "f(a, N);",
        "f(N, 3);",
        "else N(a);",
        "N x;",
        "N* x;",
        "void f(const N);",
        "x = a * N;",
        "a.N(3);",
        "x ? N : y;",
        "case N: break;",
        "static_cast<N>(x);",
        "#ifdef N\n(\n#endif",
        "#if defined N\n#endif",
        "#undef N\n",
        "#define A N(x)",
        "#define A(x) N = x",
        "int x = N, y;",
        "using a = typename N::type;",
        "typename N<int>::type x;",
    ],
)
def test_use_is_no_declaration_for(source: str) -> None:
    assert "N" not in declared_names(tokenize(source))
