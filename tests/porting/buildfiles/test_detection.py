"""One detection rule in every language: Python, shell and Rust answer as the toolchain does."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from porting.buildfiles.cargo import generate as cargo_generate
from porting.buildfiles.cargo.generate import gpu_build as rust_text
from porting.buildfiles.model import BuildContext
from porting.buildfiles.python.generate import gpu_build as python_text
from porting.buildfiles.python.script import tables
from porting.buildfiles.shell import generate as shell_generate
from porting.buildfiles.shell.generate import gpu_detect
from porting.errors import ToolchainError
from porting.toolkits import detect, platforms
from porting.toolkits.platforms import CUDA, ROCM, Platform

Answer = Callable[[dict[str, str]], str]


def make_home(folder: Path, platform: Platform, version: str = "", left_out: int = 0) -> Path:
    """Make a toolkit's folder; `left_out`: 1 has no headers, 2 no libraries, 3 neither."""
    files = [*([platform.headers[0]] if not left_out & 1 else [])]
    files += [platform.libraries[0]] if not left_out & 2 else []
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    folder.mkdir(parents=True, exist_ok=True)
    if version:
        (folder / ".info").mkdir()
        (folder / ".info/version").write_text(f"{version}-66\n")
    return folder


def program(folder: Path, name: str) -> str:
    """Make a program below a toolkit's folder and return the PATH that has it alone."""
    (folder / "bin").mkdir()
    path = folder / "bin" / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(folder / "bin")


def places(root: Path) -> dict[str, dict[str, str]]:
    """Return environments with what is installed in them."""
    rocm = make_home(root / "rocm", ROCM, "7.1.0")
    old = make_home(root / "old", ROCM, "6.1.2")
    header = make_home(root / "header", ROCM)
    (header / "include/hip/hip_version.h").write_text(
        "#define HIP_VERSION_MAJOR 5\n#define HIP_VERSION_MINOR 7\n"
    )
    bare = make_home(root / "bare", ROCM, left_out=3)
    half = make_home(root / "half", ROCM, "7.1.0", left_out=2)
    found = make_home(root / "found", ROCM, "7.2.0")
    cuda = make_home(root / "cuda", CUDA)
    on_path = program(found, "hipcc")
    return {
        "nothing": {},
        "rocm": {"ROCM_PATH": str(rocm)},
        "rocm by its second name": {"ROCM_PATH": str(bare), "ROCM_HOME": f"{rocm}/"},
        "rocm on PATH": {"PATH": on_path},
        "cuda": {"CUDA_PATH": str(cuda)},
        "both": {"ROCM_PATH": str(rocm), "CUDA_HOME": str(cuda)},
        "old": {"ROCM_PATH": str(old)},
        "old by its header": {"ROCM_PATH": str(header), "ROCM_HOME": str(header)},
        "half and bare": {"ROCM_PATH": str(half), "ROCM_HOME": str(bare)},
        "gone": {"ROCM_PATH": str(root / "gone"), "CUDA_HOME": str(root / "gone")},
    }


def expected(environment: dict[str, str]) -> str:
    try:
        choice = detect.choose(environment)
    except ToolchainError as error:
        return f"error {error}"
    return " ".join([choice.platform, *([str(choice.home.path)] if choice.home else [])])


def run(command: list[str], environment: dict[str, str]) -> str:
    # Programs of the shell's own come from the end of PATH, where no toolkit is.
    path = environment.get("PATH", "/nowhere")
    full = {**environment, "PATH": f"{path}:{TOOLS}"}
    done = subprocess.run(
        command, env=full, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TOOLS = ""


@pytest.fixture(scope="module", autouse=True)
def tools(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have a folder of the shell's programs alone: /usr/bin may hold an nvcc or a hipcc."""
    global TOOLS  # noqa: PLW0603 - one folder for the module
    folder = tmp_path_factory.mktemp("tools")
    for name in ("sh", "sed", "head", "readlink", "dirname", "timeout", "mktemp", "cat", "rm"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    TOOLS = str(folder)


@pytest.fixture(scope="module", params=["python", "shell", "rust"])
def answer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """Return a function that asks a generated file of one language."""
    return _answer(request, tmp_path_factory.mktemp("generated"))


@pytest.fixture(params=["python", "shell", "rust"])
def hasty(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Answer:
    """Return a function that asks a generated file that waits a second at most."""
    table = tuple(replace(platform, patience=1) for platform in platforms.PLATFORMS)
    monkeypatch.setattr(shell_generate, "PLATFORMS", table)
    monkeypatch.setattr(cargo_generate, "PLATFORMS", table)
    monkeypatch.setattr(tables, "PLATFORMS", {p.name: asdict(p) for p in table})
    (tmp_path / "generated").mkdir()
    return _answer(request, tmp_path / "generated")


def _answer(request: pytest.FixtureRequest, folder: Path) -> Answer:
    if request.param == "shell":
        (folder / "gpu_detect.sh").write_text(gpu_detect(BuildContext()))
        return lambda environment: run(["sh", str(folder / "gpu_detect.sh")], environment)
    if request.param == "python":
        text = python_text("For a test.", {}, [])
        ask = (
            "\nimport os\ntry:\n    print(*filter(None, choose(os.environ)))\n"
            "except GpuBuildError as error:\n    print('error', error)\n"
        )
        (folder / "gpu_build.py").write_text(text + ask)
        command = [sys.executable, str(folder / "gpu_build.py")]
        return lambda environment: run(command, environment)
    program: Callable[[str], str] = request.getfixturevalue("program")
    return _rust(folder, program("rustc"))


def _rust(folder: Path, compiler: str) -> Answer:
    (folder / "main.rs").write_text(
        rust_text("")
        + """
fn main() {
    match gpu_build::choose() {
        Ok((name, path)) => println!("{}", format!("{name} {}", path.display()).trim()),
        Err(why) => println!("error {why}"),
    }
}
"""
    )
    command = [compiler, "--edition", "2021", "-A", "dead_code", "-o", "ask", "main.rs"]
    environment = dict(os.environ)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=55,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return lambda environment: run([str(folder / "ask")], environment)


def _compare(answer: Answer, environments: dict[str, dict[str, str]]) -> None:
    for name, environment in environments.items():
        for asked in ("", "rocm", "cuda", "none", "metal"):
            chosen = {**environment, **({"GPU_PLATFORM": asked} if asked else {})}
            chosen.setdefault("PATH", "/nowhere")
            assert answer(chosen) == expected(chosen), (name, asked)


def test_answer_is_the_toolchains_wherever_a_toolkit_is(answer: Answer, tmp_path: Path) -> None:
    _compare(answer, places(tmp_path))


def test_answer_is_the_toolchains_where_a_compiler_is_a_wrapper(
    answer: Answer, wrapped_compilers: dict[str, dict[str, str]]
) -> None:
    _compare(answer, wrapped_compilers)


def test_answer_when_a_wrapper_hangs(hasty: Answer, tmp_path: Path) -> None:
    """Each language ends the wrapper and says so, as soon as the table says."""
    path = program(tmp_path, "nvcc")
    (tmp_path / "bin/nvcc").write_text(f"#!/bin/sh\nPATH={TOOLS}:/bin:/usr/bin\nsleep 600\n")
    said = hasty({"PATH": path, "GPU_PLATFORM": "cuda"})
    assert said.startswith(f"error {path}/nvcc does not say where its CUDA is (")
    assert f"`{path}/nvcc --dryrun -x cu /dev/null` did not end in 1 s); set CUDA_HOME" in said
