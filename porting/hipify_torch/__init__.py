"""The interface of hipify_torch, which PyTorch ships as torch.utils.hipify, in front of our port.

Projects that hipify themselves switch by an import: `hipify_python` has the functions,
`cpp_extension` those of torch.utils.cpp_extension, `cmake/Hipify.cmake` the CMake function, and
`python -m porting.hipify_torch` takes the options of hipify_cli.py.

Interface and output layout: ROCm/hipify_torch (hipify_torch/v2, cmake/Hipify.cmake) and
torch.utils.hipify 2.0.0 in torch 2.13.
"""

# The release of the interface: projects compare torch.utils.hipify.__version__ with it.
__version__ = "2.0.0"
