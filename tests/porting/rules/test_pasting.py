"""Names joined by ##: the pieces, the macro and the results follow together or are reported."""

from typing import cast

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Name, Names
from porting.rules import collect_project
from porting.rules.macros.pasting import joined_renames
from porting.rules.pasting import collect_pastes
from porting.source import SourceFile

NAMES = Names.load("7.1")
LIST = "#define API(X) \\\n  X(cuInit) \\\n  X(cuMemCreate) \\\n  X(cuDeviceGetCount)\n"


def port(*texts: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Port files as one tree; return their texts and (code, severity) of what was said."""
    sources = [SourceFile(f"f{i}.h", text.encode()) for i, text in enumerate(texts)]
    project = collect_project(sources)
    done = [hipify(source, Target(), NAMES, project) for source in sources]
    again = [SourceFile(one.source.path, one.data) for one in done]
    second = collect_project(again)
    assert [hipify(source, Target(), NAMES, second).data for source in again] == [
        one.data for one in done
    ]
    found = [(d.code, d.severity.value) for one in done for d in one.diagnostics]
    return [one.data.decode() for one in done], found


def ported(text: str) -> str:
    return port(text)[0][0]


def test_identifiers_made_from_a_list_follow_in_every_file() -> None:
    table = f"{LIST}#define MEMBER(f) decltype(&f) f##_;\nstruct Api {{ API(MEMBER) }};\n"
    load = "#define LOAD(f) api.f##_ = (decltype(&f))dlsym(h, #f);\nvoid load() { API(LOAD) }\n"
    use = "void g(Api* a) { a->cuMemCreate_(h); a->cuDeviceGetCount_(&n); a->other_(1); }\n"
    texts, found = port(table, load, use)
    assert texts[0] == table.replace("cuInit", "hipInit").replace(
        "cuMemCreate", "hipMemCreate"
    ).replace("cuDeviceGetCount", "hipGetDeviceCount")
    assert texts[1] == load
    assert texts[2] == (
        "void g(Api* a) { a->hipMemCreate_(h); a->hipGetDeviceCount_(&n); a->other_(1); }\n"
    )
    assert found == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "#define P(f) pfn_##f\nvoid* P(cuInit); void* a = pfn_cuInit;\n",
            "#define P(f) pfn_##f\nvoid* P(hipInit); void* a = pfn_hipInit;\n",
        ),
        (
            "#define BLAS(T) cublas##T##gemm\nBLAS(S)(h); BLAS(D)(h);\n",
            "#define BLAS(T) hipblas##T##gemm\nBLAS(S)(h); BLAS(D)(h);\n",
        ),
        (
            "#define CU(f) cu##f\nCU(Init)(0); CU(MemAlloc)(&p, 3);\n",
            "#define CU(f) f\nCU(hipInit)(0); CU(hipMalloc)(&p, 3);\n",
        ),
        (
            "#define CU(f) cu ## f\nCU(Init)(0); CU(StreamQuery)(s);\n",
            "#define CU(f) hip ## f\nCU(Init)(0); CU(StreamQuery)(s);\n",
        ),
        (
            "#define V2(f) f##_v2\nV2(cuMemAlloc)(&p, 3); V2(cuMemFree)(p);\n",
            "#define V2(f) f\nV2(hipMalloc)(&p, 3); V2(hipFree)(p);\n",
        ),
        (
            '#define L(f) dlsym(h, #f "_v2")\nL(cuMemAlloc); L(cuMemFree);\n',
            "#define L(f) dlsym(h, #f)\nL(hipMalloc); L(hipFree);\n",
        ),
        (
            (
                '#define C(x) case CUDA_ERROR_##x: return "CUDA_ERROR_" #x;\n'
                "C(INVALID_VALUE) C(UNKNOWN)\n"
            ),
            "#define C(x) case x: return #x;\nC(hipErrorInvalidValue) C(hipErrorUnknown)\n",
        ),
        (
            "#define CAT(a, b) a##b\nCAT(cuda, Free)(p); CAT(x, y);\n",
            "#define CAT(a, b) a##b\nCAT(hip, Free)(p); CAT(x, y);\n",
        ),
        (
            "#define ALL(X) X(Init) X(CtxSynchronize)\n#define D(f) int cu##f();\nALL(D)\n",
            "#define ALL(X) X(Init) X(CtxSynchronize)\n#define D(f) int hip##f();\nALL(D)\n",
        ),
        (
            "#define J(a, b) a##b\n#define P(f) J(f, _)\nint P(cuInit); int z = cuInit_;\n",
            "#define J(a, b) a##b\n#define P(f) J(f, _)\nint P(hipInit); int z = hipInit_;\n",
        ),
    ],
)
def test_macro_and_its_uses_follow_together(text: str, expected: str) -> None:
    assert ported(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"{LIST}#define D(f) int f##_v7();\n".replace("X(cu", "X(")
        + "#define E(f) cu##f f;\nAPI(E)\n",
        "#define A(f) cu##f\n#define B(f) int f = A(f);\nB(MemAlloc) B(Init)\n",
        '#define A(f) f = dlsym(h, "cu" #f)\nA(MemAlloc); A(DeviceGetCount);\n',
    ],
)
def test_joined_names_that_cannot_follow_are_an_error(text: str) -> None:
    assert ("MAC013", "error") in port(text)[1]


def test_types_of_the_tree_that_are_named_like_cudas_follow() -> None:
    text = (
        "typedef int (*PFN_cuInit)(unsigned);\n#define LIST(X) X(cuInit)\n"
        "#define M(n) PFN_##n n;\nstruct T { LIST(M) };\n"
    )
    texts, found = port(text)
    assert texts == [text.replace("cuInit", "hipInit")]
    assert found == []


def test_joined_name_that_hip_lacks_is_named_in_the_error() -> None:
    text = "#define CU(f) cu##f\nCU(Init)(0); CU(TensorMapEncodeTiled)(0);\n"
    source = SourceFile("a.h", text.encode())
    done = hipify(source, Target(), NAMES, collect_project([source]))
    (error,) = [d for d in done.diagnostics if d.code == "MAC013"]
    assert "cuTensorMapEncodeTiled" in error.message


@pytest.mark.parametrize(
    "text",
    [
        "#define CAT(a, b) a##b\nint CAT(x, 1);\n",
        "#define S(x) #x\nputs(S(cudaMalloc));\n",
        '#define M(x) "value " #x\nputs(M(cudaMalloc));\n',
        "// #define CU(f) cu##f  CU(Init)\n",
    ],
)
def test_joints_that_make_no_cuda_name_are_of_no_interest(text: str) -> None:
    assert port(text)[1] == []


def test_pastes_are_collected_through_lists_and_nested_calls() -> None:
    pastes = collect_pastes([LIST, "#define J(a, b) a##b\n#define M(f) J(f, _)\nAPI(M)\n"])
    (paste,) = pastes
    assert paste.macro.name == "J"
    assert paste.formed == (("cuInit", "_"), ("cuMemCreate", "_"), ("cuDeviceGetCount", "_"))
    assert not paste.is_direct


def test_joined_names_that_a_file_lacks_are_not_looked_up() -> None:
    text = "#define DECLARE(name) extern void *name##_;\nDECLARE(cuMemCreate)\nDECLARE(cuMemFree)\n"
    asked: list[str] = []

    class Asking:
        def get(self, name: str) -> Name | None:
            asked.append(name)
            return NAMES.get(name)

    renames = joined_renames(cast("Names", Asking()), collect_pastes([text]), {"cuMemCreate_"})

    assert renames == {"cuMemCreate_": "hipMemCreate_"}
    assert not any("cuMemFree" in name for name in asked)
