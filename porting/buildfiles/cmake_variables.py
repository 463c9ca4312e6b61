"""The variables by which CMake is told of CUDA's toolkit, compiler and options."""

# For regular expressions.
CMAKE_VARIABLE = r"(?:CMAKE_CUDA_\w+|CUDA_TOOLKIT_ROOT_DIR|CUDAToolkit_ROOT)"
