"""What is missing on this machine, told from what is wrong with the tree."""

import pytest

from porting.building.missing import Where, header_in_tree, missing
from porting.building.problems import Problem

HOME = "set CUDA_HOME to what `porting sysroot create --platform cuda` prints"
CONFIGURED = "-- Found CUDAToolkit: /usr/local/cuda/include (found version 13.0)\n"
CUDA = Where("cuda", output=CONFIGURED)
TARGET = 'Target "x" links to: CUDA::%s but the target was not found.'
MODULE = "Dependency lookup for cuda failed: Couldn't find requested CUDA module '%s'"


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("cublas_v2.h: No such file or directory", True),
        ("ModuleNotFoundError: No module named 'torch'", True),
        ("cannot find -lhipblas", True),
        ("Could not find NCCL_INCLUDE_DIR using the following files: nccl.h", True),
        ("Could not find CUDNN using the following names: cudnn", True),
        ('cannot open source file "cudnn.h"', True),
        ("src/lost.cpp: No such file or directory", False),
        ("undefined reference to `cudaMalloc'", False),
        ("'x' was not declared", False),
    ],
)
def test_missing_when_something_is_not_installed(text: str, *, absent: bool) -> None:
    assert (missing(Problem(text), Where("rocm")) is not None) is absent


@pytest.mark.parametrize(
    ("text", "help_text"),
    [
        (TARGET % "cublas", HOME),
        (TARGET % "cuda_driver", HOME),
        (TARGET % "nvml", HOME),
        (TARGET % "nppc", ""),
        (TARGET % "cufft_static_nocallback", ""),
        (MODULE % "cublas", HOME),
        (MODULE % "cudart_static", HOME),
        (MODULE % "nvjpeg", ""),
        ("cannot find -lcublas", HOME),
        ("cannot find -lopenblas", ""),
        ("cublas_v2.h: No such file or directory", HOME),
        ("cudnn.h: No such file or directory", ""),
    ],
)
def test_missing_when_the_toolkit_lacks_it(text: str, help_text: str) -> None:
    """The toolkit of this machine is not whole, and the one from wheels may have it."""
    found = missing(Problem(text, "CMakeLists.txt", 3), CUDA)
    assert found is not None
    assert (found.text, found.help) == (text, help_text)


@pytest.mark.parametrize(
    "text", [TARGET % "cublass", TARGET % "my_library", MODULE % "cublass"], ids=lambda text: text
)
def test_missing_when_no_toolkit_has_it(text: str) -> None:
    assert missing(Problem(text), CUDA) is None


def test_missing_when_the_tree_never_looked_for_the_toolkit() -> None:
    """No target is there then, whatever is installed."""
    assert missing(Problem(TARGET % "cublas"), Where("cuda")) is None


@pytest.mark.parametrize(
    "text",
    [
        "nvidia/helper.h: No such file or directory",
        "'helper.h' file not found",
        'cannot open source file "helper.h"',
    ],
)
def test_missing_when_the_tree_has_the_header(text: str) -> None:
    files = ("src/nvidia/helper.h", "src/myhelper.h", "a.cu")
    problem = Problem(text, "a.cu", 1)
    assert missing(problem, Where("rocm", files)) is None
    assert header_in_tree(problem, files) == "src/nvidia/helper.h"
    assert header_in_tree(problem, files[1:]) == ""
    assert missing(problem, Where("rocm", files[1:])) is not None


@pytest.mark.parametrize(
    ("platform", "text"),
    [
        ("rocm", "this PyTorch is not for ROCm: it is one for the CPU or for CUDA"),
        ("cuda", "this PyTorch is not for CUDA: it is one for the CPU or for ROCm"),
    ],
)
def test_missing_when_torch_is_not_for_the_platform(platform: str, text: str) -> None:
    said = (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install"
        " root."
    )
    found = missing(Problem(said, "setup.py", 1), Where(platform))
    assert found is not None
    assert found.text == text
    assert found.help.startswith("install PyTorch for ")
