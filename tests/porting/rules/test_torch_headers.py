"""PyTorch's headers: its ROCm build has them under other names."""

import pytest

from porting.config import Target
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.rules import collect_project
from porting.rules.torch_headers import is_removed, rocm_header
from porting.source import SourceFile

NAMES = Names.load("7.1")


def port(text: str, *others: str) -> Hipified:
    """Port a file of a tree that has other, empty files."""
    source = SourceFile("csrc/op.cu", text.encode())
    tree = collect_project([source, *(SourceFile(path, b"\n") for path in others)])
    return hipify(source, Target(), NAMES, tree)


@pytest.mark.parametrize(
    ("cuda", "rocm"),
    [
        ("ATen/cuda/CUDAContext.h", "ATen/hip/HIPContext.h"),
        ("ATen/cuda/Exceptions.h", "ATen/hip/Exceptions.h"),
        ("ATen/cuda/Atomic.cuh", "ATen/hip/Atomic.cuh"),
        ("ATen/cuda/detail/CUDAHooks.h", "ATen/hip/detail/HIPHooks.h"),
        ("ATen/cuda/PhiloxCudaState.h", "ATen/hip/PhiloxCudaState.h"),
        ("ATen/native/cuda/KernelUtils.cuh", "ATen/native/hip/KernelUtils.cuh"),
        ("ATen/native/sparse/cuda/SparseCUDABlas.h", "ATen/native/sparse/hip/SparseHIPBlas.h"),
        ("c10/cuda/CUDAGuard.h", "c10/hip/HIPGuard.h"),
        ("c10/cuda/CUDAException.h", "c10/hip/HIPException.h"),
        ("c10/cuda/impl/cuda_cmake_macros.h", "c10/hip/impl/hip_cmake_macros.h"),
        ("THC/THCAtomics.cuh", "ATen/hip/Atomic.cuh"),
        ("torch/csrc/cuda/nccl.h", None),
        ("ATen/ops/abs_cuda_dispatch.h", None),
        ("ATen/cudnn/Handle.h", None),
        ("ATen/hip/HIPContext.h", None),
        ("THC/THC.h", None),
    ],
)
def test_rocm_header_when_torch_renames_cuda_to_hip(cuda: str, rocm: str | None) -> None:
    assert rocm_header(cuda) == rocm


@pytest.mark.parametrize("quotes", ["<>", '""'])
def test_include_when_torch_has_it_for_hip_names_that(quotes: str) -> None:
    first, last = quotes[0], quotes[1]
    done = port(f"#include {first}c10/cuda/CUDAStream.h{last}  // streams\n")

    assert done.data.decode() == f"#include {first}c10/hip/HIPStream.h{last}  // streams\n"
    assert not done.diagnostics
    assert port(done.data.decode()).data == done.data


def test_include_when_two_become_one_stands_once() -> None:
    done = port("#include <THC/THCAtomics.cuh>\n#include <ATen/cuda/Atomic.cuh>\nint x;\n")

    assert done.data == b"#include <ATen/hip/Atomic.cuh>\nint x;\n"


def test_names_of_torch_when_its_rocm_build_declares_them_stay() -> None:
    text = (
        "void f(int d) {\n"
        "  c10::cuda::CUDAGuard guard(d);\n"
        "  auto s = at::cuda::getCurrentCUDAStream();\n"
        "  C10_CUDA_CHECK(0);\n  AT_CUDA_CHECK(0);\n  C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
        "}\n"
    )
    done = port(text)

    assert done.data.decode() == text
    assert not done.diagnostics


def test_include_when_the_tree_has_the_header_itself_stays() -> None:
    text = "#include <c10/cuda/CUDAGuard.h>\n"

    assert port(text, "c10/cuda/CUDAGuard.h").data.decode() == text


def test_include_of_thc_when_torch_dropped_it_is_an_error() -> None:
    done = port("#include <THC/THC.h>\n")

    assert is_removed("THC/THC.h")
    assert [(d.code, d.symbol) for d in done.diagnostics] == [("INC001", "THC/THC.h")]
    assert "ATen/cuda" in done.diagnostics[0].help
