"""Header names in no table: which look like NVIDIA's, and which are somebody's own."""

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.source import SourceFile

NAMES = Names.load("7.1")


def codes(line: str) -> list[str]:
    source = SourceFile("a.cu", f"{line}\n".encode())
    return [found.code for found in hipify(source, Target(), NAMES).diagnostics]


@pytest.mark.parametrize("name", ["cuda_buffers.cuh", "cuda_buffers.h", "cudaKernels.hpp"])
def test_quoted_header_when_named_with_cuda_is_somebodys_own(name: str) -> None:
    assert codes(f'#include "{name}"') == []


@pytest.mark.parametrize(
    "header", ["<cuda_buffers.h>", '"helper_cuda_gl.h"', '"cublasFuture.h"', "<cub/future.cuh>"]
)
def test_header_when_it_may_be_nvidias_is_a_warning(header: str) -> None:
    assert codes(f"#include {header}") == ["INC004"]
