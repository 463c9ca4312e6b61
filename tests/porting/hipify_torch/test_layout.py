"""Where hipified files go: the paths that torch.utils.hipify 2.0.0 gives."""

import pytest

from porting.errors import InputError
from porting.hipify_torch.hipify_python import get_hip_file_path

# path, that of an extension, that of PyTorch's own build
LAYOUT = (
    ("a.cu", "a.hip", "hip/a.hip"),
    ("a.cuh", "a_hip.cuh", "hip/a.cuh"),
    ("csrc/a.cpp", "csrc/a_hip.cpp", "csrc/hip/a.cpp"),
    ("csrc/a_cuda.cpp", "csrc/a_hip.cpp", "csrc/hip/a_hip.cpp"),
    ("csrc/cuda/a.cu", "csrc/hip/a.hip", "csrc/hip/a.hip"),
    ("csrc/cuda/a.h", "csrc/hip/a.h", "csrc/hip/a.h"),
    ("csrc/CUDA/mixed_cuda.cuh", "csrc/HIP/mixed_hip.cuh", "csrc/HIP/mixed_hip.cuh"),
    ("src/THCx/THCTensor.h", "src/THHx/THHTensor.h", "src/THHx/THHTensor.h"),
    ("caffe2/core/THC.cu", "caffe2/core/THC.hip", "caffe2/core/hip/THC.hip"),
    ("torch/csrc/cuda/a.cpp", "torch/csrc/hip/a.cpp", "torch/csrc/cuda/a.cpp"),
    ("third_party/nvfuser/x.cu", "third_party/nvfuser/x.hip", "third_party/nvfuser/x.cu"),
    ("cuda_ops/kernel.cu", "hip_ops/kernel.hip", "hip_ops/kernel.hip"),
    ("my.cuda.cu", "my.hip.hip", "hip/my.hip.hip"),
    ("ops/hip/a.cpp", "ops/hip/a_hip.cpp", "ops/hip/hip/a.cpp"),
    ("a.b/c.d.cc", "a.b/c.d_hip.cc", "a.b/hip/c.d.cc"),
    ("version.h.in", "version.h_hip.in", "hip/version.h.in"),
    ("cudaHelper.hpp", "hipHelper.hpp", "hip/hipHelper.hpp"),
)


@pytest.mark.parametrize(("path", "extension", "own"), LAYOUT)
def test_files_go_where_torch_puts_them(path: str, extension: str, own: str) -> None:
    assert get_hip_file_path(path, is_pytorch_extension=True) == extension
    assert get_hip_file_path(path) == own


def test_a_file_outside_the_output_folder_stays_in_its_folder() -> None:
    """Torch writes ../cuda_project/a.cu into a new folder ../hip_project."""
    path = get_hip_file_path("../../cuda_project/cuda/a.cu", is_pytorch_extension=True)
    assert path == "../../cuda_project/cuda/a.hip"


def test_an_absolute_path_is_an_error() -> None:
    with pytest.raises(InputError, match=r"/a\.cu is absolute"):
        get_hip_file_path("/a.cu")
