"""The C++ tests of the emulator's core, against the library as it is built for a program."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from porting.emulate import libraries
from porting.emulate.toolkits import INCLUDE, NATIVE, Headers, compiler
from porting.toolkits.sysroot import Sysroot

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

# What nobody waits for does not run there, so its tests have a process of their own.
_DELAYED = "*test_delay.cpp"


def test_core_when_its_own_tests_run(sysroot: Sysroot, tmp_path: Path) -> None:
    built = libraries.build(Headers("rocm", sysroot.path, sysroot.rocm))
    program = tmp_path / "tests"
    command = [str(compiler().path), "-std=c++20", "-O1", "-march=x86-64-v3", "-w"]
    command += ["-iquote", str(NATIVE / "core"), "-I", str(INCLUDE)]
    command += [*map(str, sorted((NATIVE / "tests").glob("*.cpp"))), "-o", str(program)]
    command += [f"-L{built}", f"-l:{libraries.CORE}", f"-Wl,-rpath,{built}", "-lpthread"]
    subprocess.run(command, check=True, timeout=600)
    _run([str(program), f"--source-file-exclude={_DELAYED}"], {})
    hour = {"ECLOSION_EMULATOR_DELAY_US": "3600000000"}
    _run([str(program), f"--source-file={_DELAYED}"], hour)


def _run(command: Sequence[str], variables: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert "0 failed" in done.stdout
    assert "test cases: 0 " not in done.stdout
