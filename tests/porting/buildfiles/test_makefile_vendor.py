"""What Makefiles ask of NVIDIA's software: told at its line, and the file is converted."""

from collections.abc import Callable

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode

Convert = Callable[..., BuildFiles]


@pytest.mark.parametrize("mode", Mode)
def test_tool_that_make_asks_is_told_at_its_line(convert: Convert, mode: Mode) -> None:
    text = "CC = $(shell nvidia-smi --query-gpu=compute_cap | head -1)\na.o: a.cu\n\tnvcc -c $<\n"
    done = convert({"Makefile": text}, mode)
    (found,) = (d for d in done.diagnostics if d.severity.value == "warning")
    assert (found.code, found.line) == ("BLD161", 1)
    assert "Makefile" in done.outputs


TOOLS = {
    "\t@nvidia-smi": (5, "BLD161", "nvidia-smi"),
    "\t-nvidia-smi -L": (5, "BLD161", "nvidia-smi"),
    "\t@-$(Q)nvidia-smi -L": (5, "BLD161", "nvidia-smi"),
    "\tcuobjdump -sass -arch=sm_80 app": (5, "BLD161", "cuobjdump"),
    "\t$(CUDA_HOME)/bin/cuobjdump -sass app": (5, "BLD161", "cuobjdump"),
    "\tmake a && nvidia-smi": (5, "BLD161", "nvidia-smi"),
    "\tmake a; nvidia-smi -q": (5, "BLD161", "nvidia-smi"),
    "\tmake a \\\n\t  || sudo nvidia-smi": (6, "BLD161", "nvidia-smi"),
    "\tcat a | nvdisasm -": (5, "BLD161", "nvdisasm"),
    "\t@if command -v nvidia-smi >/dev/null; then ./a; fi": (5, "BLD161", "nvidia-smi"),
    '\t@echo "$$(nvidia-smi -L | wc -l)"': (5, "BLD161", "nvidia-smi"),
    "\t@n=`nvidia-smi -L | wc -l`; ./a $$n": (5, "BLD161", "nvidia-smi"),
    "\t./a $(shell nvidia-smi -L)": (5, "BLD161", "nvidia-smi"),
    "\ttest -e /dev/nvidia0": (5, "BLD160", "/dev/nvidia0"),
    "\tdocker run -e NVIDIA_VISIBLE_DEVICES=all a": (5, "BLD163", "NVIDIA_VISIBLE_DEVICES"),
    "SMI := nvidia-smi": (5, "BLD161", "nvidia-smi"),
    "N != nvidia-smi -L | wc -l": (5, "BLD161", "nvidia-smi"),
    "ifneq ($(shell which nvidia-smi),)\nendif": (5, "BLD161", "nvidia-smi"),
    "define look\n@nvidia-smi\nendef": (6, "BLD161", "nvidia-smi"),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("text", TOOLS)
def test_what_nvidias_software_is_asked_is_told_and_the_file_is_converted(
    convert: Convert, text: str, mode: Mode
) -> None:
    start = "CUDA_HOME ?= /usr/local/cuda\na.o: a.cu\n\tnvcc -c $<\nlook:\n"
    done = convert({"Makefile": f"{start}{text}\n"}, mode)
    line, code, word = TOOLS[text]
    (found,) = (d for d in done.diagnostics if d.code not in ("BLD013", "BLD015"))
    assert (found.line, found.code) == (line, code)
    assert word in found.message
    kept = text.replace("CUDA_HOME", "ROCM_PATH") if mode is Mode.RENAME else text
    assert kept in done.outputs["Makefile"].decode()


@pytest.mark.parametrize("mode", Mode)
def test_compiler_that_is_handed_an_answer_of_nvidias_tool_is_converted(
    convert: Convert, mode: Mode
) -> None:
    text = 'a.o: a.cu\n\tnvcc -arch=sm_80 -DN="$$(nvidia-smi -L)" -c $<\n'
    done = convert({"Makefile": text}, mode)
    assert [d.code for d in done.diagnostics if d.severity.value != "note"] == ["BLD161"]
    made = done.outputs["Makefile"].decode()
    assert '-DN="$$(nvidia-smi -L)"' in made
    assert "sm_80" not in made


@pytest.mark.parametrize("said", ["needs an NVIDIA GPU", "for sm_80", "see nvidia-smi"])
def test_what_a_command_says_is_no_reason_to_leave_the_file(convert: Convert, said: str) -> None:
    text = f'a.o: a.cu\n\t@echo "{said}" >&2\n\tnvcc -c $<\n'
    done = convert({"Makefile": text})
    assert done.diagnostics == ()
    assert f'\t@echo "{said}" >&2\n' in done.outputs["Makefile"].decode()


def test_text_for_a_file_that_names_cuda_keeps_the_makefile(convert: Convert) -> None:
    text = 'a.o: a.cu\n\techo "-L/opt/x -lnvml" > a.rsp\n\tnvcc -c $<\n'
    assert [d.code for d in convert({"Makefile": text}).diagnostics] == ["BLD010"]


def test_makefile_without_cuda_tells_what_it_asks_of_nvidias_tools(convert: Convert) -> None:
    done = convert({"Makefile": "look:\n\t@nvidia-smi -L\n"})
    assert [(d.code, d.line) for d in done.diagnostics] == [("BLD161", 2)]
    assert done.outputs == {}


def test_makefile_that_asks_amds_tools_too_is_not_told(convert: Convert) -> None:
    done = convert({"Makefile": "look:\n\t@nvidia-smi -L || amd-smi list\n"})
    assert done.diagnostics == ()
