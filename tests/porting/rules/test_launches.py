"""Kernel launches: kept, or written as hipLaunchKernelGGL."""

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.source import SourceFile


def launch(text: str, *, as_macro: bool = True) -> str:
    source = SourceFile("a.cpp", text.encode("latin-1"))
    target = Target(hipify_launches=as_macro)
    first = hipify(source, target, Names.load("7.1"))
    again = hipify(SourceFile("a.cpp", first.data), target, Names.load("7.1"))
    assert again.data == first.data
    return first.data.decode("latin-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k<<<1, 2>>>();", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0);"),
        ("k<<<g, b, 8>>>(a);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 8, 0, a);"),
        ("k<<<g, b, 8, s>>>(a, b);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 8, s, a, b);"),
        ("k<<<dim3(g, 2), dim3(b)>>>(a);", "hipLaunchKernelGGL(k, dim3(g, 2), dim3(b), 0, 0, a);"),
        ("k<<<(g), (b)>>>(a);", "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, a);"),
        (
            "n::k<T, 4><<<g, b>>>(a);",
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(n::k<T, 4>), dim3(g), dim3(b), 0, 0, a);",
        ),
        (
            "k<(8 > 4)><<<g, b>>>(a);",
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<(8 > 4)>), dim3(g), dim3(b), 0, 0, a);",
        ),
        (
            "k<A<B<int>>><<<g, b>>>(a);",
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<A<B<int>>>), dim3(g), dim3(b), 0, 0, a);",
        ),
        (
            "(k<T, 4>)<<<g, b>>>(a);",
            "hipLaunchKernelGGL(HIP_KERNEL_NAME((k<T, 4>)), dim3(g), dim3(b), 0, 0, a);",
        ),
        ("o->k[i]<<<g, b>>>(a);", "hipLaunchKernelGGL(o->k[i], dim3(g), dim3(b), 0, 0, a);"),
        ("if (x) k<<<g, b>>>(a);", "if (x) hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, a);"),
        (
            "k<<<g(1, 2), x > 3 ? 1 : 2>>>(a);",
            "hipLaunchKernelGGL(k, dim3(g(1, 2)), dim3(x > 3 ? 1 : 2), 0, 0, a);",
        ),
        (
            "k\n  <<<g, // grid\n     b>>>\n  (a);",
            "hipLaunchKernelGGL(k,\n  dim3(g), // grid\n     dim3(b), 0, 0,\n  a);",
        ),
        (
            "#define L(k, ...) k<<<1, 2>>>(__VA_ARGS__)\n",
            "#define L(k, ...) hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, __VA_ARGS__)\n",
        ),
        (
            "k<<<g, b, 0, cudaStreamPerThread>>>(a);",
            "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, hipStreamPerThread, a);",
        ),
    ],
)
def test_launch_becomes_the_macro_when_asked(text: str, expected: str) -> None:
    assert launch(text) == expected


def test_launch_is_kept_otherwise() -> None:
    text = "#define L(k, ...) \\\n  k<<<1, 2>>>(__VA_ARGS__)\nk<T, 4><<<g, b, 0, s>>>(a);\n"
    assert launch(text, as_macro=False) == text


@pytest.mark.parametrize("text", ["k<<<g>>>(a);", "k<<<g, b>>>;", "<<<g, b>>>(a);"])
def test_launch_that_cannot_be_read_is_kept_with_a_warning(text: str) -> None:
    source = SourceFile("a.cpp", text.encode())
    done = hipify(source, Target(hipify_launches=True), Names.load("7.1"))
    assert done.data == text.encode()
    assert [d.code for d in done.diagnostics] == ["LAU002"]
