"""The compiled Library as Python sees it; tests of the C++ itself are in bindings/tests."""

import ast
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int
from pathlib import Path

import pytest

from runtime.core import Library, LibraryError

STUB = Path(__file__).parents[2] / "runtime" / "_core.pyi"

Build = Callable[[str, str], Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that compiles C text to a shared library under a file name."""

    def compiled(name: str, text: str) -> Path:
        source, output = tmp_path / "library.c", tmp_path / name
        source.write_text(text)
        command = ["cc", "-shared", "-fPIC", str(source), "-o", str(output)]
        subprocess.run(command, check=True)
        return output

    return compiled


def test_library_when_opened(build: Build) -> None:
    path = build("libanswer.so", "int answer(void) { return 42; }")
    library = Library(["libeclosion-absent.so.0", str(path)])
    assert (library.name, library.path, library.shared) == (str(path), str(path), False)
    assert Library([str(path)]).shared is True


def test_resolve_when_one_symbol_is_missing(build: Build) -> None:
    path = build("libanswer.so", "int answer(void) { return 42; }")
    answer, absent = Library([str(path)]).resolve(("answer", "absent"))
    assert (answer.name, answer.reason, absent.address) == ("answer", "", None)
    assert absent.reason == f"{path}: undefined symbol: absent"


def test_resolve_when_the_address_is_called(build: Build) -> None:
    library = Library([str(build("libanswer.so", "int answer(void) { return 42; }"))])
    address = library.resolve(["answer"])[0].address
    assert address is not None
    assert CFUNCTYPE(c_int)(address)() == 42


def test_library_when_no_candidate_opens(tmp_path: Path) -> None:
    broken = tmp_path / "libbroken.so"
    broken.write_bytes(b"\x7fELF")
    with pytest.raises(LibraryError, match=r"^no candidate could be opened: libeclosion") as caught:
        Library(["libeclosion-absent.so.0", str(broken)])
    assert isinstance(caught.value, OSError)
    assert caught.value.failures == (
        (
            "libeclosion-absent.so.0",
            "libeclosion-absent.so.0: cannot open shared object file: No such file or directory",
        ),
        (str(broken), f"{broken}: file too short"),
    )


@pytest.mark.parametrize("candidates", [[], [""], ["libc.so.6", "a\0b"]])
def test_library_when_a_name_is_unusable(candidates: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^(no library name was given|a library or symbol name)"):
        Library(candidates)


def test_library_when_given_text_for_a_list() -> None:
    with pytest.raises(TypeError, match="incompatible function arguments"):
        Library("libc.so.6")


def test_library_when_its_last_reference_goes(build: Build, tmp_path: Path) -> None:
    path = build("libanswer.so", "int answer(void) { return 42; }")
    assert Library([str(path)]).shared is False
    assert Library([str(path)]).shared is False, "the first handle left the library open"


def test_library_when_the_path_is_not_utf8(build: Build) -> None:
    """The loader speaks bytes; what it says must not become a UnicodeDecodeError."""
    path = build("libplain.so", "int answer(void) { return 42; }")
    folder = path.parent / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    path.rename(folder / "libodd.so")
    code = "from runtime.core import Library; print(ascii(Library(['libodd.so']).path))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        timeout=50,
    )
    assert done.stdout.strip() == ascii(str(folder / "libodd.so"))


def test_library_when_opening_blocks(build: Build) -> None:
    """Another Python thread runs on while a library's constructor waits for it."""
    source = """
    #include <stdlib.h>
    #include <unistd.h>
    __attribute__((constructor)) static void wait_for_python(void) {
      char byte;
      write(atoi(getenv("SAY")), "x", 1);
      read(atoi(getenv("HEAR")), &byte, 1);
    }
    """
    path = build("libwait.so", source)
    started, go = os.pipe(), os.pipe()
    code = (
        "import os, sys, threading; from runtime.core import Library\n"
        "threading.Thread(target=lambda: (os.read(int(sys.argv[2]), 1), "
        "os.write(int(sys.argv[3]), b'x'))).start()\n"
        "print(Library([sys.argv[1]]).shared)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(started[0]), str(go[1])],
        env=os.environ | {"SAY": str(started[1]), "HEAR": str(go[0])},
        pass_fds=(*started, *go),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    for descriptor in (*started, *go):
        os.close(descriptor)
    assert done.stdout == "False\n"


def test_library_when_many_threads_open_and_close_it(build: Build) -> None:
    path = str(build("libanswer.so", "int answer(void) { return 42; }"))
    missing: list[str] = []

    def open_often() -> None:
        for _ in range(200):
            rows = Library([path]).resolve(["answer"])
            missing.extend(row.reason for row in rows if row.address is None)

    threads = [threading.Thread(target=open_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not missing
    assert not any(thread.is_alive() for thread in threads)


def members(text: str) -> dict[str, list[tuple[str, int]]]:
    """Return what each class of a stub, and the module itself, has: names and counts of arguments.

    The types that the generator writes are wide, and it leaves out the names of some arguments and
    the buffer protocol.
    """
    tree = ast.parse(text)
    scopes = {node.name: node.body for node in tree.body if isinstance(node, ast.ClassDef)}
    return {
        name: sorted(
            (item.name, len(item.args.posonlyargs) + len(item.args.args))
            for item in body
            if isinstance(item, ast.FunctionDef) and item.name != "__buffer__"
        )
        for name, body in {**scopes, "": tree.body}.items()
    }


def test_stub_when_compared_with_the_module(tmp_path: Path) -> None:
    generated = tmp_path / "core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "runtime._core"]
    subprocess.run([*command, "-o", str(generated)], check=True, cwd=tmp_path, timeout=50)
    assert members(STUB.read_text()) == members(generated.read_text())
