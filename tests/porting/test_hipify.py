"""One file through all families: what changes, what stays, and that twice is once."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porting.config import Target
from porting.edits import apply_edits
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.rules import Project, collect_project
from porting.source import SourceFile

NAMES = Names.load("7.1")
_FRAGMENTS = [
    *("#include <cuda_runtime.h>\n", '#include "cuda.h"\n', "#include <cub/cub.cuh> // c\n", "\n"),
    *("#ifdef __CUDACC__\n", "#if __CUDA_ARCH__ >= 700\n", "#if CUDA_VERSION < 11000\n", "#else\n"),
    *("#ifdef USE_ROCM\n", "#endif\n", "#define M(x) cu##x\n", "#define cudaMalloc hipMalloc\n"),
    *("cudaMalloc(&p, 4);", "CUdeviceptr p = 0;", "p + n", "p & 3", "return p;", "M(Init)(0);"),
    *("switch (e) { case cudaSuccess: return 1; case CUDA_SUCCESS: return 2; }", "{", "}", "("),
    *('dlopen("libcuda.so.1", 1);', 'dlsym(h, "cuInit");', '"cudaMalloc failed"', ")", ";", ","),
    *(
        "__global__ void k(float* p) {",
        "k<<<1, 32>>>(p);",
        "__shfl_down_sync(~0u, v, 1)",
        "*/",
        "'",
    ),
    *(
        "// cudaFree\n",
        "/* cudaFree */",
        'R"(__global__ void k() {;})"',
        "é",
        '"',
        "cudaXyz(1)",
        "<",
    ),
]
sources = st.lists(st.sampled_from(_FRAGMENTS), max_size=25).map("".join)


def port(text: str, path: str = "a.cu", project: Project | None = None) -> Hipified:
    source = SourceFile(path, text.encode("latin-1"))
    return hipify(source, Target(), NAMES, project or collect_project([source]))


@settings(max_examples=150, deadline=None)
@given(sources)
def test_port_of_a_port_changes_nothing_for_any_text(text: str) -> None:
    first = port(text)
    assert port(first.data.decode("latin-1")).data == first.data


@settings(max_examples=150, deadline=None)
@given(sources)
def test_output_is_the_input_with_the_edits_applied_for_any_text(text: str) -> None:
    done = port(text)
    assert apply_edits(text, done.edits).encode("latin-1") == done.data
    for before, after in zip(done.edits, done.edits[1:], strict=False):
        assert before.end <= after.start


@settings(max_examples=100, deadline=None)
@given(sources)
def test_findings_stand_in_the_input_and_are_sorted_for_any_text(text: str) -> None:
    done = port(text)
    lines = text.count("\n") + 1
    places = [(d.line, d.column) for d in done.diagnostics]
    assert all(1 <= line <= lines for line, _ in places)
    assert places == sorted(places)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["", "NL"])
def test_bytes_outside_of_names_stay(newline: str, bom: str, end: str) -> None:
    lines = ["#include <cuda_runtime.h>", "// caf\xe9 \xb5", "\tint e = cudaFree(p);  ", "x"]
    text = bom + newline.join(lines) + (newline if end else "")
    expected = text.replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cudaFree", "hipFree")
    assert port(text).data == expected.encode("latin-1")


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.py", b"cudaMalloc"),
        ("a.txt", b"cudaMalloc"),
        ("a.cu", b"cudaMalloc\0"),
        ("a.cpp", b"int main() { return 0; }\n"),
        ("a.cu", b""),
    ],
)
def test_file_that_is_no_cuda_source_comes_back_as_it_is(path: str, data: bytes) -> None:
    done = hipify(SourceFile(path, data), Target(), NAMES)
    assert done.data == data
    assert not done.changed
    assert done.diagnostics == ()


def test_hip_source_comes_back_as_it_is() -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k(int* p) { p[0] = threadIdx.x; }\n"
    done = port(text)
    assert done.data == text.encode()
    assert done.diagnostics == ()


def test_suppressed_finding_is_kept_apart_and_not_rewritten() -> None:
    text = (
        '// porting: ignore[STR001] our loader renames it\nvoid* h = dlopen("libcuda.so.1", 1);\n'
    )
    done = port(text, "a.cpp")
    assert done.data == text.encode()
    assert [d.code for d in done.suppressed] == ["STR001"]
    assert done.diagnostics == ()


def test_one_megabyte_on_one_line_is_ported() -> None:
    numbers = ",".join(str(i % 251) for i in range(280_000))
    text = f"int d[] = {{{numbers}}};\nint e = cudaDeviceSynchronize();\n"
    assert port(text).data.endswith(b"int e = hipDeviceSynchronize();\n")


def test_finding_in_a_branch_that_no_rocm_build_compiles_is_a_note() -> None:
    text = (
        "#include <cuda_runtime.h>\n#if CUDART_VERSION >= 12000\n"
        "int a = f(cuTensorMapEncodeTiled);\n#else\nint a = 1;\n#endif\n"
    )
    severities = {(d.line, d.severity.value) for d in port(text).diagnostics}
    assert (3, "note") in severities
    assert "error" not in {severity for _, severity in severities}


@pytest.mark.parametrize(
    "text",
    [
        "int a[] = {" + ",".join(f"cudaFoo{i}" for i in range(20_000)) + "};\n",
        "void* f = dlsym(h, n); S t[] = {" + ",".join(['"cuInit"'] * 20_000) + "};\n",
        "int a = " + "(" * 20_000 + "cudaSuccess" + ")" * 20_000 + ";\n",
    ],
    ids=["names", "strings", "brackets"],
)
def test_time_grows_with_the_length_and_not_its_square(text: str) -> None:
    assert port(text, "a.cpp").source.text == text  # the test's timeout is the check


FRAGMENTS = [
    *("CUdeviceptr *", "texture", "namespace cg", "#define F(a) case ", "#define F(a) a##"),
    *("__global__ void k(float* p) { p[threadIdx", "CUdeviceptr p; int a = p +", "T a = t !="),
    *("cuGetProcAddress(n, &p, , 0);", "unsigned a; int f() { return __dp4a(a, a); }"),
    *("__shfl_sync(m, v", "atomicAdd_block(p", "asm(", "cudaTextureObject_t t; bool b = t =="),
]


@pytest.mark.parametrize("text", FRAGMENTS)
def test_fragment_that_breaks_off_is_ported_like_any_text(text: str) -> None:
    done = port(text)
    assert port(done.data.decode()).data == done.data


def test_file_whose_lines_end_in_carriage_returns_is_ported() -> None:
    text = "// f\r#include <cuda_fp16.h>\r#define F(x) \\\r  x\rvoid f() { cudaDeviceReset(); }\r"
    ported = (
        "#include <hip/hip_runtime.h>\r// f\r#include <hip/hip_fp16.h>\r"
        "#define F(x) \\\r  x\rvoid f() { hipDeviceReset(); }\r"
    )
    done = hipify(SourceFile("a.cu", text.encode()), Target(), Names.load("7.1"))
    assert done.data.decode() == ported
    assert (
        hipify(SourceFile("a.cu", ported.encode()), Target(), Names.load("7.1")).data == done.data
    )
