"""Makefiles in the shapes of known projects: built for ROCm in both modes, the same for CUDA."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode, Target
from porting.elf import read_binary
from porting.port import PortRequest, port
from porting.toolkits.platforms import CUDA
from porting.toolkits.sysroot import Sysroot

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

KERNEL = """\
#include <cuda_runtime.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
extern "C" int run_scale(float* x) {
  scale<<<1, 32>>>(x);
  return cudaGetLastError();
}
"""
MAIN = """\
#include <cuda_runtime.h>
#include <cstdio>
extern "C" int run_scale(float* x);
int main() {
  int count = 0;
  int status = cudaGetDeviceCount(&count);
  std::printf("%d %d\\n", status, run_scale(nullptr));
}
"""
PARTS = {
    "one.cu": "#include <cuda_runtime.h>\n__device__ float twice(float x) { return 2 * x; }\n",
    "two.cu": """\
#include <cuda_runtime.h>
extern __device__ float twice(float x);
__global__ void scale(float* x) { x[0] = twice(x[0]); }
extern "C" int run_scale(float* x) {
  scale<<<1, 1>>>(x);
  return cudaGetLastError();
}
""",
}
# nvcc is looked for on PATH; kernels come by the rule's prerequisites.
FOUND = """\
NVCC := $(shell which nvcc 2>/dev/null)
FLAGS = --threads=0 -t=0 --use_fast_math -std=c++17
ifeq ($(NVCC),)
$(info no compiler)
else
TARGETS += app
endif
all: $(TARGETS)
build:
\tmkdir -p $@
app: main.cu k.cu | build
\t$(NVCC) $(FLAGS) $^ -lcublas -o $@
"""
# The host's options are handed on by functions, and a variable hides commands.
SAMPLE = """\
CUDA_PATH ?= /usr/local/cuda
NVCC := $(CUDA_PATH)/bin/nvcc -ccbin g++
CCFLAGS := -Wall
ALL := -m64 $(addprefix -Xcompiler ,$(CCFLAGS)) $(CCFLAGS:%=-Xcompiler %)
ALL += $(patsubst %,-Xcompiler %,$(EXTRA)) $(foreach f,$(CCFLAGS),-Xcompiler $(f))
LINK := $(ALL) $(addprefix -Xlinker ,$(LDFLAGS))
SMS ?= 75 80
$(foreach sm,$(SMS),$(eval GENCODE += -gencode arch=compute_$(sm),code=sm_$(sm)))
app: k.o main.o
\t$(EXEC) $(NVCC) $(LINK) $(GENCODE) -o $@ $+ -lcublas
%.o: %.cu
\t$(Q)$(NVCC) $(ALL) $(GENCODE) -o $@ -c $<
"""
# The runtime's name is in a variable.
NAMED = """\
CUDA_HOME ?= /usr/local/cuda
CUDA_LIB ?= $(CUDA_HOME)/lib64
NVCC ?= $(CUDA_HOME)/bin/nvcc
CUDARTLIB ?= cudart
FLAGS := -ccbin $(CXX) -gencode=arch=compute_80,code=sm_80 -std=c++14
LDFLAGS := -L${CUDA_LIB} -l${CUDARTLIB} -lrt
%.o: %.cu
\t$(NVCC) -o $@ $(FLAGS) -c $<
app: main.o k.o
\t$(NVCC) -o $@ $(FLAGS) $^ $(LDFLAGS:%=-Xlinker %)
"""
RELOCATABLE = """\
NVCC = nvcc
FLAGS = -O2 -arch=sm_80
all: app
%.o: %.cu
\t$(NVCC) $(FLAGS) -dc $< -o $@
app: one.o two.o main.o
\t$(NVCC) $(FLAGS) $^ -o $@
"""
# A file of its own has the folder; sources are in a variable, objects beside them.
INCLUDED = """\
include make.config
CC := $(CUDA_DIR)/bin/nvcc
SRC = main.cu k.o
app: $(SRC)
\t$(CC) $(SRC) -o $@ -I$(CUDA_DIR)/include -L$(CUDA_LIB_DIR)
k.o: k.cu
\t$(CC) -Xcompiler -fPIC -c $< -o $@
"""
# make's own rule compiles the host's source.
IMPLICIT = """\
NVCC := nvcc
CPPFLAGS += -I/usr/local/cuda/include
LDLIBS := -L/usr/local/cuda/lib64 -lcudart
app: main.o build/k.o
\t$(CXX) -o $@ $^ $(LDLIBS)
build/%.o: %.cu
\t@mkdir -p $(@D)
\t@$(NVCC) -arch=sm_80 $(CPPFLAGS) -c -o $@ $<
"""
# The shell decides; its words go before the command.
SHELL = """\
NVCC := nvcc
app: main.cu k.cu
\t@if command -v $(NVCC) >/dev/null; then \\
\t  $(NVCC) -O2 main.cu k.cu -o $@ -lcublas ; \\
\telse \\
\t  echo "no compiler"; \\
\tfi
"""
# A make in another folder is handed the compiler and its options.
OUTER = """\
export NVCC = nvcc
export NVCCFLAGS = -O3 -gencode arch=compute_80,code=sm_80
app: main.cu lib/k.o
\t$(NVCC) $(NVCCFLAGS) $^ -o app
lib/k.o:
\t$(MAKE) -C lib k.o
"""
INNER = "k.o: k.cu\n\t$(NVCC) $(NVCCFLAGS) -c $< -o $@\n"
CU = {"main.cu": MAIN, "k.cu": KERNEL}
TREES: dict[str, Mapping[str, str]] = {
    "found": {"Makefile": FOUND, **CU},
    "sample": {"Makefile": SAMPLE, **CU},
    "named": {"Makefile": NAMED, **CU},
    "relocatable": {"Makefile": RELOCATABLE, "main.cu": MAIN, **PARTS},
    "included": {
        "make.config": "CUDA_DIR = /usr/local/cuda\nCUDA_LIB_DIR := $(CUDA_DIR)/lib64\n",
        "Makefile": INCLUDED,
        **CU,
    },
    "shell": {"Makefile": SHELL, **CU},
    "recursive": {
        "Makefile": OUTER,
        "lib/Makefile": INNER,
        "lib/k.cu": KERNEL,
        "main.cu": MAIN,
    },
    "implicit": {"Makefile": IMPLICIT, "main.cpp": MAIN, "k.cu": KERNEL},
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("shape", TREES)
def test_shape_builds_for_rocm_and_finds_its_runtime(  # noqa: PLR0913, PLR0917
    make_tree: Callable[..., Path],
    tmp_path: Path,
    sysroot: Sysroot,
    program: Callable[[str], str],
    shape: str,
    mode: Mode,
) -> None:
    tree = tmp_path / "out"
    request = PortRequest(
        make_tree(TREES[shape]), tree, Target("7.1", ("gfx942",)), verify=False, mode=mode
    )
    found = [d for d in port(request).report.diagnostics if d.severity.value == "error"]
    assert found == []
    path = f"{sysroot.path}/bin:{os.environ['PATH']}"
    command = [program("make"), f"ROCM_PATH={sysroot.path}", "app"]
    kept = {"PATH": path, "GPU_PLATFORM": "rocm", "HOME": str(Path.home())}
    done = subprocess.run(
        command, cwd=tree, env=kept, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ran = subprocess.run(
        [str(tree / "app")], env={}, capture_output=True, text=True, timeout=50, check=False
    )
    assert (ran.stdout, ran.stderr) == ("100 100\n", "")
    (elf,) = read_binary(tree / "app").members
    assert set(elf.runpath or ()) == {f"{sysroot.path}/lib"}
    assert b"gfx942" in (tree / "app").read_bytes()


@pytest.mark.parametrize("shape", TREES)
def test_commands_for_cuda_are_the_same_as_before(
    convert: Convert, write: Write, tmp_path: Path, program: Callable[[str], str], shape: str
) -> None:
    home = tmp_path / "cuda"
    for name in (CUDA.headers[0], CUDA.libraries[0], "bin/nvcc"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch(mode=0o755)
    kept = {"PATH": f"{home}/bin:{os.environ['PATH']}", "GPU_PLATFORM": "cuda"}
    command = [program("make"), "-n", "app", f"CUDA_HOME={home}", f"CUDA_PATH={home}"]
    said = []
    before = tmp_path / "before"
    before.mkdir()
    for name, text in TREES[shape].items():
        (before / name).parent.mkdir(exist_ok=True)
        (before / name).write_text(text)
    for tree in (before, write(TREES[shape], convert(TREES[shape], Mode.COMPAT))):
        done = subprocess.run(
            command, cwd=tree, env=kept, capture_output=True, text=True, timeout=50, check=False
        )
        assert done.returncode == 0, done.stderr
        shown = done.stdout.replace(str(tree), "")
        said.append([line.split() for line in shown.splitlines()])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("name", "is_makefile"),
    [
        ("Makefile.cuda", True),
        ("makefile-linux", True),
        ("make.config", True),
        ("rules.make", True),
        ("Makefile.am", False),
        ("Makefile.in", False),
        ("make.py", False),
    ],
)
def test_files_of_make_are_known_by_their_names(
    convert: Convert, name: str, *, is_makefile: bool
) -> None:
    done = convert({name: "CUDA_DIR = /usr/local/cuda\n"})
    assert (name in done.outputs) is is_makefile
