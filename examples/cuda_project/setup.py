"""Build libtidepool with nvcc and put it beside the Python module."""

import os
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
CUDA_HOME = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
ARCHITECTURES = os.environ.get("TIDEPOOL_ARCH", "80;90").split(";")


class NvccBuild(build_ext):
    """Compile every unit with nvcc and link one shared library."""

    def build_extension(self, ext: Extension) -> None:
        """Write the library where the package looks for it."""
        target = Path(self.get_ext_fullpath(ext.name)).parent / "libtidepool.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in ARCHITECTURES]
        subprocess.run(
            [
                str(CUDA_HOME / "bin" / "nvcc"),
                "-shared",
                "-std=c++17",
                "-O2",
                "-Xcompiler",
                "-fPIC",
                *codes,
                *(f"-I{directory}" for directory in ext.include_dirs),
                "-x",
                "cu",
                *ext.sources,
                "-o",
                str(target),
                f"-L{CUDA_HOME / 'lib64'}",
                "-lcudart_static",
                "-lcublas",
                "-ldl",
            ],
            check=True,
        )


setup(
    name="tidepool",
    version="0.3",
    package_dir={"": "python"},
    packages=["tidepool"],
    ext_modules=[
        Extension(
            "tidepool._library",
            sources=sorted(
                str(path.relative_to(ROOT))
                for pattern in ("kernels/*.cu", "src/*.cpp")
                for path in ROOT.glob(pattern)
            ),
            include_dirs=["include", os.environ.get("NCCL_HOME", "/usr") + "/include"],
        )
    ],
    cmdclass={"build_ext": NvccBuild},
)
