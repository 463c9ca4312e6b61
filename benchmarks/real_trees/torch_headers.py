"""Headers that PyTorch extensions need besides HIP's: torch's own for ROCm, and Thrust's.

The wheel carries `c10/cuda` and `ATen/cuda`; a ROCm build converts them to `c10/hip` and `ATen/hip`
with `torch.utils.hipify` before it compiles, and so does this.  Both converters that are compared
are given the result.  Its complex numbers need Thrust, which no wheel carries for HIP: Debian's
libthrust-dev (1.17, header only) is unpacked into the cache, not installed.

    python -m benchmarks.real_trees.torch_headers       makes the folder and prints its path
"""

import contextlib
import importlib.metadata
import importlib.util
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.real_trees.convert import load_peer
from benchmarks.real_trees.fetch import cache

# What torch's build converts (its tools/amd_build), as far as headers go.
_CONVERTED = (
    "c10/cuda/*",
    "ATen/cuda/*",
    "ATen/cudnn/*",
    "ATen/native/*",
    "torch/*",
)
# What only a GPU build of torch has: a header that it generates, and those of THC (THH for ROCm),
# which stand for others since torch 1.11 and which the peer includes.
_OF_GPU_BUILDS = {
    "c10/hip/impl/hip_cmake_macros.h": "#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n",
    "THH/THHAtomics.cuh": "#pragma once\n#include <ATen/hip/Atomic.cuh>\n",
    "THH/THHDeviceUtils.cuh": "#pragma once\n#include <ATen/hip/DeviceUtils.cuh>\n",
}
_TIMEOUT = 300


def torch_headers() -> Path:
    """Return the include folder, made once per torch version."""
    torch = importlib.util.find_spec("torch")
    if torch is None or not torch.submodule_search_locations:
        raise SystemExit("torch is not installed here; the benchmark extra has it")
    original = Path(torch.submodule_search_locations[0]) / "include"
    place = cache() / f"torch-{importlib.metadata.version('torch')}-rocm-headers"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".torch-") as folder:
            made = Path(folder) / "include"
            shutil.copytree(original, made)
            _convert(made)
            made.rename(place)
    for path, text in _OF_GPU_BUILDS.items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    return place


def _convert(folder: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        load_peer().hipify(
            project_directory=str(folder),
            output_directory=str(folder),
            includes=[f"{folder}/{pattern}" for pattern in _CONVERTED],
            extensions=(".cuh", ".h", ".hpp"),
            show_progress=False,
        )


def thrust_headers() -> Path | None:
    """Return the folder with Debian's Thrust headers, or None where apt has no such package."""
    place = cache() / "libthrust-dev"
    if place.is_dir():
        return place / "usr" / "include"
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".thrust-") as folder:
        apt = ["apt-get", "download", "--quiet=2", "libthrust-dev"]
        try:
            subprocess.run(apt, cwd=folder, capture_output=True, timeout=_TIMEOUT, check=True)
            archive = next(Path(folder).glob("*.deb"))
            unpack = ["dpkg-deb", "--extract", str(archive), str(Path(folder) / "out")]
            subprocess.run(unpack, capture_output=True, timeout=_TIMEOUT, check=True)
        except (OSError, subprocess.CalledProcessError, StopIteration):
            return None
        (Path(folder) / "out").rename(place)
    return place / "usr" / "include"


if __name__ == "__main__":
    print(torch_headers())
    print(thrust_headers())
    sys.exit(0)
