"""What is given twice in a Makefile, or is taken out of it: no word and no blank is left over."""

from collections.abc import Callable

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode

Convert = Callable[..., BuildFiles]
RULE = "a.o: a.cu\n\tnvcc $(G) $(F) -c $< -o $@\n"
ARCHS = "--offload-arch=gfx90a --offload-arch=gfx942"
G70, G80 = "-gencode arch=compute_70,code=sm_70", "-gencode arch=compute_80,code=sm_80"
REPEATED = {
    f"G := {G70}\nG += {G80}\nG += {G80}\n": f"G := {ARCHS}\n",
    f"G := {G70}\nG += {G80} -O2\n": f"G := {ARCHS}\nG += -O2\n",
    f"G += {G70}\nG += {G80} # new\n": f"G += {ARCHS}\nG += # new\n",
    f"ifdef A\nG += {G70}\nG += {G80}\nendif\n": f"ifdef A\nG += {ARCHS}\nendif\n",
    f"G = {G70}\nifdef A\nG += {G80}\nendif\n": f"G = {ARCHS}\nifdef A\nendif\n",
}
KEPT = {
    f"ifdef A\nG += {G70}\nelse\nG += {G80}\nendif\n": 2,
    f"ifdef A\nG += {G70}\nendif\nG += {G80}\n": 2,
    f"G ?= {G70}\nG += {G80}\n": 2,
    f"G = {G70}\nifdef A\nG =\nendif\nG += {G80}\n": 2,
    f"x: G = {G70}\nG += {G80}\n": 2,
}


@pytest.mark.parametrize("text", REPEATED)
def test_architectures_stand_once_where_a_variable_is_appended_to(
    convert: Convert, text: str
) -> None:
    made = convert({"Makefile": text + RULE}).outputs["Makefile"].decode()
    assert made.startswith(REPEATED[text] + "a.o:")


@pytest.mark.parametrize("text", REPEATED)
def test_architectures_of_cuda_are_all_there_in_a_tree_for_both(
    convert: Convert, text: str
) -> None:
    done = convert({"Makefile": text + RULE}, Mode.COMPAT)
    rocm, _, cuda = done.generated["eclosion/gpu.mk"].partition("\nelse\n")
    assert rocm.count("= $(addprefix --offload-arch=,$(GPU_ARCHS))") == 1
    assert cuda.count("-gencode") == text.count("-gencode")


@pytest.mark.parametrize("text", KEPT)
def test_architectures_stand_again_where_the_first_are_not_sure(
    convert: Convert, text: str
) -> None:
    made = convert({"Makefile": text + RULE}).outputs["Makefile"].decode()
    assert made.count(ARCHS) == KEPT[text]


def test_command_whose_variable_has_architectures_after_a_condition_gets_no_more(
    convert: Convert,
) -> None:
    text = f"ifdef A\nF = -O2\nendif\nG = {G70}\n{RULE}"
    made = convert({"Makefile": text}).outputs["Makefile"].decode()
    assert made.count(ARCHS) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-g -G", "-g"),
        ("-G -g", "-g"),
        ("-g -O2 -G", "-g -O2"),
        ("-G -lineinfo -g", "-gline-tables-only -g"),
        ("-g -lineinfo -G", "-g -gline-tables-only -g"),
        ("-fPIC -Xcompiler -fPIC", "-fPIC"),
        ("-O2 -O0 -Xcompiler -O2", "-O2 -O0 -O2"),
        ("-la -lb -Xcompiler -la", "-la -lb -la"),
    ],
)
def test_option_that_is_said_already_is_not_said_again(
    convert: Convert, before: str, after: str
) -> None:
    done = convert({"Makefile": f"F = {before}\n{RULE}"})
    assert done.outputs["Makefile"].decode().startswith(f"F = {after}\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_no_blank_is_left_where_options_are_taken_out(convert: Convert, newline: str) -> None:
    text = """\
A = -O2 --expt-relaxed-constexpr
B = --expt-relaxed-constexpr --expt-extended-lambda
C = -O2 --expt-extended-lambda --expt-relaxed-constexpr # both
D = -O2 \\
\t--expt-relaxed-constexpr \\
\t-DX \\
\t--expt-extended-lambda
a.o: a.cu
\tnvcc -O2 -c $< -o $@ --expt-relaxed-constexpr
b.o: b.cu
\tcd b && nvcc -O2 -c b.cu --expt-relaxed-constexpr ; touch $@
"""
    kept = """\
A = -O2
B =
C = -O2 # both
D = -O2 \\
\t-DX
a.o: a.cu
"""
    done = convert({"Makefile": text.replace("\n", newline)})
    made = done.outputs["Makefile"].decode().replace(newline, "\n")
    assert made.startswith(kept)
    assert " -c $< -o $@\nb.o:" in made
    assert made.endswith(" -c b.cu; touch $@\n")
