"""Makefiles: read without loss, ported for ROCm, or given their differences in gpu.mk."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.buildfiles import BuildFiles
from porting.buildfiles.make.syntax import Kind, read
from porting.buildfiles.make.words import split
from porting.config import Mode
from porting.toolkits.platforms import CUDA

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

MAKEFILE = """\
# For CUDA_HOME=/usr/local/cuda
CUDA_HOME ?= /usr/local/cuda
NVCC = $(CUDA_HOME)/bin/nvcc
SMS ?= 70 80
GENCODE := $(foreach sm,$(SMS),-gencode arch=compute_$(sm),code=sm_$(sm))
NVCCFLAGS := -O3 $(GENCODE) --expt-relaxed-constexpr \\
  -Xcompiler "-fPIC -Wall" -ccbin $(CXX)
CXXFLAGS += -I$(CUDA_HOME)/include   # host
LDLIBS = -L${CUDA_HOME}/lib64 -lcudart -lcufft -lm

ifeq ($(DEBUG),1)
NVCCFLAGS += -G
endif

app: main.o kernel.o
	@echo linking && $(CXX) $^ -o $@ $(LDLIBS)

kernel.o: kernel.cu
	$(NVCC) $(NVCCFLAGS) -c $< -o $@

main.o: main.cpp
	$(CXX) $(CXXFLAGS) -c $< -o $@
"""
ROCM = """\
# For ROCM_PATH=/opt/rocm
ROCM_PATH ?= /opt/rocm
HIPCC = $(ROCM_PATH)/bin/hipcc
SMS ?= gfx90a gfx942
GENCODE := $(addprefix --offload-arch=,$(SMS))
HIPCCFLAGS := -O3 $(GENCODE) -fPIC -Wall
CXXFLAGS += -I$(ROCM_PATH)/include -D__HIP_PLATFORM_AMD__   # host
LDLIBS = -L$(ROCM_PATH)/lib -Wl,-rpath,$(ROCM_PATH)/lib -lamdhip64 -lhipfft -lm

ifeq ($(DEBUG),1)
HIPCCFLAGS += -g
endif

app: main.o kernel.o
	@echo linking && $(CXX) $^ -o $@ $(LDLIBS)

kernel.o: kernel.cu
	$(HIPCC) -x hip $(HIPCCFLAGS) -c $< -o $@

main.o: main.cpp
	$(CXX) $(CXXFLAGS) -c $< -o $@
"""


def words(text: str) -> list[str]:
    """Return a text's words line by line, as a shell sees them."""
    joined = text.replace("\\\n", " ")
    return [" ".join(line.split()) for line in joined.splitlines()]


def test_makefile_is_rocms_in_rename_mode(convert: Convert) -> None:
    done = convert({"Makefile": MAKEFILE})
    assert words(done.outputs["Makefile"].decode()) == words(ROCM)
    assert done.generated == {}


@pytest.fixture
def commands(program: Callable[[str], str]) -> Callable[..., list[list[str]]]:
    """Return a function that asks make for its commands."""
    make = program("make")

    def asked(folder: Path, *arguments: str) -> list[list[str]]:
        done = subprocess.run(
            [make, "-n", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [shlex.split(line) for line in done.stdout.replace("\\\n", " ").splitlines()]

    return asked


def tree(root: Path) -> None:
    """Add the sources and a folder of CUDA's."""
    for name in ("kernel.cu", "main.cpp", f"cuda/{CUDA.headers[0]}", f"cuda/{CUDA.libraries[0]}"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


@pytest.mark.parametrize("more", [(), ("DEBUG=1", "SMS=90"), ("NVCC=nvcc", "app")])
def test_commands_stay_for_cuda_in_compat_mode(
    convert: Convert,
    write: Write,
    commands: Callable[..., list[list[str]]],
    tmp_path: Path,
    more: tuple[str, ...],
) -> None:
    files = {"Makefile": MAKEFILE}
    new = write(files, convert(files, Mode.COMPAT))
    old = tmp_path / "old"
    old.mkdir()
    (old / "Makefile").write_text(MAKEFILE)
    tree(old)
    tree(new)
    home = f"CUDA_HOME={new / 'cuda'}"
    expected = commands(old, home, *more)
    assert commands(new, home, "GPU_PLATFORM=cuda", *more) == expected
    assert len(expected) == 3


def test_commands_are_rocms_in_compat_mode_when_rocm_is_chosen(
    convert: Convert, write: Write, commands: Callable[..., list[list[str]]], tmp_path: Path
) -> None:
    files = {"Makefile": MAKEFILE}
    new = write(files, convert(files, Mode.COMPAT))
    tree(new)
    rocm = tmp_path / "rocm"
    for name in ("include/hip/hip_runtime_api.h", "lib/libamdhip64.so"):
        (rocm / name).parent.mkdir(parents=True)
        (rocm / name).touch()
    given = ("GPU_PLATFORM=rocm", f"ROCM_PATH={rocm}", "HIPCC=hipcc", "GPU_ARCHS=gfx1100")
    found = {command[-1]: command for command in commands(new, *given) if "echo" not in command}
    kernel = " ".join(found["kernel.o"])
    assert kernel.startswith(f"hipcc --rocm-path={rocm} ")
    folder = new / "eclosion"
    assert f"-include {folder}/cuda_to_hip.h -isystem {folder}/include" in kernel
    assert kernel.endswith("-x hip -O3 --offload-arch=gfx1100 -fPIC -Wall -c kernel.cu -o kernel.o")
    assert f"-I{rocm}/include" in found["main.o"]


def test_error_of_the_detection_stops_make(convert: Convert, write: Write) -> None:
    files = {"Makefile": MAKEFILE}
    new = write(files, convert(files, Mode.COMPAT))
    command = ["make", "-n", "GPU_PLATFORM=metal"]
    done = subprocess.run(command, cwd=new, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 2
    message = "GPU_PLATFORM=metal is none of cuda, rocm, none; set it to one of these or unset it"
    assert message in done.stderr


def test_options_that_eval_adds_become_rocms(convert: Convert) -> None:
    line = "$(foreach s,$(SMS),$(eval CODE += -gencode arch=compute_$(s),code=sm_$(s)))"
    text = f"SMS = 70 80\n{line}\nall:\n\tnvcc $(CODE) -c a.cu\n"
    new = convert({"Makefile": text}).outputs["Makefile"].decode()
    assert "\n$(eval CODE += --offload-arch=gfx90a --offload-arch=gfx942)\nall:" in new
    both = convert({"Makefile": text}, Mode.COMPAT)
    assert "\n$(GPU_CODE)\nall:" in both.outputs["Makefile"].decode()
    assert f"GPU_CODE = {line}\n" in both.generated["eclosion/gpu.mk"]


def test_folder_of_rocm_is_set_when_the_makefile_set_none(convert: Convert) -> None:
    new = convert({"Makefile": "a: a.cu\n\tnvcc a.cu -o a\n"}).outputs["Makefile"].decode()
    assert new == (
        "ROCM_PATH ?= /opt/rocm\n\na: a.cu\n\thipcc --offload-arch=gfx90a --offload-arch=gfx942"
        " -x hip a.cu -x none -o a"
        " -L$(ROCM_PATH)/lib -Wl,-rpath,$(ROCM_PATH)/lib -lamdhip64\n"
    )


@pytest.mark.parametrize("mode", Mode)
def test_second_run_changes_nothing(convert: Convert, mode: Mode) -> None:
    once = convert({"Makefile": MAKEFILE}, mode).outputs["Makefile"]
    assert convert({"Makefile": once}, mode).outputs == {}


REFUSED = {
    "device link": ("all:\n\tnvcc -arch=sm_80 -dlink a.o -o b.o\n", 2),
    "cudnn": ("LDLIBS = -lcudart -lcudnn_ops_infer_static -lnvinfer\n", 1),
    "define": ("define build\nnvcc -c $(1)\nendef\nall:\n\t$(call build,x.cu)\n", 1),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", REFUSED)
def test_makefile_stays_with_an_error_when_a_part_has_no_counterpart(
    convert: Convert, name: str, mode: Mode
) -> None:
    text, line = REFUSED[name]
    done = convert({"Makefile": text}, mode)
    assert done.outputs == {}
    assert done.generated == {}
    failed = [found for found in done.diagnostics if found.severity.value == "error"]
    assert line in [found.line for found in failed]
    assert {found.topic for found in failed} == {"build-system"}


@pytest.mark.parametrize("text", ["CXX = g++\nall:\n\t$(CXX) a.cpp\n", "all:\n\thipcc a.hip\n"])
def test_makefile_stays_when_nothing_is_cudas(convert: Convert, text: str) -> None:
    assert convert({"Makefile": text}).outputs == {}


def test_makefile_that_knows_rocm_stays(convert: Convert) -> None:
    done = convert({"Makefile": f"ROCM_PATH ?= /opt/rocm\n{MAKEFILE}"})
    assert done.outputs == {}
    assert [found.code for found in done.diagnostics] == ["BLD011"]


def test_reader_knows_the_kinds_of_lines() -> None:
    text = (
        "A ?= x # c\n\nexport B := $(subst :,=,$(A))\\\n y\nt: C += z\nifdef A\nendif\n"
        "define D\na: b\n\tc\nendef\nx y: z | w\n\tcmd a=b\n"
    )
    kinds = [(line.kind, line.name) for line in read(text)]
    assert kinds == [
        (Kind.ASSIGNMENT, "A"),
        (Kind.BLANK, ""),
        (Kind.ASSIGNMENT, "B"),
        (Kind.ASSIGNMENT, "C"),
        (Kind.DIRECTIVE, ""),
        (Kind.DIRECTIVE, ""),
        (Kind.DEFINE, ""),
        (Kind.RULE, ""),
        (Kind.RECIPE, ""),
    ]
    first = next(iter(read(text)))
    assert text[first.value : first.stop] == "x"


_PIECES = st.sampled_from(
    [
        *("A", " ", "\t", "\n", "=", ":=", ":", "#", "$", "$(", ")", "${", "}", "\\", "\\\n"),
        *("define X", "endef", "'", '"', "nvcc", "-c", "é", "include", "\r\n", ";", "&&"),
    ]
)


@given(st.lists(_PIECES, max_size=25).map("".join))
def test_lines_joined_are_the_text_again_and_words_lie_in_it(text: str) -> None:
    lines = list(read(text))
    assert "".join(text[line.start : line.end] for line in lines) == text
    for line in lines:
        assert line.start <= line.value <= line.stop <= line.end
        for shell in (True, False):
            for word in split(text, line.value, line.stop, shell=shell):
                assert text[word.start : word.end] == word.text
