"""What counts as a use of a CUDA name, and which place is told."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.headers.uses import Place

Make = Callable[..., Any]


def test_first_place_is_told_in_the_order_of_paths(make: Make) -> None:
    made = make({"b.cu": "void f() { cudaFree(0); }", "a.cu": "\n\n int x = cudaFree(0);"})
    assert made.headers.uses.place("cudaFree") == Place("a.cu", 3, 10)


def test_comments_strings_and_other_platforms_are_no_uses(make: Make) -> None:
    made = make(
        "// cudaMalloc\n"
        'const char* text = "cudaMemcpy";\n'
        "#ifdef __HIP_PLATFORM_AMD__\nvoid f() { cudaFree(0); }\n#endif\n"
        "int n = cudaSuccess;\n"
    )
    assert list(made.headers.uses.names) == ["cudaSuccess"]
    assert "cudaMalloc" not in made.text
    assert "cudaFree" not in made.text


def test_counts_of_arguments_are_kept(make: Make) -> None:
    uses = make("void f() { cudaGraphInstantiate(a, b, 0); auto p = &cudaFree; }").headers.uses
    assert uses.names["cudaGraphInstantiate"].counts == {3}
    assert not uses.names["cudaGraphInstantiate"].is_value
    assert uses.names["cudaFree"].is_value


def test_arguments_that_do_not_show_count_as_a_value(make: Make) -> None:
    uses = make("#define CALL(...) cudaMemcpy(__VA_ARGS__)\n").headers.uses
    assert uses.names["cudaMemcpy"].is_value


@pytest.mark.parametrize("word", ["struct", "enum"])
def test_tags_are_told_from_names(make: Make, word: str) -> None:
    uses = make(f"{word} cudaMemcpyKind kind;").headers.uses
    assert uses.names["cudaMemcpyKind"].is_tag


def test_names_that_macros_join_are_uses_at_the_macro(make: Make) -> None:
    made = make("int x;\n#define API(name) cuda##name\nint y = API(GetLastError)();\n")
    assert made.headers.uses.place("cudaGetLastError") == Place("a.cu", 2, 9)
    assert "#define cudaGetLastError hipGetLastError\n" in made.text


def test_looked_up_strings_and_libraries_are_kept(make: Make) -> None:
    made = make(
        "#include <dlfcn.h>\n"
        'void* f() { return dlsym(dlopen("libcuda.so.1", 1), "cuMemAlloc_v2"); }\n'
    )
    assert set(made.headers.uses.symbols) == {"cuMemAlloc_v2"}
    assert set(made.headers.uses.libraries) == {"libcuda.so.1"}


def test_headers_of_the_tree_with_names_of_cudas_are_not_cudas(make: Make) -> None:
    made = make({"a.cu": '#include "cuda_fp16.h"\n#include <cuda.h>\n', "cuda_fp16.h": ""})
    assert set(made.headers.uses.headers) == {"cuda.h"}
