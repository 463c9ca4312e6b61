"""Makefiles that say little: what a ROCm build needs is there whatever CUDA's went without."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode
from porting.verify.commands import Compiler
from porting.verify.sources import Language, SourceTree, Unit

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

ARCHS = "--offload-arch=gfx90a --offload-arch=gfx942"
FOLDER = "-L$(ROCM_PATH)/lib -Wl,-rpath,$(ROCM_PATH)/lib"
SHARED = "NVCC ?= nvcc\nlibk.so: k.cu\n\t$(NVCC) -shared -Xcompiler -fPIC $< -o $@ -lcudart\n"


def commands(text: bytes) -> list[str]:
    """Return the commands of a Makefile."""
    return [line.strip() for line in text.decode().splitlines() if line.startswith("\t")]


def test_architectures_and_run_path_are_given_when_the_makefile_names_neither(
    convert: Convert,
) -> None:
    new = convert({"Makefile": SHARED}).outputs["Makefile"]
    expected = f"$(HIPCC) {ARCHS} -shared -fPIC -x hip $< -x none -o $@ -lamdhip64 {FOLDER}"
    assert commands(new) == [expected]
    assert new.startswith(b"ROCM_PATH ?= /opt/rocm\n")


def test_architectures_and_run_path_are_gpu_mks_in_compat_mode(convert: Convert) -> None:
    both = convert({"Makefile": SHARED}, Mode.COMPAT)
    generated = both.generated["eclosion/gpu.mk"]
    assert "$(addprefix --offload-arch=,$(GPU_ARCHS))" in generated
    assert "-lamdhip64 -L$(GPU_HOME)/lib -Wl,-rpath,$(GPU_HOME)/lib" in generated


@pytest.mark.parametrize(
    ("setting", "given"),
    [
        ("FLAGS = -O2", False),
        ("FLAGS = -arch=sm_80", True),
        ("ifdef SM\nFLAGS = -arch=sm_$(SM)\nendif", False),
        ("ifdef SM\nFLAGS = -arch=sm_$(SM)\nelse\nFLAGS = -arch=sm_80\nendif", True),
        ("ifdef A\nFLAGS = -arch=sm_70\nelse ifdef B\nFLAGS = -arch=sm_80\nendif", False),
    ],
)
def test_command_gets_architectures_when_its_variables_may_not_have_them(
    convert: Convert, setting: str, *, given: bool
) -> None:
    text = f"{setting}\nk.o: k.cu\n\tnvcc $(FLAGS) -c k.cu -o k.o\n"
    new = convert({"Makefile": text}).outputs["Makefile"]
    (command,) = commands(new)
    assert command == ("hipcc -x hip " + ("" if given else f"{ARCHS} ") + "$(FLAGS) -c k.cu -o k.o")


def test_architectures_of_an_included_file_are_not_given_again(convert: Convert) -> None:
    files = {
        "config.mk": "NVCC = nvcc\nNVCCFLAGS = -arch=sm_80\n"
        "LIBS = -L/usr/local/cuda/lib64 -lcudart\n",
        "src/Makefile": "include ../config.mk\nk: k.o\n\t$(CXX) k.o -o k $(LIBS)\n"
        "k.o: k.cu\n\t$(NVCC) $(NVCCFLAGS) -c k.cu -o k.o\n",
    }
    done = convert(files)
    assert commands(done.outputs["src/Makefile"]) == [
        "$(CXX) k.o -o k $(LIBS)",
        "$(HIPCC) -x hip $(HIPCCFLAGS) -c k.cu -o k.o",
    ]


LINKS = {
    "in the command": ("", "g++ a.o -o a -lcudart", f"g++ a.o -o a -lamdhip64 {FOLDER}"),
    "in a variable": (
        "LIBS = -lcudart\n",
        "g++ a.o -o a $(LIBS)",
        f"g++ a.o -o a $(LIBS) {FOLDER}",
    ),
    "folder elsewhere": (
        "LDFLAGS = -L$(CUDA_HOME)/lib64\n",
        "g++ $(LDFLAGS) a.o -o a -lcudart",
        "g++ $(LDFLAGS) a.o -o a -lamdhip64",
    ),
    "folder by another name": (
        "LIB = $(CUDA_HOME)/lib64\n",
        "g++ a.o -o a -L$(LIB) -lcudart",
        f"g++ a.o -o a -L$(LIB) -lamdhip64 {FOLDER}",
    ),
    "run path in its own words": (
        "",
        "g++ a.o -o a -L/usr/local/cuda/lib64 -Wl,-rpath,/usr/local/cuda/lib64 -lcudart",
        f"g++ a.o -o a {FOLDER} -lamdhip64",
    ),
    "stubs too": (
        "",
        "g++ a.o -o a -L/usr/local/cuda/lib64 -L/usr/local/cuda/lib64/stubs -lcudart -lcuda",
        f"g++ a.o -o a {FOLDER} -lamdhip64 -lamdhip64",
    ),
    "no link": ("LIBS = -lcudart\n", "g++ $(LIBS) -c a.cpp", "g++ $(LIBS) -c a.cpp"),
}


@pytest.mark.parametrize("name", LINKS)
def test_link_has_one_run_path(convert: Convert, name: str) -> None:
    setting, command, expected = LINKS[name]
    new = convert({"Makefile": f"{setting}# nvcc\na: a.o\n\t{command}\n"}).outputs["Makefile"]
    assert commands(new) == [expected]


def test_variable_gets_the_run_path_when_only_makes_own_rules_use_it(convert: Convert) -> None:
    text = "LDLIBS = -lcudart\na: a.o k.o\nk.o: k.cu\n\tnvcc -c k.cu -o k.o\n"
    new = convert({"Makefile": text}).outputs["Makefile"].decode()
    assert f"\nLDLIBS = {FOLDER} -lamdhip64\n" in new


@pytest.mark.parametrize("command", ["install -m 755 k /bin", "g++ -m64 -G k.cpp", "tar -t 4 -f k"])
@pytest.mark.parametrize("mode", Mode)
def test_options_of_other_programs_stay(convert: Convert, command: str, mode: Mode) -> None:
    text = f"TOOL = {command}\nk: k.cu\n\tnvcc k.cu -o k\n\t{command}\n"
    new = convert({"Makefile": text}, mode).outputs["Makefile"].decode()
    assert new.endswith(f"\n\t{command}\n")
    assert f"TOOL = {command}\n" in new


PKG_CONFIG = """\
V ?= 12.4
CFLAGS = $(shell pkg-config --cflags cuda-$(V) opencv)
LIBS := $(shell pkg-config --libs cudart-12.4 cublas-12.4)
a: a.o
\tg++ a.o -o a $(LIBS)
k.o: k.cu
\tnvcc $(CFLAGS) -c k.cu -o k.o
"""


def test_packages_of_cuda_are_options_when_pkg_config_is_asked(convert: Convert) -> None:
    new = convert({"Makefile": PKG_CONFIG}).outputs["Makefile"].decode()
    include = "-I$(ROCM_PATH)/include -D__HIP_PLATFORM_AMD__"
    assert f"\nCFLAGS = $(shell pkg-config --cflags opencv) {include}\n" in new
    assert f"\nLIBS := {FOLDER} -lamdhip64 -lhipblas\n" in new
    assert "\n\tg++ a.o -o a $(LIBS)\n" in new


def test_packages_of_cuda_are_refused_when_a_shell_asks(convert: Convert) -> None:
    text = "k: k.cu\n\tnvcc k.cu -o k `pkg-config --libs cudart-12.4`\n"
    done = convert({"Makefile": text})
    assert done.outputs == {}
    assert 2 in [one.line for one in done.diagnostics if one.severity.value == "error"]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("text", [SHARED, PKG_CONFIG, LINKS["stubs too"][1]])
def test_second_run_changes_nothing(convert: Convert, text: str, mode: Mode) -> None:
    text = text if "\n" in text else f"# nvcc\na: a.o\n\t{text}\n"
    once = convert({"Makefile": text}, mode).outputs["Makefile"]
    assert convert({"Makefile": once}, mode).outputs == {}


@pytest.mark.parametrize("mode", Mode)
def test_verification_sees_relocatable_code_in_both_modes(
    convert: Convert, write: Write, mode: Mode
) -> None:
    files = {"Makefile": "k: k.o\n\tnvcc k.o -o k\nk.o: k.cu\n\tnvcc -dc k.cu -o k.o\n"}
    tree = write(files, convert(files, mode))
    tools = SimpleNamespace(path="clang"), SimpleNamespace(include="include", path="rocm")
    toolchain: Any = SimpleNamespace(clang=tools[0], sysroot=tools[1], system_includes=frozenset())
    compiler = Compiler(toolchain, SourceTree(tree))
    command = compiler.device(Unit("k.cu", Language.HIP), "gfx942", tree / "k")
    assert "-fgpu-rdc" in command
