"""The variables by which CMake is told of CUDA's toolkit, compiler and options."""

# Properties that HIP has too: CUDA_STANDARD of a target is HIP_STANDARD, and so is the variable.
SAME_FOR_HIP = (
    "STANDARD",
    "STANDARD_REQUIRED",
    "EXTENSIONS",
    "COMPILER_LAUNCHER",
    "VISIBILITY_PRESET",
)
# For regular expressions.
CMAKE_VARIABLE = r"(?:CMAKE_CUDA_\w+|CUDA_TOOLKIT_ROOT_DIR|CUDAToolkit_ROOT)"
