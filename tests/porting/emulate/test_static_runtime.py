"""A program that has CUDA's runtime in itself, or in a library of its own, is refused."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.emulate.static_runtime import check
from porting.errors import UsageError
from porting.toolkits.cuda import CudaHome

pytestmark = pytest.mark.timeout(600)

Build = Callable[..., Path]
CALLER = """
#include <cuda_runtime.h>
extern "C" int devices() { int count = 0; cudaGetDeviceCount(&count); return count; }
"""
DRIVER = 'extern "C" int devices();\nint main() { return devices(); }\n'


@pytest.fixture
def build(cuda_home: CudaHome, tmp_path: Path) -> Build:
    """Return a function that compiles a source into a file of `tmp_path`."""

    def made(name: str, source: str, *options: str) -> Path:
        code = tmp_path / f"{Path(name).stem}.cpp"
        code.write_text(source)
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        command = [str(cuda_home.nvcc), str(code), "-o", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        return path

    return made


def emulate(program: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "porting", "emulate", "--platform", "cuda", "--", str(program)],
        cwd=program.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_program_when_its_runtime_is_static(build: Build, environment: dict[str, str]) -> None:
    program = build("program", CALLER + DRIVER)
    done = emulate(program, environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{program} has CUDA's runtime linked in" in done.stderr
    assert "-cudart shared" in done.stderr
    assert "CMAKE_CUDA_RUNTIME_LIBRARY" in done.stderr


def test_a_program_when_only_its_library_has_the_runtime(
    build: Build, environment: dict[str, str]
) -> None:
    library = build("own/libcaller.so", CALLER, "-shared", "-Xcompiler", "-fPIC")
    linked = (f"-L{library.parent}", "-lcaller", "-Xlinker", "-rpath=$ORIGIN/own")
    program = build("program", DRIVER, "-cudart", "none", *linked)
    done = emulate(program, environment)
    assert done.returncode == 2
    assert f"{library} has CUDA's runtime linked in" in done.stderr
    assert str(program) not in done.stderr
    assert "-cudart shared" in done.stderr


def test_a_program_when_its_library_is_found_by_the_environment(build: Build) -> None:
    library = build("own/libcaller.so", CALLER, "-shared", "-Xcompiler", "-fPIC")
    program = build("program", DRIVER, "-cudart", "none", f"-L{library.parent}", "-lcaller")
    check(program, {})
    with pytest.raises(UsageError, match=r"libcaller\.so has CUDA's runtime linked in"):
        check(program, {"LD_LIBRARY_PATH": f"/nowhere:{library.parent}"})


def test_a_program_when_its_runtime_is_shared(build: Build) -> None:
    check(build("program", CALLER + DRIVER, "-cudart", "shared"), {})


def test_a_script_when_it_is_no_elf_file(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print(1)\n")
    check(script, {})
