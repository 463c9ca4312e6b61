"""Build rowops._C; switch the import between torch.utils and porting.hipify_torch."""

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="rowops",
    version="0.1",
    packages=["rowops"],
    ext_modules=[
        CUDAExtension(
            name="rowops._C",
            sources=["csrc/bindings.cpp", "csrc/pointers.cpp", "csrc/row_kernels.cu"],
            include_dirs=["csrc"],
            extra_compile_args={
                "cxx": ["-O2"],
                "nvcc": [
                    "-O2",
                    "--use_fast_math",
                    "-lineinfo",
                    "--expt-relaxed-constexpr",
                    "-Xptxas=-v",
                    "-U__CUDA_NO_HALF_OPERATORS__",
                    "-DROWOPS_CUDA_THREADS=512",
                ],
            },
        ),
    ],
    cmdclass={"build_ext": BuildExtension},
)
