"""A build file that nobody can read is left alone, with an error at its line; bytes are kept."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode
from porting.diagnostics import Severity
from porting.source import UTF8_BOM

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

BROKEN = {
    "cmake, cut off": ("CMakeLists.txt", "find_package(CUDA", 1, "the ( of find_package is never"),
    "cmake, bracket": ("CMakeLists.txt", "set(A [=[\nfind_package(CUDA)\n", 1, "[=[ is never"),
    "cmake, comment": ("a.cmake", "set(A b)\n#[[\nfind_package(CUDA)\n", 2, "#[[ is no command"),
    "cmake, quote": ("CMakeLists.txt", 'project(x)\nset(CUDA_NVCC_FLAGS "-O3)\n', 2, '" is never'),
    "cmake, one too many": ("CMakeLists.txt", "project(x CUDA))\n", 1, ") is no command"),
    "meson, parenthesis": ("meson.build", "project('x',\n'cuda'", 1, "the ( is never closed"),
    "meson, bracket": ("meson.build", "project('x')\nlibrary('x', ['a.cu')\n", 2, "closes nothing"),
    "meson, string": ("meson.build", "project('x',\n'cuda)\n", 2, "the string is never closed"),
    "make, reference": ("Makefile", "a:\n\t$(NVCC -c a.cu\n", 2, "$(NVCC is never closed"),
    "make, nested": ("Makefile", "F = $(foreach s,8,-arch $(s)\na:\n\tnvcc\n", 1, "$(foreach is"),
    "make, condition": ("Makefile", "ifdef X\na:\n\tnvcc -c a.cu\n", 1, "ifdef has no endif"),
    "make, endif": ("Makefile", "a:\n\tnvcc -c a.cu\nendif\n", 3, "endif has no condition"),
    "make, define": ("Makefile", "X = nvcc\ndefine Y\n$(X)\n", 2, "define has no endef"),
    "make, quote": ("Makefile", "a:\n\tnvcc -c 'a.cu\n", 2, "the quote ' is never closed"),
    "cargo, brace": ("build.rs", 'fn main() {\nlink("-L/usr/local/cuda");\n', 1, "the { is never"),
    "cargo, string": ("build.rs", 'fn main() {\nf("-L/usr/local/cuda);\n}\n', 2, "the string is"),
    "cargo, comment": ("build.rs", 'fn main() {}\n/* f("-lcudart");\n', 2, "the comment is never"),
    "cargo, raw": ("build.rs", 'fn main() { f(r#"-lcudart"); }\n', 1, "the string is never"),
    "cargo, one too many": ("build.rs", 'fn main() {\nf("-lcudart"));\n}\n', 2, ") closes nothing"),
    "python": ("setup.py", "import os\nX = os.environ['CUDA_HOME'\n", 2, "is left alone"),
    "bazel": ("BUILD", 'load()\nx(copts = ["-Xcompiler\n', 2, "this one is unchanged"),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("case", BROKEN)
def test_unreadable_file_is_an_error_at_its_line_when_it_names_cuda(
    convert: Convert, case: str, mode: Mode
) -> None:
    path, text, line, message = BROKEN[case]
    done = convert({path: text}, mode)
    assert not done.outputs
    assert not done.generated
    (found,) = done.diagnostics
    assert (found.severity, found.line) == (Severity.ERROR, line)
    assert message in found.message
    assert "left alone" in found.message or "unchanged" in found.message


@pytest.mark.parametrize("case", [c for c in BROKEN if c not in ("bazel", "python")])
def test_unreadable_file_says_nothing_when_it_does_not_name_cuda(
    convert: Convert, case: str
) -> None:
    path, text, _, _ = BROKEN[case]
    for name, other in (("cuda", "zlib"), ("cudart", "z"), ("nvcc", "gcc"), (".cu", ".cc")):
        text = text.replace(name, other).replace(name.upper(), other.upper())
    assert convert({path: text}).diagnostics == ()


QUOTED = """\
FLAGS = it's
all: a.o
\t@echo "it's $$(basename "$(NVCC)") isn't" # don't
\t@echo 'a"b' \\" `date "+%Y"` $(subst ',x,$(FLAGS))
\tfor f in 1; do \\
\t  echo "$$f" # can't \\
\t; done; nvcc -c a.cu
"""


def test_quotes_of_a_makefile_are_read_as_the_shell_does(convert: Convert) -> None:
    done = convert({"Makefile": QUOTED})
    assert [d for d in done.diagnostics if d.severity is Severity.ERROR] == []


LINES = """\
all: ; @nvcc --help >/dev/null; echo $(words $(A) $(B))
A = 1
\tB = 2
\tifdef A
\tC = 3
\tendif
other:
ifdef C
\t@echo $(C)
endif
"""


def test_tabs_begin_commands_only_in_a_rule(
    convert: Convert, write: Write, program: Callable[[str], str]
) -> None:
    files = {"Makefile": LINES.replace("nvcc --help", "true -lcudart -lm")}
    tree = write(files, convert(files))
    done = subprocess.run(
        [program("make"), "all", "other"],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.stdout.split() == ["2", "3"], done.stderr
    assert "true" in (tree / "Makefile").read_text()
    assert "-lcudart" not in (tree / "Makefile").read_text()


def test_command_behind_a_rule_is_converted(convert: Convert) -> None:
    done = convert({"Makefile": "a.o: a.cu ; nvcc -arch=sm_80 -c $< -o $@\n"})
    assert done.outputs["Makefile"].decode() == (
        "a.o: a.cu ; hipcc -x hip --offload-arch=gfx90a --offload-arch=gfx942 -c $< -o $@\n"
    )


def test_commands_begin_with_what_a_makefile_says(convert: Convert) -> None:
    done = convert({"Makefile": ".RECIPEPREFIX = >\na.o: a.cu\n>nvcc -arch=sm_80 -c $< -o $@\n"})
    assert b">hipcc -x hip --offload-arch=gfx90a" in done.outputs["Makefile"]


WHOLE = {
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.18)
project(x LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(a a.cu b.cpp)
set_target_properties(a PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math -lineinfo>)
target_link_libraries(a CUDA::cudart CUDA::cublas)
add_custom_command(OUTPUT x.o COMMAND ${CMAKE_CUDA_COMPILER} -c ${X} -o x.o)
""",
    "legacy/CMakeLists.txt": """\
find_package(CUDA REQUIRED)
set(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS} -O3 -gencode arch=compute_80,code=sm_80)
cuda_add_library(a a.cu)
target_link_libraries(a ${CUDA_CUBLAS_LIBRARIES})
""",
    "Makefile": "NVCC = nvcc\nNVCCFLAGS = -arch=sm_80\na.o: a.cu\n\t$(NVCC) $(NVCCFLAGS) -c $<\n",
    "commented/Makefile": "# Kernels\nCUDA_HOME ?= /usr/local/cuda\nL = -L$(CUDA_HOME)/lib64\n",
    "meson.build": """\
project('x', 'cuda')
add_project_arguments('-lineinfo', language: 'cuda')
library('x', ['a.cu', 'b.cpp'], dependencies: dependency('cuda'))
""",
    "setup.py": """\
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, CUDAExtension
setup(ext_modules=[CUDAExtension("x", ["a.cu"], include_dirs=[CUDA_HOME])])
""",
    "late/setup.py": 'x = 1\nimport os\ny = os.environ["CUDA_HOME"]\n',
    "build.rs": """\
fn main() {
    println!("cargo:rustc-link-lib=cudart");
    println!("cargo:rustc-link-lib=cublas");
}
""",
    "searched/build.rs": """\
use std::env;
fn main() {
    let root = env::var("CUDA_HOME").unwrap();
    println!("cargo:rustc-link-search=native={root}/lib64");
    println!("cargo:rustc-link-lib=cudart");
}
""",
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("mark", [b"", UTF8_BOM])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("path", WHOLE)
def test_mark_stays_first_and_lines_end_as_before(
    convert: Convert, path: str, newline: str, mark: bytes, mode: Mode
) -> None:
    plain = convert({path: WHOLE[path]}, mode)
    given = mark + WHOLE[path].replace("\n", newline).encode()
    done = convert({path: given}, mode)
    expected = plain.outputs[path].decode().replace("\n", newline)
    assert done.outputs[path] == mark + expected.encode()
    places = [(d.code, d.line, d.column) for d in done.diagnostics]
    assert places == [(d.code, d.line, d.column) for d in plain.diagnostics]
