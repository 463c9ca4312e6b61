"""The parts of the generator that reads headers and stubs into the name tables."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "ci" / "mappings"
sys.path.insert(0, str(HERE))  # a script's folder is its import path

from nametables import (  # noqa: E402
    candidates,
    curated,
    decide,
    declarations,
    evidence,
    hip_names,
    libraries,
    stubs,
    torch_table,
)
from nametables.cuda_names import CudaName, collect  # noqa: E402
from nametables.declarations import Declaration  # noqa: E402
from nametables.hip_names import HipInventory  # noqa: E402

RELEASES = ("6.2", "6.4", "7.0", "7.1")


def _found(source: str, kind: str) -> list[str]:
    wrappers = frozenset(declarations.macros_with_arguments(source))
    return [
        f"{item.owner}::{item.name}" if item.owner else item.name
        for item in declarations.scan(source, wrappers)
        if item.kind == kind
    ]


def _arities(source: str) -> tuple[int, ...]:
    return declarations.scan(source)[0].arities


@pytest.mark.parametrize(
    ("source", "kind", "expected"),
    [
        ("cudaError_t CUDARTAPI cudaFree(void *p);", "function", ["cudaFree"]),
        ("extern __host__ int f(int (*g)(int), void *p);", "function", ["f"]),
        ("#define W(x) x\nint W(cudaCopy)(void *p);", "function", ["cudaCopy"]),
        ("#define OLD(x)\nOLD(9) int f(int);", "function", ["f"]),
        ("__declspec(dllimport) int f(void);", "function", ["f"]),
        ("static inline int f(int a = 0) { return g(a); }\nint h(void);", "function", ["f", "h"]),
        ("template <class T> T max(T a, T b) { return a; }", "function", ["max"]),
        ('extern "C" {\nint f(void);\n}\nint g(void);', "function", ["f", "g"]),
        ("namespace a { namespace b { int f(); } }", "function", ["a::b::f"]),
        ("typedef struct S_st *S;", "type", ["S", "S_st"]),
        ("typedef void (CUDA_CB *Fn)(int x);", "type", ["Fn"]),
        ("typedef enum E_enum { A, B } E;", "type", ["E_enum", "E"]),
        ("struct __align__(8) P { int x; };", "type", ["P"]),
        ("using T = int;", "type", ["T"]),
        ("enum class K : int { A = 1, B = A | 2, C };", "enumerator", ["K::A", "K::B", "K::C"]),
        ("typedef struct { int a, *b; char c[4]; } S;", "field", ["S::a", "S::b", "S::c"]),
        ("struct S { union { int a; long b; }; };", "field", ["S::a", "S::b"]),
        ("extern const uint3 __attribute__((weak)) threadIdx;", "variable", ["threadIdx"]),
        ("#define A 1\n#  define B(x) x\n/* #define C */", "macro", ["A", "B"]),
        ("#if 0\nint f();\n#endif\nint g();", "function", ["g"]),
        ("#if X\nstruct A {\n#else\nstruct B {\n#endif\nint x;\n};\nint f();", "function", ["f"]),
        ('const char *s = "int f(void);";\n// int g();\nint h();', "function", ["h"]),
    ],
)
def test_scan_when_a_header_declares(source: str, kind: str, expected: list[str]) -> None:
    assert _found(source, kind) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#if defined OFF\nint f();\n#endif\nint g();", ["g"]),
        ("#if defined(OFF)\nint f();\n#else\nint g();\n#endif", ["g"]),
        ("#ifdef OFF\n#if X\nint f();\n#endif\n#else\nint g();\n#endif\nint h();", ["g", "h"]),
        ("#ifndef OFF\nint f();\n#endif", ["f"]),
        ("#if !defined(OFF)\nint f();\n#endif", ["f"]),
        ("#if defined(OFF) || defined(Y)\nint f();\n#endif", ["f"]),
        ("#if defined(ON)\nint f();\n#endif", ["f"]),
    ],
)
def test_scan_when_a_macro_is_never_defined_leaves_out_what_it_brings(
    source: str, expected: list[str]
) -> None:
    found = declarations.scan(source, unset=frozenset({"OFF"}))

    assert [item.name for item in found] == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("int f(void);", (0,)),
        ("int f(int a, void (*g)(int, int));", (2,)),
        ("int f(int a, int b = 0, int c = 1);", (1, 2, 3)),
        ("int f(int a, int b __dparm(0));", (1, 2)),
        ("int f(std::map<int, int> a);", (1,)),
    ],
)
def test_scan_when_arguments_are_counted(source: str, expected: tuple[int, ...]) -> None:
    assert _arities(source) == expected


def test_stub_when_read_gives_declarations_with_their_header() -> None:
    text = """
cdef extern from "hip/hip_runtime.h":

    cdef int hipStreamDefault

    cdef enum hipKind:
        hipKindA
        hipKindB = 3

    cdef struct hipProp:
        char[256] name
        void (*callback)(int)

    ctypedef hipProp * hipProp_t

cdef union hipProp_union_0:
    int inner
cdef extern from "hip/hip_runtime.h":
    cdef enum hipOther:
        hipOtherA
cdef hipError_t hipMalloc(void ** ptr,size_t size) except? hipErrorX nogil
cdef const char * hipName(hipError_t e) noexcept nogil
"""
    found = {(d.name, d.kind, d.owner) for d, _ in stubs.declarations(text)}
    functions = {d.name: d.arities for d, _ in stubs.declarations(text) if d.kind == "function"}

    assert ("hipStreamDefault", "macro", "") in found
    assert ("hipKindB", "enumerator", "hipKind") in found
    assert ("name", "field", "hipProp") in found
    assert ("callback", "field", "hipProp") in found
    assert ("inner", "field", "hipProp") in found
    assert ("hipProp_t", "type", "") in found
    assert ("hipOther", "type", "") in found
    assert functions == {"hipMalloc": (2,), "hipName": (1,)}
    assert {header for _, header in stubs.declarations(text)} == {"hip/hip_runtime.h"}


def test_stub_when_it_renames_gives_pairs() -> None:
    text = "from hip.chip cimport hipMalloc as cudaMalloc\nfrom x cimport y\n"

    assert stubs.aliases(text) == [("cudaMalloc", "hipMalloc")]


def test_torch_table_when_read_skips_its_own_names(tmp_path: Path) -> None:
    path = tmp_path / "table.py"
    path.write_text(
        "import collections\n"
        "CUDA_IDENTIFIER_MAP = collections.OrderedDict([\n"
        '  ("cudaMalloc", "hipMalloc"), ("a", ("b", 1)), ("header", NAME),\n])\n'
        'PYTORCH_SPECIFIC_MAPPINGS = collections.OrderedDict([("x", "y")])\n',
        encoding="utf-8",
    )

    assert torch_table.pairs(path) == {"cudaMalloc": "hipMalloc", "a": "b"}


@pytest.mark.parametrize(
    ("name", "library", "expected"),
    [
        ("cudaMalloc", "runtime", "hipMalloc"),
        ("CU_STREAM_LEGACY", "driver", "hipStreamLegacy"),
        ("CUfilter_mode", "driver", "HIPfilter_mode"),
        ("cublasSgemm_v2", "cublas", "hipblasSgemm"),
        ("cublasSgemm_v2_64", "cublas", "hipblasSgemm_64"),
        ("cudaMemcpyAsync_ptsz", "runtime", "hipMemcpyAsync"),
        ("CUGPUmode_enum", "driver", "hipGPUmode"),
        ("CUmemLocation", "driver", "hipMemLocation"),
        ("CUDART_INF_F", "device", "HIP_INF_F"),
    ],
)
def test_rule_when_applied_proposes_the_usual_spelling(
    name: str, library: str, expected: str
) -> None:
    assert expected in list(candidates.by_rule(name, library))


def test_rule_when_the_prefix_is_part_of_a_word_proposes_nothing() -> None:
    assert list(candidates.by_rule("cudart", "runtime")) == []


@pytest.fixture
def inventory() -> HipInventory:
    found = HipInventory(releases=RELEASES)

    def add(release: str, source: str, name: str, *arities: int) -> None:
        item = Declaration(name, "function", "", arities)
        hip_names.add(found, release, source, "hip/a.h", item)

    for release in RELEASES:
        add(release, "stub", "hipAlways", 2)
    for release in ("6.2", "6.4"):
        add(release, "stub", "hipGone", 1)
    for release in ("7.0", "7.1"):
        add(release, "stub", "hipNew", 3)
    add("6.2", "published", "hipPublished", 1)
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("hipAlways", evidence.Span("6.2", "")),
        ("hipGone", evidence.Span("6.2", "6.4")),
        ("hipNew", evidence.Span("7.0", "")),
        ("hipPublished", evidence.Span("6.2", "")),
        ("hipNowhere", None),
    ],
)
def test_span_when_releases_differ(
    inventory: HipInventory, name: str, expected: evidence.Span | None
) -> None:
    assert evidence.span(inventory, name) == expected


def test_cite_when_several_files_declare_a_name(inventory: HipInventory) -> None:
    hip_names.add(inventory, "6.2", "header", "hip/b.h", Declaration("hipGone", "function"))

    assert evidence.cite(inventory, "hipGone") == "header hip/b.h (6.2); stub hip/a.h (6.2, 6.4)"


def _sources(inventory: HipInventory, **known: object) -> decide.Sources:
    facts = known.get("curated", curated.Curated())
    interop = known.get("interop", {})
    torch = known.get("torch", {})
    assert isinstance(facts, curated.Curated)
    assert isinstance(interop, dict)
    assert isinstance(torch, dict)
    searched = {"runtime": "searched: stub hip/a.h (6.2)"}
    return decide.Sources(inventory, facts, interop, torch, searched)


def _cuda(name: str, *arities: int) -> CudaName:
    return CudaName(name, "runtime", "function", "cuda.h", "", {"12.9"}, set(arities))


def test_decide_when_torch_alone_knows_a_name_takes_it_last(inventory: HipInventory) -> None:
    torch = {"cudaAlways": "hipNew", "cudaOther": "hipAlways"}
    rest = _sources(inventory, torch=torch)

    assert decide.decide(_cuda("cudaAlways", 2), rest).target == "hipAlways"
    assert decide.decide(_cuda("cudaOther", 2), rest).target == "hipAlways"


def test_decide_when_the_proposed_name_exists_nowhere(inventory: HipInventory) -> None:
    record = decide.decide(_cuda("cudaFoo", 1), _sources(inventory, torch={"cudaFoo": "hipFoo"}))

    assert record.target == ""
    assert record.cite.startswith("searched: ")


def test_decide_when_a_rule_pairs_calls_of_other_lengths(inventory: HipInventory) -> None:
    assert decide.decide(_cuda("cudaAlways", 4), _sources(inventory)).target == ""


def test_decide_when_some_argument_counts_fit(inventory: HipInventory) -> None:
    record = decide.decide(_cuda("cudaAlways", 2, 3), _sources(inventory))

    assert (record.target, record.action) == ("hipAlways", "arguments")
    assert record.reason == "cudaAlways is declared with 2 or 3 arguments, hipAlways takes 2"


def test_decide_when_stubs_differ_takes_the_longest_lived(inventory: HipInventory) -> None:
    rest = _sources(inventory, interop={"cudaX": ("hipNew", "hipGone", "hipAlways")})

    assert decide.decide(_cuda("cudaX"), rest).target == "hipAlways"


def test_decide_when_a_fact_is_curated_it_wins(inventory: HipInventory) -> None:
    fact = curated.Fact(re.compile("cudaAlways"), "", "hipNew", "cast", "why", "how", "a.h")
    facts = curated.Curated(exact={"cudaAlways": fact})
    record = decide.decide(_cuda("cudaAlways", 2), _sources(inventory, curated=facts))

    assert (record.target, record.action, record.first) == ("hipNew", "cast", "7.0")
    assert record.cite.endswith("; a.h")


def test_decide_when_a_pattern_is_about_missing_names(inventory: HipInventory) -> None:
    fact = curated.Fact(re.compile("cuda.*"), "", None, "", "not in HIP", "drop it", "")
    rest = _sources(inventory, curated=curated.Curated(patterns=[fact]))

    assert decide.decide(_cuda("cudaAlways", 2), rest).reason == ""
    assert decide.decide(_cuda("cudaFoo"), rest).reason == "not in HIP"


def test_curated_when_two_facts_speak_of_one_name(tmp_path: Path) -> None:
    text = '[[name]]\nname = "a"\ntarget = ""\n' * 2
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")

    with pytest.raises(
        curated.CuratedError, match=r"^x\.toml: a has a second fact; merge the two$"
    ):
        curated.load(tmp_path)


def test_collect_when_headers_overlap(tmp_path: Path) -> None:
    include = tmp_path / "nvidia" / "include"
    include.mkdir(parents=True)
    (include / "cuda.h").write_text(
        "#define cuAlloc cuAlloc_v2\nint cuAlloc_v2(int a);\nint cuFree(int a);\n",
        encoding="utf-8",
    )
    known = libraries.load(HERE / "libraries.toml")
    found = collect([("12.9", tmp_path), ("13.0", tmp_path)], known)

    assert found.headers == {"cuda.h": ("driver", {"12.9", "13.0"})}
    assert found.names["cuAlloc"].kind == "function"
    assert found.names["cuAlloc"].arities == {1}
    assert found.names["cuFree"].toolkits == {"12.9", "13.0"}


@pytest.mark.parametrize(
    ("header", "library"),
    [
        ("cuda_runtime.h", "runtime"),
        ("crt/device_functions.h", "device"),
        ("crt/mma.h", "wmma"),
        ("cub/block/block_scan.cuh", "cub"),
        ("cuda/std/atomic", "libcudacxx"),
        ("cublasLt.h", "cublaslt"),
        ("nvtx3/nvToolsExt.h", "nvtx"),
    ],
)
def test_library_when_asked_by_header(header: str, library: str) -> None:
    found = libraries.owner(libraries.load(HERE / "libraries.toml"), header)

    assert found is not None
    assert found.name == library
