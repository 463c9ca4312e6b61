"""The way in for users of torch.utils.cpp_extension, with a torch that only looks like one.

data/fake_torch says what torch would build with; test_extension_builds.py has the real torch.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
FAKE = Path(__file__).parent / "data" / "fake_torch"
KERNEL = """\
#include <cuda_runtime.h>
__global__ void sum(float* x) {
  float value = __shfl_down_sync(0xffffffff, x[threadIdx.x], 1);
  x[threadIdx.x] = value;
  __syncwarp();
}
"""
IMPORT = """\
import json, sys
from porting.hipify_torch.cpp_extension import BuildExtension, CUDAExtension, load, load_inline
import porting.hipify_torch.cpp_extension as ours
import torch.utils.cpp_extension as theirs
from torch.utils.hipify import hipify_python
def say(value): print(json.dumps(value))
def error(call):
    try:
        call()
    except Exception as error:
        say([type(error).__name__, str(error)])
"""
Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a script with the fake torch and returns what it says.

    The script starts in a folder with a kernel, sum.cu.
    """
    (tmp_path / "sum.cu").write_text(KERNEL)

    def run(script: str, hip: str = "7.1.25424-abc", **environment: str) -> Any:  # noqa: ANN401
        done = subprocess.run(
            [sys.executable, "-c", IMPORT + script],
            cwd=tmp_path,
            env={
                "PATH": "/usr/bin:/bin",
                "PYTHONPATH": f"{FAKE}:{REPOSITORY}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "FAKE_HIP": hip,
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout.splitlines()[-1])
        return (said, done.stderr) if environment.get("STDERR") else said

    return run


def test_an_extension_is_hipified_by_us_when_torch_is_for_rocm(run: Run, tmp_path: Path) -> None:
    sources, ran = run(
        """
made = CUDAExtension("m", ["sum.cu"])
say([made.sources, hipify_python.ran])
"""
    )
    assert sources == ["sum.hip"]
    assert ran == []
    text = (tmp_path / "sum.hip").read_text()
    assert "__shfl_down(x[threadIdx.x], 1, 32)" in text
    assert "#include <hip/hip_runtime.h>" in text


def test_options_and_libraries_become_rocms(run: Run) -> None:
    options, libraries, linked = run(
        """
made = CUDAExtension(
    "m",
    ["sum.cu"],
    libraries=["cublas", "mine"],
    extra_link_args=["-lcurand"],
    extra_compile_args={
        "cxx": ["-O2"],
        "nvcc": ["--use_fast_math", "-gencode", "arch=compute_80,code=sm_80", "-DM_CUDA_N=2"],
    },
)
say([BuildExtension().finish(made), made.arguments["libraries"], made.arguments["extra_link_args"]])
"""
    )
    assert options == {"cxx": ["-O2"], "nvcc": ["-ffast-math", "-DM_CUDA_N=2"]}
    assert libraries == ["hipblas", "mine"]
    assert linked == ["-lhiprand"]


def test_options_are_translated_once_and_what_is_dropped_for_a_reason_is_said(run: Run) -> None:
    options, stderr = run(
        """
options = {"nvcc": ["-Xptxas=-v", "--not-of-nvcc"]}
say(BuildExtension().finish(CUDAExtension("m", ["sum.cu"], extra_compile_args=options)))
""",
        STDERR="1",
    )
    assert options["nvcc"] == ["-Rpass-analysis=kernel-resource-usage", "--not-of-nvcc"]
    assert stderr.count("no option of nvcc 13") == 1
    assert "--not-of-nvcc: no option of nvcc 13" in stderr


def test_options_are_translated_when_the_extension_is_torchs_own(run: Run) -> None:
    options = run(
        """
made = theirs.Extension("m", ["a.cpp"], extra_compile_args={"nvcc": ["-lineinfo", "-DA_CUDA"]})
say(BuildExtension().finish(made))
"""
    )
    assert options == {"nvcc": ["-gline-tables-only", "-DA_CUDA"]}


def test_options_for_every_compiler_stay(run: Run) -> None:
    assert run(
        """
made = CUDAExtension("m", ["sum.cu"], extra_compile_args=["-O3", "-DA_CUDA"])
say(BuildExtension().finish(made))
"""
    ) == ["-O3", "-DA_CUDA"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("extra_compile_args={'nvcc': ['-m32']}", "-m32 has no counterpart in a ROCm build: "),
        ("dlink=True", "m asks for dlink: "),
        ("dlink_libraries=['a']", "m asks for dlink: "),
    ],
)
def test_an_option_without_a_counterpart_is_an_error(
    run: Run, arguments: str, message: str
) -> None:
    kind, text = run(f"error(lambda: CUDAExtension('m', ['sum.cu'], {arguments}))")
    assert kind == "UsageError"
    assert text.startswith(message)


def test_load_takes_options_by_name_and_by_place(run: Run) -> None:
    expected = [["sum.hip"], ["-O1"], ["-ffast-math", "'-DA_CUDA=x y'"], ["-lhipblas"]]
    by_place, by_name = run(
        """
options = ["--use_fast_math -gencode arch=compute_80,code=sm_80", "-DA_CUDA='x y'"]
by_place = load("m", "sum.cu", ["-O1"], options, ["-lcublas"])
by_name = load(
    "m", ["sum.cu"], extra_cflags=["-O1"], extra_cuda_cflags=options, extra_ldflags=["-lcublas"]
)
say([by_place, by_name])
"""
    )
    assert by_place == expected
    assert by_name == expected


def test_load_inline_hipifies_what_it_writes(run: Run, tmp_path: Path) -> None:
    done = run(
        f"""
kernel = {KERNEL!r}
say(load_inline("m", "", cuda_sources=[kernel], extra_cuda_cflags=["-lineinfo"]))
"""
    )
    assert done == [["hip.hip"], ["-gline-tables-only"]]
    assert "__shfl_down(" in (tmp_path / "hip.hip").read_text()


def test_everything_is_torchs_when_torch_is_for_cuda(run: Run) -> None:
    said = run(
        """
options = {"nvcc": ["--use_fast_math", "-m32"]}
made = CUDAExtension("m", ["sum.cu"], libraries=["cublas"], extra_compile_args=options)
say([
    made.sources, made.arguments, BuildExtension is theirs.BuildExtension,
    load("m", "sum.cu", None, ["-lineinfo"]), "porting.hipify_torch.hipify_python" in sys.modules,
])
""",
        hip="",
    )
    assert said == [
        ["sum.cu"],
        {"libraries": ["cublas"], "extra_compile_args": {"nvcc": ["--use_fast_math", "-m32"]}},
        True,
        [["sum.cu"], None, ["-lineinfo"], None],
        False,
    ]


def test_other_names_are_torchs(run: Run) -> None:
    assert run("say([ours.include_paths('cuda'), ours.CppExtension is theirs.CppExtension])") == [
        ["include", "cuda"],
        True,
    ]
    kind, text = run("error(lambda: ours.no_such_name)")
    assert (kind, text) == (
        "AttributeError",
        "module 'torch.utils.cpp_extension' has no attribute 'no_such_name'",
    )


def test_a_star_imports_what_torchs_does(run: Run) -> None:
    assert run(
        """
found = {}
exec("from porting.hipify_torch.cpp_extension import *", found)
same = [found[n] is getattr(theirs, n) for n in theirs.__all__]
say([sorted(found.keys() - {"__builtins__"}), same])
"""
    ) == [
        ["BuildExtension", "CUDAExtension", "include_paths", "load"],
        [False, False, True, False],
    ]


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ('CUDAExtension("m", ["sum.cu"])', None),
        ('CUDAExtension("m", ["missing.cu"])', "InputError"),
        ('CUDAExtension("m", ["sum.cu"], fails=True)', "RuntimeError"),
        ('load("m", ["missing.cu"])', "InputError"),
    ],
)
def test_torchs_hipify_is_back_after_a_call(run: Run, call: str, kind: str | None) -> None:
    before, after, failed = run(
        f"""
before = dict(vars(hipify_python))
failed = None
try:
    {call}
except Exception as error:
    failed = type(error).__name__
after = dict(vars(hipify_python))
say([len(before), len(after), failed if before == after else "changed"])
"""
    )
    assert before == after
    assert failed == kind


def test_other_threads_keep_torchs_hipify(run: Run) -> None:
    assert run(
        """
import threading
from porting.config import Target
from porting.hipify_torch.replacing_torch import our_hipify
with our_hipify(Target()) as used:
    other = threading.Thread(target=lambda: hipify_python.hipify(extra_files=["a.cu"]))
    other.start()
    other.join(30)
    say([used(), hipify_python.ran])
"""
    ) == [False, ["a.cu"]]


@pytest.mark.parametrize(
    ("oddity", "message"),
    [
        ("no hipify", "torch's CUDAExtension made m without hipifying it: "),
        ("early", "torch hipified a file of an extension itself, "),
        ("no rocm", "m cannot be built: torch 2.13.0 is for ROCm 7.1.25424-abc, and found no "),
    ],
)
def test_a_torch_that_cannot_build_with_us_is_an_error(run: Run, oddity: str, message: str) -> None:
    script = "error(lambda: CUDAExtension('m', ['sum.cu']))"
    kind, text = run(script, FAKE_ODDITY=oddity)
    assert kind == "ToolchainError"
    assert text.startswith(message)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("hipify_python", "hipify"),
        ("hipify_python", "preprocess_file_and_save_result"),
        ("theirs.BuildExtension", "_hipify_compile_flags"),
    ],
)
def test_a_torch_without_what_is_replaced_is_an_error(run: Run, module: str, name: str) -> None:
    # BuildExtension is made when it is asked for: the import above would come too early.
    kind, text = run(
        f"""
ours._build_extension.cache_clear()
del {module}.{name}
error(lambda: (CUDAExtension("m", ["sum.cu"]), ours.BuildExtension))
"""
    )
    assert kind == "ToolchainError"
    assert f"has no {name}: this torch is built in a way that porting does not know" in text


@pytest.mark.parametrize("release", ["1.0.0", "1.9"])
def test_an_older_torch_for_rocm_is_an_error_that_says_which_is_needed(
    tmp_path: Path, release: str
) -> None:
    script = "from porting.hipify_torch.cpp_extension import CUDAExtension\nCUDAExtension('m', [])"
    environment = {"PYTHONPATH": f"{FAKE}:{REPOSITORY}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**environment, "FAKE_HIP": "6.4.1", "FAKE_HIPIFY": release},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 1
    assert (
        f"ToolchainError: torch 2.13.0 for ROCm 6.4.1 has torch.utils.hipify {release}, whose"
        " headers have other names (HIPStreamMasqueradingAsCUDA and the like); 2.0.0 or newer is"
        " needed, which torch 2.13 has; install a newer torch"
    ) in done.stderr


@pytest.mark.parametrize(
    ("hip", "architectures", "has_syncwarp"), [("7.1.2", "", True), ("6.4.1", "gfx90a", False)]
)
def test_the_port_is_for_torchs_release(
    run: Run, tmp_path: Path, hip: str, architectures: str, *, has_syncwarp: bool
) -> None:
    run("say(CUDAExtension('m', ['sum.cu']).sources)", hip=hip, PYTORCH_ROCM_ARCH=architectures)
    assert ("__syncwarp();" in (tmp_path / "sum.hip").read_text()) is has_syncwarp


def test_an_architecture_that_is_none_is_an_error(run: Run) -> None:
    kind, text = run("error(lambda: CUDAExtension('m', ['sum.cu']))", PYTORCH_ROCM_ARCH="sm_90")
    assert kind == "ConfigError"
    assert "'sm_90' is not an AMD GPU architecture" in text


def test_the_module_is_imported_without_torch() -> None:
    script = "import sys; sys.modules['torch'] = None; import porting.hipify_torch.cpp_extension"
    environment = {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=50)
