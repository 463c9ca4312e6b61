"""Members and namespace functions of the tree that are named like CUDA's functions."""

import pytest

from porting.config import Target
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.rules import collect_project
from porting.source import SourceFile


def port(*texts: str) -> list[str]:
    """Return the texts of a tree's files as they are after a port; a second one changes nothing."""
    once = [done.data.decode() for done in _port(texts)]
    assert [done.data.decode() for done in _port(once)] == once
    return once


def _port(texts: tuple[str, ...] | list[str]) -> list[Hipified]:
    sources = [SourceFile(f"{n}.cpp", text.encode()) for n, text in enumerate(texts)]
    project = collect_project(sources)
    return [hipify(source, Target(), Names.load("7.1"), project) for source in sources]


POOL = "struct Pool { int cudaMalloc(int n); void cudaFree(int) {} };\n"
FAKE = "namespace fake { int cudaMalloc(int n); }\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{POOL}int f(Pool& p) {{ return p.cudaMalloc(1); }}\n",
        f"{POOL}int f(Pool* p) {{ return p->cudaMalloc(1); }}\n",
        f"{POOL}int Pool::cudaMalloc(int n) {{ return n; }}\n",
        f"{POOL}auto f = &Pool::cudaMalloc;\n",
        "class P { public: virtual int cudaMalloc(int) = 0; int g() { return cudaMalloc(1); } };\n",
        "class P { int cudaMalloc(int); int g(); };\nint P::g() { return cudaMalloc(2); }\n",
        f"{POOL}struct Q : public Pool {{ int g() {{ return cudaMalloc(1); }} }};\n",
        f"{POOL}struct Q final : Pool {{ int g(); }};\nint Q::g() {{ return cudaMalloc(1); }}\n",
        (
            "template <class T> struct P { T cudaMalloc(int n) { return n; } };\n"
            "int f(P<int>& p) { return p.cudaMalloc(1); }\n"
        ),
        (
            "template <class T> struct P { T cudaMalloc(int n); };\n"
            "template <class T> T P<T>::cudaMalloc(int n) { return n; }\n"
        ),
        f"{FAKE}int f() {{ return fake::cudaMalloc(1); }}\n",
        f"{FAKE}namespace fake {{ int f() {{ return cudaMalloc(1); }} }}\n",
        f"{FAKE}using fake::cudaMalloc;\nint f() {{ return cudaMalloc(1); }}\n",
        (
            "namespace a::fake {\ninline int cudaFree(void*) { return 0; }\n}\n"
            "int f() { return a::fake::cudaFree(0); }\n"
        ),
        'namespace fake { extern "C" { int cuInit(unsigned f); } }\nint i = fake::cuInit(0);\n',
        "struct P { static int cuInit(unsigned f) { return 0; } };\nint i = P::cuInit(0);\n",
    ],
)
def test_function_of_a_class_or_namespace_of_the_tree_keeps_its_name(text: str) -> None:
    assert port(text) == [text]


def test_declaration_definition_and_use_agree_over_files() -> None:
    texts = [
        POOL,
        "int Pool::cudaMalloc(int n) { return n; }\n",
        "int f(Pool& p) { return p.cudaMalloc(1); }\n",
    ]
    assert port(*texts) == texts


def test_cudas_function_is_renamed_beside_the_trees_own() -> None:
    text = (
        "struct P { int cudaMalloc(void** p, int n) { return ::cudaMalloc(p, n); } };\n"
        "int f(P& p, void** v) { p.cudaMalloc(v, 1); return cudaMalloc(v, 1); }\n"
    )
    expected = text.replace("::cudaMalloc", "::hipMalloc").replace(
        "return cudaMalloc", "return hipMalloc"
    )
    assert port(text) == [expected]


def test_cudas_function_is_cast_where_the_tree_has_a_member_of_its_name() -> None:
    text = "struct P { int cudaMalloc(int n); };\nauto f = &cudaMalloc;\n"
    assert "static_cast<hipError_t (*)(void**, size_t)>(&hipMalloc)" in port(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "struct Api { cudaError_t (*cudaFree)(void*); };\nint f(Api& a) { a.cudaFree(0); }\n",
        "struct Api { decltype(&::cudaFree) cudaFree; };\nint f(Api& a) { a.cudaFree(0); }\n",
        "#define LIST(X) X(cudaFree)\n#define D(n) int n(void*);\nstruct Api { LIST(D) };\n",
        "struct Api { int cudaFree(void*); };\nvoid f(Api& a) { CALL(cudaFree, 0); }\n",
        "struct A { int cudaFree(void*); };\nstruct B { int (*cudaFree)(void*); };\n",
        "struct Api { int cudaFree(void*); };\n#define FREE(a, p) a.cudaFree(p)\n",
    ],
)
def test_name_in_a_table_or_a_macro_follows_cudas_everywhere(text: str) -> None:
    texts = [text, "int g(Api& a) { return a.cudaFree(0); }\n"]
    assert port(*texts) == [text.replace("cuda", "hip") for text in texts]


def test_function_of_the_tree_outside_of_any_scope_follows_cudas() -> None:
    text = 'extern "C" int cudaFree(void* p) { return g(p); }\n'
    assert port(text) == [text.replace("cudaFree", "hipFree")]
