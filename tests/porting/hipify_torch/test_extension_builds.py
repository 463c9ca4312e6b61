"""A PyTorch extension of our own, built for ROCm through torch: with our import, and with torch's.

data/extension is built against a stand-in for a ROCm torch, rocm_torch.py, which has torch's own
Python and headers: host code by gcc, device code by clang for three architectures.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot
from tests.porting.hipify_torch.rocm_torch import MissingPartError, RocmTorch, make

ROOT = Path(__file__).resolve().parents[3]
EXTENSION = Path(__file__).parent / "data" / "extension"
ARCHITECTURES = ("gfx90a", "gfx942", "gfx1100")
THEIR_IMPORT = "from torch.utils.cpp_extension import"
OUR_IMPORT = "from porting.hipify_torch.cpp_extension import"
# What gcc and clang say of what torch's hipify leaves: members and constants that are named by
# pasting or in no table, handles, options of nvcc.
LEFT_TO_COMPILERS = (
    r"pointers_hip\.cpp.*'const struct rowops::Driver' has no member named 'cuGetErrorString_'",
    r"pointers_hip\.cpp.*has no member named 'cuPointerGetAttribute_'",
    r"pointers_hip\.cpp.*'CU_POINTER_ATTRIBUTE_RANGE_SIZE' was not declared",
    r"pointers_hip\.cpp.*'reinterpret_cast' from type 'const void\*' to type 'hipDeviceptr_t'",
    r"unknown argument: '--use_fast_math'",
    r"unknown argument: '--expt-relaxed-constexpr'",
    r"unknown argument: '-Xptxas=-v'",
)
# The same of its kernels, once the options are left out.
LEFT_IN_KERNELS = (
    r"'sizeof\(unsigned int\) == 8': The mask must be a 64-bit integer",
    r"no matching function for call to 'hipFuncSetAttribute'",
    r"use of undeclared identifier '__hmax2'",
)
KERNEL = """\
#include <cuda_runtime.h>
__global__ void pairs(float* x) {
  x[threadIdx.x] += __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1);
}
extern "C" int run(float* x, cudaStream_t stream) {
  pairs<<<1, 256, 0, stream>>>(x);
  return static_cast<int>(cudaGetLastError());
}
"""
LOAD = """
import ctypes
built = load(
    "pairs", ["pairs.cu"], extra_cuda_cflags=["--use_fast_math", "-lineinfo"],
    build_directory="out", is_python_module=False,
)
print("status", ctypes.CDLL("out/pairs.so").run(None, None))
"""
CALLS = """
import rowops, torch
x = torch.ones(2, 2)
for call in (
    lambda: rowops.rms_norm(x, x[0]),
    lambda: rowops._C.shared_memory_limit(0),
    lambda: rowops._C.bytes_behind(x),
):
    try:
        call()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("torch_extension"),
]


@dataclass(frozen=True)
class Build:
    """A folder in which setup.py ran, its exit status, and what it said."""

    folder: Path
    status: int
    log: str

    def module(self) -> Path:
        """Return the extension module that was built."""
        return next((self.folder / "rowops").glob("_C*.so"))

    def options(self, name: str) -> list[str]:
        """Return a variable of the build file that torch wrote."""
        text = next((self.folder / "build").rglob("build.ninja")).read_text()
        found = re.search(rf"^{name} = (.*)$", text, re.MULTILINE)
        assert found, text
        return found[1].split()


@pytest.fixture(scope="module")
def rocm_torch(
    sysroot: Sysroot,
    tmp_path_factory: pytest.TempPathFactory,
    missing: Callable[[str], NoReturn],
) -> RocmTorch:
    """Return the stand-in for a torch for ROCm."""
    try:
        return make(tmp_path_factory.mktemp("torch"), sysroot)
    except MissingPartError as error:
        missing(str(error))


def build(torch: RocmTorch, folder: Path) -> Build:
    """Build the extension of a folder in place; every unit is tried though another fails."""
    done = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=folder,
        env=torch.environment(PYTORCH_ROCM_ARCH=";".join(ARCHITECTURES), MAX_JOBS="3", LC_ALL="C"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=800,
        check=False,
    )
    return Build(folder, done.returncode, done.stdout)


@pytest.fixture(scope="module")
def ours(rocm_torch: RocmTorch, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the build whose setup.py imports ours, and differs in nothing else."""
    folder = tmp_path_factory.mktemp("ours") / "extension"
    shutil.copytree(EXTENSION, folder)
    script = (folder / "setup.py").read_text()
    assert script.count(THEIR_IMPORT) == 1
    (folder / "setup.py").write_text(script.replace(THEIR_IMPORT, OUR_IMPORT))
    return build(rocm_torch, folder)


@pytest.fixture(scope="module")
def theirs(rocm_torch: RocmTorch, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the build as it is for CUDA, which torch hipifies itself."""
    folder = tmp_path_factory.mktemp("theirs") / "extension"
    shutil.copytree(EXTENSION, folder)
    return build(rocm_torch, folder)


def audited(module: Path) -> list[str]:
    """Return the architectures whose code a module holds."""
    command = ["-m", "porting", "link", "audit", "--format", "json", "--platform", "rocm"]
    done = subprocess.run(
        [sys.executable, *command, "--arch", ",".join(ARCHITECTURES), str(module)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["summary"]["error"] == 0, done.stdout
    (file,) = report["files"]
    assert file["follows"] == "rocm"
    return sorted(target for code in file["device_code"] for target in code["targets"])


def said_by(module_folder: Path, torch: RocmTorch) -> list[str]:
    """Return what the extension's functions say on a machine without a GPU."""
    environment = torch.environment()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CALLS],
        env={**environment, "PYTHONPATH": f"{module_folder}:{environment['PYTHONPATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_extension_is_valid_for_cuda(
    cuda_home: CudaHome, tmp_path: Path, missing: Callable[[str], NoReturn]
) -> None:
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        missing("torch is not installed")
    generated = tmp_path / "c10" / "cuda" / "impl" / "cuda_cmake_macros.h"  # by a build for CUDA
    generated.parent.mkdir(parents=True)
    generated.write_text("#pragma once\n#define C10_CUDA_BUILD_SHARED_LIBS\n")
    headers = Path(torch.origin).parent / "include"
    folders = ("-Icsrc", f"-I{tmp_path}", f"-I{headers}", f"-I{cuda_home.path / 'include'}")
    general = ("-std=c++20", *folders, "-w", "-c", "-o", str(tmp_path / "unit.o"))
    for unit in (
        [str(cuda_home.nvcc), "-arch=sm_80", "--expt-relaxed-constexpr", "csrc/row_kernels.cu"],
        ["g++", "csrc/pointers.cpp"],
    ):
        subprocess.run([*unit, *general], cwd=EXTENSION, check=True, timeout=300)


def test_our_import_builds_host_and_device_code(ours: Build) -> None:
    assert ours.status == 0, ours.log
    assert audited(ours.module()) == sorted(ARCHITECTURES)


def test_our_build_is_loaded_and_called(ours: Build, rocm_torch: RocmTorch) -> None:
    checked, runtime, driver = said_by(ours.folder, rocm_torch)
    assert checked == "x must be a CUDA tensor"
    assert runtime.startswith("hipDeviceGetAttribute(")
    assert runtime.endswith(": hipErrorNoDevice")
    assert driver == "cuPointerGetAttribute: hipErrorNoDevice"


def test_our_build_has_clangs_options_and_the_projects_own_names(ours: Build) -> None:
    options = ours.options("cuda_post_cflags")
    assert "-DROWOPS_CUDA_THREADS=512" in options
    assert "-ffast-math" in options
    assert "-U__HIP_NO_HALF_OPERATORS__" in options
    assert not {"--use_fast_math", "-lineinfo", "--expt-relaxed-constexpr"}.intersection(options)
    assert "no option of nvcc" not in ours.log


def test_torchs_hipify_leaves_errors(theirs: Build) -> None:
    assert theirs.status != 0
    for pattern in LEFT_TO_COMPILERS:
        assert re.search(pattern, theirs.log), f"{pattern} is not in:\n{theirs.log}"


def test_torchs_hipify_leaves_errors_in_kernels(theirs: Build, rocm_torch: RocmTorch) -> None:
    flags = [
        option
        for name in ("cuda_cflags", "cuda_post_cflags")
        for option in theirs.options(name)
        if option not in ("--use_fast_math", "--expt-relaxed-constexpr", "-Xptxas=-v", "-lineinfo")
        and not option.startswith("--offload-arch=")
    ]
    limits = ("--offload-arch=gfx90a", "-fsyntax-only", "-w", "-ferror-limit=0")
    done = subprocess.run(
        [str(rocm_torch.rocm / "bin" / "hipcc"), *flags, *limits, "csrc/row_kernels.hip"],
        cwd=theirs.folder,
        env=rocm_torch.environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0
    for pattern in LEFT_IN_KERNELS:
        assert re.search(pattern, done.stderr), f"{pattern} is not in:\n{done.stderr}"
    # Nothing is said of what is wrong in silence; see the next test.
    assert "votes" not in done.stderr


def test_torchs_hipify_leaves_what_is_wrong_in_silence(theirs: Build, ours: Build) -> None:
    # 64 votes in 32 bits: lanes 32 to 63 of a wavefront are lost, and shifts go too far.
    kernels = (theirs.folder / "csrc" / "row_kernels.hip").read_text()
    assert "const unsigned votes = __ballot_sync(__activemask(), is_outlier);" in kernels
    assert "__popc(votes & ((1u << lane) - 1))" in kernels
    # The project's own macro gets another name on the command line than in its headers.
    assert "-DROWOPS_HIP_THREADS=512" in theirs.options("cuda_post_cflags")
    assert "ROWOPS_CUDA_THREADS" in (theirs.folder / "csrc" / "hip" / "common.cuh").read_text()

    ported = (ours.folder / "csrc" / "row_kernels.hip").read_text()
    assert "static_cast<unsigned>(__ballot(is_outlier) >> (__lane_id() & 32))" in ported
    assert "__popcll(votes & ((1ull << lane) - 1))" in ported


def test_a_ported_tree_builds_and_loads_with_torchs_own_import(
    rocm_torch: RocmTorch, tmp_path: Path
) -> None:
    command = ["-m", "porting", "port", str(EXTENSION), "-o", str(tmp_path / "out"), "--build"]
    done = subprocess.run(
        [sys.executable, *command, "--arch", "gfx90a,gfx1100"],
        cwd=tmp_path,
        env=rocm_torch.environment(),
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    # Warnings: what reads the votes has to be looked at, and clang alone has no headers of torch.
    assert done.returncode == 1, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "rocm build: 1 verified, 0 failed, 0 not verified" in said
    assert "rocm load: 1 verified, 0 failed, 0 not verified" in said


@pytest.fixture
def load(
    rocm_torch: RocmTorch, tmp_path: Path
) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Return a function that runs a script with a `load`, beside a small kernel."""
    (tmp_path / "pairs.cu").write_text(KERNEL)
    (tmp_path / "out").mkdir()

    def run(script: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            cwd=tmp_path,
            env=rocm_torch.environment(PYTORCH_ROCM_ARCH=";".join(ARCHITECTURES), LC_ALL="C"),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def test_load_builds_and_loads_with_our_import(
    load: Callable[[str], "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    done = load(f"{OUR_IMPORT} load{LOAD}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "status 100"  # hipErrorNoDevice
    assert audited(tmp_path / "out" / "pairs.so") == sorted(ARCHITECTURES)


def test_load_fails_with_torchs_own(
    load: Callable[[str], "subprocess.CompletedProcess[str]"],
) -> None:
    done = load(f"{THEIR_IMPORT} load{LOAD}")
    assert done.returncode != 0
    assert "unknown argument: '--use_fast_math'" in done.stderr
    done = load(f"{THEIR_IMPORT} load{LOAD}".replace('"--use_fast_math", ', ""))
    assert done.returncode != 0
    assert "The mask must be a 64-bit integer" in done.stderr
