"""Write gpu.mk of a tree: the platform, and each variable that differs between the vendors."""

from collections.abc import Iterable, Sequence

from porting.buildfiles.make.rewriting import Difference
from porting.buildfiles.model import BuildContext
from porting.buildfiles.shell.generate import NAME as DETECT
from porting.toolkits.platforms import PLATFORMS, SELECTOR

NAME = "gpu.mk"
_HEAD = """
# Where this file is, also for a make in another folder that is handed options by this one; the
# detection script lies beside it.  In a path with blanks make knows no absolute names.
GPU_FILE := $(lastword $(MAKEFILE_LIST))
GPU_FOLDER := $(dir $(if $(word 2,$(CURDIR)),$(GPU_FILE),$(abspath $(GPU_FILE))))

GPU_ANSWER := $(shell {environment} \\
  sh $(GPU_FOLDER){detect})
ifeq ($(firstword $(GPU_ANSWER)),error)
$(error $(wordlist 2,$(words $(GPU_ANSWER)),$(GPU_ANSWER)))
endif
{selector} := $(firstword $(GPU_ANSWER))
GPU_HOME := $(word 2,$(GPU_ANSWER))

ifeq ($({selector}),rocm)
GPU_ARCHS ?= {archs}
HIPCC ?= $(firstword $(wildcard $(GPU_HOME)/bin/hipcc $(GPU_HOME)/llvm/bin/clang++) hipcc)
# Sources name CUDA; this gives them HIP under CUDA's names.
GPU_COMPILER = $(HIPCC) --rocm-path=$(GPU_HOME) -Wno-unused-command-line-argument \\
  -include $(GPU_FOLDER)cuda_to_hip.h -isystem $(GPU_FOLDER)include
"""


def gpu_mk(context: BuildContext, inputs: Sequence[str], differences: Sequence[Difference]) -> str:
    """Return the file's text."""
    names = (SELECTOR, *(name for platform in PLATFORMS for name in platform.variables))
    environment = " ".join(f"{name}='$({name})'" for name in names)
    head = _HEAD.format(
        environment=environment,
        detect=DETECT,
        selector=SELECTOR,
        archs=" ".join(context.target.archs),
    )
    parts = [context.banner(inputs), head]
    parts += _lines((d.name, d.rocm) for d in differences)
    parts += ["else\n", *_lines((d.name, d.cuda) for d in differences), "endif\n"]
    return "".join(parts)


def _lines(values: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name} = {value}".rstrip() + "\n" for name, value in values]
