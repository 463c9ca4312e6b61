"""Facts about a tree: what it declares, which headers bring the runtime, its switch for ROCm."""

import pytest

from porting.rules import Project, collect_project
from porting.rules.declared import declared_in
from porting.source import SourceFile


def project(files: dict[str, str]) -> Project:
    return collect_project(SourceFile(path, text.encode()) for path, text in files.items())


@pytest.mark.parametrize(
    "text",
    [
        "#define CUDA_X 1",
        "# define CUDA_X(a) a",
        "struct CUDA_X {};",
        "enum class CUDA_X : int { a };",
        "using CUDA_X = int;",
        "typedef struct { int a; } CUDA_X;",
        "enum E {\n  A = 1,  // first\n  CUDA_X = 2,\n};",
        "int CUDA_X(int a);",
        "const float* CUDA_X(int a) {",
        "std::vector<int> CUDA_X(int a) {",
        "static int CUDA_X = 3;",
        "extern const int CUDA_X;",
        "int (*CUDA_X)(int) = 0;",
        "typedef int (CUDAAPI *CUDA_X)(int);",
    ],
)
def test_declaration_is_found_by_its_shape_for(text: str) -> None:
    assert "CUDA_X" in set(declared_in(text + "\n"))


@pytest.mark.parametrize(
    "text",
    [
        "f(CUDA_X);",
        "return CUDA_X(1);",
        "int a = CUDA_X;",
        "x = CUDA_X(1);",
        "// struct CUDA_X is\n",
        "/* #define CUDA_X 1 */",
        "// copy the rest\n\n  CUDA_X(a, b);",
        '"struct CUDA_X";',
        "#ifdef CUDA_X\n#endif",
        "CUDA_X a;",
        "my_CUDA_X(1);",
        "operator CUDA_X() const;",
        "sizeof CUDA_X;",
    ],
)
def test_use_is_no_declaration_for(text: str) -> None:
    assert "CUDA_X" not in set(declared_in(text + "\n"))


def test_headers_that_bring_the_runtime_are_found_through_others() -> None:
    found = project(
        {
            "inc/a.h": '#include "b.h"\n',
            "inc/b.h": "#include <cuda_runtime.h>\n",
            "inc/c.cuh": "__global__ void k();\n",
            "inc/d.h": '#include "c.cuh"\n',
            "inc/e.h": "int x;\n",
        }
    )
    assert found.runtime_headers == {"inc/a.h", "inc/b.h"}
    assert found.bare_headers == {"inc/c.cuh", "inc/d.h"}


def test_headers_that_include_each_other_end() -> None:
    found = project({"a.h": '#include "b.h"\n', "b.h": '#include "a.h"\n#include <cuda.h>\n'})
    assert found.runtime_headers == {"a.h", "b.h"}


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef RADEON\n#include <hip/hip_runtime.h>\n#else\n#include <cuda.h>\n#endif\n",
        "#if defined(RADEON)\n// HIP\n#define X\n#include <hip/hip_runtime.h>\n#endif\n",
    ],
)
def test_macro_under_which_hip_is_included_is_the_projects_switch(text: str) -> None:
    assert project({"a.h": text}).platform_macros == ("RADEON",)


def test_member_and_function_that_hold_handles_are_known_unless_ambiguous() -> None:
    found = project(
        {
            "a.h": '#include "b.h"\nstruct A { CUdeviceptr base; CUdeviceptr both; };\n'
            "CUdeviceptr get(int i);\n",
            "b.h": "struct B { float* both; };\n",
        }
    )
    assert found.handle_members == {"base": "CUdeviceptr"}
    assert found.handle_functions == {"get": "CUdeviceptr"}


def test_tree_that_looks_up_symbols_is_known() -> None:
    assert project({"a.c": "void* f = dlsym(h, cuda_name);\n"}).looks_up_symbols
    assert not project({"a.c": "void* f = cuda_f(h);\n"}).looks_up_symbols


def test_paths_hold_every_file_once() -> None:
    found = collect_project([SourceFile("a.cu", b"")], ["a.cu", "b.txt"])
    assert found.files == {"a.cu", "b.txt"}
