"""Headers: CUDA's, the tree's own, and the one that nvcc includes by itself."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.rules import Project, collect_project, includes
from porting.source import SourceFile

NAMES = Names.load("7.1")
RUNTIME = "#include <hip/hip_runtime.h>\n"


def in_tree(files: dict[str, str], path: str, renamed: dict[str, str] | None = None) -> Hipified:
    """Port one file of a tree."""
    sources = [SourceFile(name, text.encode("latin-1")) for name, text in files.items()]
    found = collect_project(sources)
    project = Project(
        files=found.files,
        renamed=renamed or {},
        runtime_headers=found.runtime_headers,
        bare_headers=found.bare_headers,
        c_headers=found.c_headers,
    )
    source = next(source for source in sources if source.path == path)
    return hipify(source, Target(), NAMES, project)


def text_of(done: Hipified) -> str:
    return done.data.decode("latin-1")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#include <cuda_runtime.h>", "#include <hip/hip_runtime.h>"),
        ("#  include <cuda_runtime.h>", "#  include <hip/hip_runtime.h>"),
        ("#include<cuda_fp16.h>", "#include<hip/hip_fp16.h>"),
        ('#include"cuda.h" // driver', '#include"hip/hip_runtime.h" // driver'),
        ("#include /* c */ <cuda_bf16.h>", "#include /* c */ <hip/hip_bf16.h>"),
        ("#import <nccl.h>", "#import <rccl/rccl.h>"),
        ("%:include <cuda.h>", "%:include <hip/hip_runtime.h>"),
        ("#define HEADER <cuda.h>", "#define HEADER <hip/hip_runtime.h>"),
        ("#if __has_include(<cuda_fp8.h>)\n#endif", "#if __has_include(<hip/hip_fp8.h>)\n#endif"),
        ("#include <thrust/sort.h>", "#include <thrust/sort.h>"),
        ("#include <vector>", "#include <vector>"),
        ("// #include <cuda.h>", "// #include <cuda.h>"),
        ("#ifdef USE_ROCM\n#else\n#include <cuda.h>\n#endif",) * 2,
    ],
)
def test_header_becomes_hips(ported: Callable[..., Any], line: str, expected: str) -> None:
    assert ported(includes.check, line + "\n", path="a.cpp").text == expected + "\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["<cub/block/block_scan.cuh>", "<cub/cub.cuh>"], "#include <hipcub/hipcub.hpp>\n"),
        (["<cuda.h>", "<cuda_runtime.h>"], RUNTIME),
        (["<hip/hip_runtime.h>", "<cuda.h>"], RUNTIME),
    ],
)
def test_header_that_is_already_included_goes_with_its_line(
    ported: Callable[..., Any], lines: list[str], expected: str
) -> None:
    text = "".join(f"#include {line}\n" for line in lines) + "int x;\n"
    assert ported(includes.check, text, path="a.cpp").text == expected + "int x;\n"


def test_comment_stays_when_its_directive_goes(ported: Callable[..., Any]) -> None:
    text = "#include <cub/cub.cuh>\n#include <cub/block/block_scan.cuh>  // BlockScan\n"
    done = ported(includes.check, text, path="a.cpp")
    assert done.text == "#include <hipcub/hipcub.hpp>\n// BlockScan\n"


def test_header_in_another_branch_is_not_already_included(ported: Callable[..., Any]) -> None:
    text = "#ifdef A\n#include <cuda.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"
    expected = f"#ifdef A\n{RUNTIME}#else\n{RUNTIME}#endif\n"
    assert ported(includes.check, text, path="a.cpp").text == expected


def test_header_of_an_outer_branch_is_already_included(ported: Callable[..., Any]) -> None:
    text = "#include <cuda.h>\n#ifdef A\n#include <cuda_runtime.h>\n#endif\n"
    expected = f"{RUNTIME}#ifdef A\n#endif\n"
    assert ported(includes.check, text, path="a.cpp").text == expected


@pytest.mark.parametrize(
    ("header", "code", "word"),
    [
        ("nvml.h", "INC001", "nvml.h"),
        ("cudnn.h", "INC001", "cudnn.h"),
        ("cutlass/cutlass.h", "INC001", "cutlass"),
        ("cooperative_groups/reduce.h", "INC002", "reduce"),
        ("cuda/functional", "INC003", "cuda/functional"),
    ],
)
def test_header_without_counterpart_is_an_error_that_says_what_to_do(
    ported: Callable[..., Any], header: str, code: str, word: str
) -> None:
    text = f"int a;\n#include <{header}>\n"
    done = ported(includes.check, text, path="a.cpp")
    (found,) = done.findings
    assert done.text == text
    assert (found.line, found.code, found.severity.value) == (2, code, "error")
    assert word in found.message
    assert found.help


def test_libcudacxx_header_is_named_with_a_warning(ported: Callable[..., Any]) -> None:
    done = ported(includes.check, "#include <cuda/std/atomic>\n", path="a.cpp")
    assert done.text == "#include <hip/std/atomic>\n"
    assert [(d.code, d.topic, d.severity.value) for d in done.findings] == [
        ("INC003", "libcudacxx", "warning")
    ]


def test_unknown_header_that_looks_like_nvidias_is_a_warning(ported: Callable[..., Any]) -> None:
    done = ported(includes.check, "#include <cuda_frobnicate.h>\n", path="a.cpp")
    assert done.said() == [(1, "INC004")]


@pytest.mark.parametrize("include", ['"cuda_utils.h"', "<cuda_utils.h>", '"../inc/cuda_utils.h"'])
def test_header_of_the_tree_is_its_own(include: str) -> None:
    files = {"src/a.cpp": f"#include {include}\n", "inc/cuda_utils.h": "int cudaX;\n"}
    done = in_tree(files, "src/a.cpp")
    assert text_of(done) == files["src/a.cpp"]
    assert done.diagnostics == ()


def test_header_beside_its_includer_is_the_trees_even_when_named_like_cudas() -> None:
    files = {"src/a.cpp": '#include "cuda.h"\n', "src/cuda.h": "int x;\n"}
    done = in_tree(files, "src/a.cpp")
    assert text_of(done) == files["src/a.cpp"]
    assert done.diagnostics == ()


def test_header_of_the_tree_in_another_folder_with_a_name_of_cudas_is_a_warning() -> None:
    files = {"src/a.cpp": '#include "cuda.h"\n', "inc/cuda.h": "int x;\n"}
    done = in_tree(files, "src/a.cpp")
    assert text_of(done) == files["src/a.cpp"]
    assert [d.code for d in done.diagnostics] == ["INC005"]


def test_angle_brackets_mean_cudas_header_whatever_the_tree_has() -> None:
    files = {"src/a.cpp": "#include <cuda.h>\n", "inc/cuda.h": "int x;\n"}
    assert text_of(in_tree(files, "src/a.cpp")) == RUNTIME


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ('"kernel.cuh"', '"kernel.h"'),
        ('"gpu/kernel.cuh"', '"gpu/kernel.h"'),
        ("<gpu/kernel.cuh>", "<gpu/kernel.h>"),
    ],
)
def test_include_follows_a_renamed_file(include: str, expected: str) -> None:
    path = "gpu/a.cpp" if "gpu" not in include else "a.cpp"
    files = {path: f"#include {include}\nint e = cudaSuccess;\n", "gpu/kernel.cuh": "int x;\n"}
    done = in_tree(files, path, {"gpu/kernel.cuh": "gpu/kernel.h"})
    assert text_of(done) == f"#include {expected}\nint e = hipSuccess;\n"


KERNEL = "__global__ void k(float* p) { p[threadIdx.x] = 0; }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KERNEL, f"{RUNTIME}\n{KERNEL}"),
        (f"#include <cstdio>\n{KERNEL}", f"{RUNTIME}#include <cstdio>\n{KERNEL}"),
        (f"// Copyright\n{KERNEL}", f"// Copyright\n\n{RUNTIME}\n{KERNEL}"),
        (f"// License\n\n// doc\n{KERNEL}", f"// License\n\n{RUNTIME}\n// doc\n{KERNEL}"),
        (f"// doc of k\n{KERNEL}", f"{RUNTIME}\n// doc of k\n{KERNEL}"),
        (f"#pragma once\n{KERNEL}", f"#pragma once\n{RUNTIME}\n{KERNEL}"),
        (
            f"#include <cuda_fp16.h>\n{KERNEL}",
            f"{RUNTIME}#include <hip/hip_fp16.h>\n{KERNEL}",
        ),
        (
            f"#include <cuda_runtime_api.h>\n{KERNEL}",
            f"{RUNTIME}#include <hip/hip_runtime_api.h>\n{KERNEL}",
        ),
        (
            f"#ifdef A\n#include <cstdio>\n#endif\n{KERNEL}",
            f"{RUNTIME}#ifdef A\n#include <cstdio>\n#endif\n{KERNEL}",
        ),
        ("int f() { return cudaDeviceSynchronize(); }\n", None),
        ("void f() { k<<<1, 1>>>(); }\n", None),
    ],
)
def test_cu_file_gets_the_header_that_nvcc_gave_it(
    ported: Callable[..., Any], text: str, expected: str | None
) -> None:
    done = ported(includes.check, text)
    assert done.text == (expected or f"{RUNTIME}\n{text}")
    assert "INC006" in {d.code for d in done.findings}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"#include <cuda_runtime.h>\n{KERNEL}", "a.cu"),
        (f"#include <torch/extension.h>\n{KERNEL}", "a.cu"),
        (f"#include <cooperative_groups.h>\n{KERNEL}", "a.cu"),
        (f"#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#endif\n{KERNEL}", "a.cu"),
        ("int f() { return 1; }\n", "a.cu"),
        (KERNEL, "a.cuh"),
        (KERNEL, "a.cpp"),
    ],
)
def test_header_is_not_added_where_it_is_there_or_not_needed(
    ported: Callable[..., Any], text: str, path: str
) -> None:
    done = ported(includes.check, text, path=path)
    assert "INC006" not in {d.code for d in done.findings}


def test_added_header_goes_behind_the_mark_and_ends_as_the_file_does() -> None:
    text = "\xef\xbb\xbf" + KERNEL.replace("\n", "\r\n")
    done = in_tree({"a.cu": text}, "a.cu")
    assert text_of(done) == "\xef\xbb\xbf#include <hip/hip_runtime.h>\r\n\r\n" + text[3:]


def test_header_of_the_tree_that_brings_the_runtime_is_enough() -> None:
    files = {
        "a.cu": f'#include "b.h"\n{KERNEL}',
        "b.h": '#include "c.h"\n',
        "c.h": "#include <cuda_runtime.h>\n",
    }
    assert text_of(in_tree(files, "a.cu")) == files["a.cu"]


def test_header_moves_up_when_a_header_of_the_tree_relies_on_it() -> None:
    files = {"a.cu": f'#include "k.cuh"\n#include <cuda_runtime.h>\n{KERNEL}', "k.cuh": KERNEL}
    assert text_of(in_tree(files, "a.cu")) == f'{RUNTIME}#include "k.cuh"\n{KERNEL}'


@pytest.mark.parametrize(
    "text",
    [
        "#include <cuda_fp16.h>\n#define T(x) htanh(x)\n",
        'inline void f() { asm volatile("membar.gl;"); }\n',
    ],
)
def test_cu_file_whose_device_code_only_shows_in_hip_gets_the_header_at_once(text: str) -> None:
    first = text_of(in_tree({"a.cu": text}, "a.cu"))
    assert first.startswith(RUNTIME)
    assert text_of(in_tree({"a.cu": first}, "a.cu")) == first


def test_cu_file_with_a_hosts_assembly_stays() -> None:
    text = 'inline void f() { asm volatile("mfence" ::: "memory"); }\n'
    assert text_of(in_tree({"a.cu": text}, "a.cu")) == text


MARK = "#ifdef __cplusplus\n{}\n#endif\n"
C_OPEN, C_CLOSE = MARK.format('extern "C" {'), MARK.format("}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'int x;\nextern "C" {\n#include <cuda.h>\n#include <nccl.h>\n#include <a.h>\n}\n',
            f'int x;\n{RUNTIME}#include <rccl/rccl.h>\nextern "C" {{\n#include <a.h>\n}}\n',
        ),
        (
            f"#ifndef A_H\n#define A_H\n{C_OPEN}#include <cuda.h>\nint f();\n{C_CLOSE}#endif\n",
            f"#ifndef A_H\n#define A_H\n{RUNTIME}{C_OPEN}int f();\n{C_CLOSE}#endif\n",
        ),
        (
            '#include <cuda.h>\nextern "C" {\n#include <cuda_runtime.h>\n}\n',
            f'{RUNTIME}extern "C" {{\n}}\n',
        ),
    ],
)
def test_header_inside_extern_c_goes_in_front(
    ported: Callable[..., Any], text: str, expected: str
) -> None:
    assert ported(includes.check, text, path="a.h").text == expected


def test_header_of_the_tree_inside_extern_c_finds_the_runtime_included() -> None:
    text = 'extern "C" {\n#include "b.h"\n}\ncudaError_t f();\n'
    expected = RUNTIME + text.replace("cuda", "hip")
    files = {"a.cpp": text, "b.h": "#include <cuda.h>\n"}
    assert text_of(in_tree(files, "a.cpp")) == expected
    ported_files = {"a.cpp": expected, "b.h": RUNTIME}
    assert text_of(in_tree(ported_files, "a.cpp")) == expected


@pytest.mark.parametrize(
    "text",
    [
        'extern "C" {\n#ifdef USE_CUDA\n#include <cuda.h>\n#endif\n}\n',
        '#else\nextern "C" {\n#endif\n#include <cuda.h>\n}\n',
    ],
)
def test_header_that_cannot_leave_extern_c_is_an_error(
    ported: Callable[..., Any], text: str
) -> None:
    done = ported(includes.check, text, path="a.h")
    assert done.text == text
    assert [(d.code, d.severity.value) for d in done.findings] == [("INC008", "error")]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("thrust/system/cuda/detail/par.h", "thrust/system/hip/detail/par.h"),
        ("thrust/system/cuda/detail/execution_policy.h",
         "thrust/system/hip/detail/execution_policy.h"),
        ("thrust/system/cuda/detail/guarded_cuda_runtime_api.h",
         "thrust/system/hip/detail/guarded_hip_runtime_api.h"),
        ("thrust/system/cuda/detail/core/agent_launcher.h", None),
        ("nvfunctional", None),
    ],
)  # fmt: skip
def test_private_header_becomes_rocms_or_is_an_error(
    ported: Callable[..., Any], path: str, expected: str | None
) -> None:
    done = ported(includes.check, f"#include <{path}>\n", path="a.cpp")
    assert done.text == f"#include <{expected or path}>\n"
    assert [d.code for d in done.findings] == ([] if expected else ["INC001"])


KERNEL = "__global__ void k() {}\n"
COPY = "float f(int h) { float f; memcpy(&f, &h, 4); return f; }\n"
STRING = "#include <string.h>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KERNEL + COPY, RUNTIME + STRING + "\n"),
        ("#include <cuda_runtime.h>\n" + KERNEL + COPY, STRING + RUNTIME),
        ("#include <string.h>\n" + KERNEL + COPY, RUNTIME + STRING),
        ("#include <cstring>\n" + KERNEL + COPY, RUNTIME + "#include <cstring>\n"),
        (KERNEL + COPY + "#include <cstring>\n", RUNTIME + STRING + "\n"),
        (KERNEL + 'int f() { return printf("x"); }\n', RUNTIME + "\n"),
        ("int n() { return puts(s); }\n", "#include <stdio.h>\n\n"),
        (KERNEL + "// memcpy(a, b)\n", RUNTIME + "\n"),
        (KERNEL + "void g(S s) { s.strlen(1); own::strlen(2); s->memcpy(1); }\n", RUNTIME + "\n"),
        (KERNEL + "int strlen(const char *s);\n", RUNTIME + "\n"),
        (KERNEL + "void g() { ::memset(a, 0, 4); }\n", RUNTIME + STRING + "\n"),
        ("#ifdef A\n#include <string.h>\n#endif\n" + KERNEL + COPY, RUNTIME + STRING + "#ifdef A"),
    ],
)
def test_c_header_that_came_with_nvcc_is_included(text: str, expected: str) -> None:
    done = text_of(in_tree({"a.cu": text}, "a.cu"))
    assert done.startswith(expected)
    assert STRING not in done.removeprefix(expected).partition("__global__")[0] or "#ifdef" in text


def test_c_header_is_included_for_what_a_header_of_the_tree_calls() -> None:
    guarded = f"#ifndef A_H\n#define A_H\n#include <cstring>\n{COPY}#endif\n"
    files = {"a.cu": f'#include "a.h"\n{KERNEL}', "a.h": COPY}
    assert text_of(in_tree(files, "a.cu")).startswith(RUNTIME + STRING)
    files["a.h"] = guarded
    assert STRING not in text_of(in_tree(files, "a.cu"))
    files = {"a.cu": f'#include "a.h"\n{KERNEL}{COPY}', "a.h": guarded}
    assert STRING not in text_of(in_tree(files, "a.cu"))


def test_c_header_is_not_added_again_or_to_other_files() -> None:
    once = text_of(in_tree({"a.cu": KERNEL + COPY}, "a.cu"))
    assert text_of(in_tree({"a.cu": once}, "a.cu")) == once
    assert STRING not in text_of(in_tree({"a.cpp": COPY}, "a.cpp"))


def test_message_names_the_c_header_that_is_included() -> None:
    (found,) = in_tree({"a.cu": KERNEL + COPY}, "a.cu").diagnostics
    assert found.code == "INC006"
    assert found.message == (
        "hip/hip_runtime.h and string.h are included here,"
        " as nvcc included cuda_runtime.h by itself"
    )


@pytest.mark.parametrize("header", ["reduce", "details/reduce", "scan", "memcpy_async"])
@pytest.mark.parametrize("rocm", ["6.4", "7.1"])
def test_collectives_that_hip_lacks_are_told_without_contradiction(header: str, rocm: str) -> None:
    text = f"#include <cooperative_groups/{header}.h>\n".encode()
    done = hipify(SourceFile("a.cu", text), Target(rocm), Names.load(rocm))
    told = {found.code: found for found in done.diagnostics}
    error, note = told["INC002"], told["COG003"]
    assert (error.line, error.severity) == (1, "error")
    assert "hip/hip_cooperative_groups.h is included in place" in note.message
    is_defined = "reduce() is defined behind it" in note.message
    assert is_defined == (rocm == "7.1" and "reduce" in header)
    assert ("only reduce() is there" in error.message) == is_defined
    assert "no HIP header" not in error.message
    assert ("lacks what" in error.message) == (not is_defined)
