"""The generated gpu_build.py: formatted, and its options are those of the one table."""

import ast
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porting.buildfiles import BuildFiles
from porting.buildfiles.flags import rules, translate
from porting.buildfiles.python.script import options
from porting.config import Mode

Convert = Callable[..., BuildFiles]
SCRIPT = """\
import os, subprocess
subprocess.check_call([os.environ["CUDA_HOME"] + "/bin/nvcc", "-O3", "-x", "cu", "a.cpp"])
"""


def loaded(text: str) -> types.ModuleType:
    module = types.ModuleType("gpu_build")
    module.__file__ = "/tree/eclosion/gpu_build.py"
    exec(compile(text, "gpu_build.py", "exec"), vars(module))  # noqa: S102
    return module


@pytest.mark.parametrize("mode", Mode)
def test_text_is_formatted_and_says_what_made_it(
    convert: Convert, tmp_path: Path, mode: Mode
) -> None:
    text = convert({"setup.py": SCRIPT}, mode).generated["eclosion/gpu_build.py"]
    assert f"({mode.value} mode, ROCm 7.1, gfx90a, gfx942)" in text
    assert "Made from: setup.py." in text
    file = tmp_path / "gpu_build.py"
    file.write_text(text)
    command = [sys.executable, "-m", "ruff", "format", "--check", "--line-length", "100", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    if "No module named ruff" in done.stderr:
        pytest.skip("ruff is not installed")
    assert done.returncode == 0, done.stdout


def test_text_runs_on_python_3_8(convert: Convert) -> None:
    text = convert({"setup.py": SCRIPT}).generated["eclosion/gpu_build.py"]
    ast.parse(text, feature_version=(3, 8))


SAMPLES = {"list": "a,b", "one": "x", "bool": "true", "joined": "X=1", "glued": "4"}


def option_words() -> list[list[str]]:
    """Return each option of the table with a value that it takes, in both spellings."""
    found: list[list[str]] = []
    for rule in rules():
        if rule.action in ("arch", "unwrap") or rule.names[-1] in (
            "-l",
            "-L",
            "-I",
            "-x",
            "-V",
            "-h",
        ):
            continue
        for name in rule.names:
            value = "" if rule.value in ("none", "optional") else SAMPLES[rule.value]
            if rule.value == "bool" and rule.when:
                value = rule.when.pattern
            found.append([name, value] if value else [name])
            if value and name.startswith("--"):
                found.append([f"{name}={value}"])
    return found


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "rocm_home", lambda: "/opt/rocm")


@pytest.mark.parametrize("words", option_words(), ids=" ".join)
def test_option_becomes_what_the_table_says(words: list[str]) -> None:
    assert options.rocm_flags(words) == list(translate(words).flags)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(option_words()), max_size=6))
def test_options_in_any_order_become_what_the_table_says(groups: list[list[str]]) -> None:
    words = [word for group in groups for word in group]
    assert options.rocm_flags(words) == list(translate(words).flags)


def test_command_becomes_one_of_clang(convert: Convert, monkeypatch: pytest.MonkeyPatch) -> None:
    module = loaded(convert({"setup.py": SCRIPT}).generated["eclosion/gpu_build.py"])
    monkeypatch.setitem(
        sys.modules, "torch.utils.cpp_extension", types.SimpleNamespace(ROCM_HOME="/r")
    )
    monkeypatch.setenv("HIPCC", "/r/bin/hipcc")
    monkeypatch.delenv("GPU_PLATFORM", raising=False)
    monkeypatch.delenv("PYTORCH_ROCM_ARCH", raising=False)
    done = module.command(["/usr/local/cuda/bin/nvcc", "-O3", "-x", "cu", "a.cpp", "-lcudart"])
    assert done == [
        *("/r/bin/hipcc", "--rocm-path=/r", "-isystem", "/r/include"),
        *("--offload-arch=gfx90a", "--offload-arch=gfx942", "-L/r/lib", "-Wl,-rpath,/r/lib"),
        *("-O3", "-x", "hip", "a.cpp", "-lamdhip64", "-lamdhip64"),
    ]
    assert module.command("nvcc -c k.cu -o k.o").endswith("-c -x hip k.cu -x none -o k.o")
    monkeypatch.setenv("PYTORCH_ROCM_ARCH", "gfx1100")
    assert "--offload-arch=gfx1100" in module.command("nvcc -c k.cu")


def test_torch_and_gpu_platform_that_disagree_are_an_error(
    convert: Convert, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = loaded(convert({"setup.py": SCRIPT}).generated["eclosion/gpu_build.py"])
    version = types.SimpleNamespace(hip=None, cuda="13.0")
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(version=version))
    assert module.platform() == "cuda"
    monkeypatch.setenv("GPU_PLATFORM", "rocm")
    with pytest.raises(
        module.GpuBuildError,
        match=r"^GPU_PLATFORM=rocm, but the installed torch is built for cuda; "
        r"install a torch for rocm or unset GPU_PLATFORM$",
    ):
        module.platform()
