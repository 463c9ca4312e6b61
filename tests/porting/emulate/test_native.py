"""The C++ tests of the emulator's core, against the library as it is built for a program."""

import subprocess
from pathlib import Path

import pytest

from porting.emulate import libraries
from porting.emulate.toolkits import INCLUDE, NATIVE, Headers, compiler
from porting.toolkits.sysroot import Sysroot

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


def test_core_when_its_own_tests_run(sysroot: Sysroot, tmp_path: Path) -> None:
    built = libraries.build(Headers("rocm", sysroot.path, sysroot.rocm))
    program = tmp_path / "tests"
    command = [str(compiler().path), "-std=c++20", "-O1", "-march=x86-64-v3", "-w"]
    command += ["-iquote", str(NATIVE / "core"), "-I", str(INCLUDE)]
    command += [*map(str, sorted((NATIVE / "tests").glob("*.cpp"))), "-o", str(program)]
    command += [f"-L{built}", f"-l:{libraries.CORE}", f"-Wl,-rpath,{built}", "-lpthread"]
    subprocess.run(command, check=True, timeout=600)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
