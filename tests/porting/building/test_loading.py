"""Loading what was built, with real libraries: healthy, refused, crashing, hanging."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from porting.building.loading import load, resolve

LOADER = "/lib64/ld-linux-x86-64.so.2"
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


def library(folder: Path, text: str, *flags: str) -> Path:
    (folder / "part.c").write_text(text)
    path = folder / "libpart.so"
    command = ["gcc", "-shared", "-fPIC", "-w", "part.c", "-o", str(path), *flags]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return path


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("*n = 0; return 100;", "no device (hipGetDeviceCount returned 100, 0 devices)"),
        ("*n = 2; return 0;", "hipGetDeviceCount returned 0, 2 devices"),
    ],
)
def test_load_when_the_runtime_answers(tmp_path: Path, body: str, answer: str) -> None:
    path = library(tmp_path, f"int hipGetDeviceCount(int* n) {{ {body} }}")
    loaded = load(path, ENVIRONMENT)
    assert (loaded.answer, loaded.refused, loaded.unclean) == (answer, "", "")


def test_load_when_no_runtime_is_linked(tmp_path: Path) -> None:
    loaded = load(library(tmp_path, "int answer(void) { return 42; }"), ENVIRONMENT)
    assert (loaded.answer, loaded.refused, loaded.unclean) == ("", "", "")


def test_load_when_a_symbol_is_missing(tmp_path: Path) -> None:
    loaded = load(library(tmp_path, "int cudaMalloc(); int f() { return cudaMalloc(); }"), {})
    assert "undefined symbol: cudaMalloc" in loaded.refused


def test_load_when_torch_has_the_libraries_that_its_extension_needs(tmp_path: Path) -> None:
    folder = tmp_path / "site" / "torch"
    folder.mkdir(parents=True)
    flags = ("-Wl,-soname,libc10.so", "-Wl,--no-as-needed")
    library(tmp_path, "int c10(void) { return 0; }", *flags).rename(folder / "libc10.so")
    text = "int c10(void); int hipGetDeviceCount(int* n) { *n = c10(); return 100; }"
    extension = library(tmp_path, text, f"-L{folder}", "-l:libc10.so")
    (folder / "__init__.py").write_text(
        "import ctypes, pathlib\n"
        "ctypes.CDLL(str(pathlib.Path(__file__).parent / 'libc10.so'), ctypes.RTLD_GLOBAL)\n"
    )
    loaded = load(extension, {**ENVIRONMENT, "PYTHONPATH": str(folder.parent)})
    assert loaded.answer == "no device (hipGetDeviceCount returned 100, 0 devices)"
    (folder / "__init__.py").write_text("raise ImportError\n")
    loaded = load(extension, {**ENVIRONMENT, "PYTHONPATH": str(folder.parent)})
    assert (loaded.refused, loaded.unclean) == ("", "")
    assert loaded.untried == f"it needs PyTorch, and {sys.executable} has none"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("*(volatile int*)0 = 1; return 0;", "the process that loaded it was ended by SIGSEGV"),
        ("_exit(3);", "the process that loaded it ended with code 3"),
        ("*n = -1; return 999;", "hipGetDeviceCount returned 999, -1 devices"),
    ],
)
def test_load_when_the_answer_is_not_clean(tmp_path: Path, body: str, told: str) -> None:
    path = library(tmp_path, f"int hipGetDeviceCount(int* n) {{ {body} }}")
    assert load(path, ENVIRONMENT).unclean == told


def test_resolve_when_a_program_lacks_a_library(tmp_path: Path) -> None:
    path = library(tmp_path, "int part(void) { return 7; }")
    (tmp_path / "main.c").write_text("int part(void); int main(void) { return part(); }")
    command = ["gcc", "main.c", "-o", "main", "-L.", "-lpart"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    program = tmp_path / "main"
    assert "libpart.so => not found" in resolve(program, LOADER, ENVIRONMENT).refused
    healthy = resolve(program, LOADER, {**ENVIRONMENT, "LD_LIBRARY_PATH": str(path.parent)})
    assert (healthy.refused, healthy.unclean) == ("", "")


def test_load_when_the_library_prints_all_the_time(tmp_path: Path) -> None:
    path = library(
        tmp_path,
        "#include <pthread.h>\n#include <unistd.h>\n"
        'static void* say(void* unused) { for (;;) write(1, "\\n5\\n", 3); }\n'
        "__attribute__((constructor)) void begin(void)\n"
        "{ pthread_t one; pthread_create(&one, 0, say, 0); usleep(100000); }\n"
        "int hipGetDeviceCount(int* n) { *n = 0; return 100; }\n",
        "-pthread",
    )
    loaded = load(path, ENVIRONMENT)
    assert (loaded.answer[:9], loaded.refused, loaded.unclean) == ("no device", "", "")


def test_load_when_a_signal_has_no_name(tmp_path: Path) -> None:
    path = library(
        tmp_path,
        "#include <signal.h>\n__attribute__((constructor)) void begin(void) { raise(40); }\n",
    )
    assert load(path, ENVIRONMENT).unclean == "the process that loaded it was ended by signal 40"
