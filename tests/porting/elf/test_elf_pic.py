"""Objects that cannot go into a shared library; the linker is the judge."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.elf import read_binary

Compile = Callable[..., Path]

TABLE = "static int f(void) { return 1; } int (*const table[])(void) = { f };"
DATA = "extern int outer; int get(void) { return outer; }"
CALL = "extern int outer(void); int get(void) { return outer(); }"
STRING = 'const char *get(void) { return "text"; }'
BRANCH = "extern int outer(int); int get(int x) { if (x) return outer(x); return 0; }"
LOCAL = "static int mine; int get(void) { return mine++; }"
GLOBAL = "int mine = 1; int get(void) { return mine++; }"
THREAD = "static __thread int mine; int get(void) { return mine++; }"
HIDDEN = 'extern int outer __attribute__((visibility("hidden"))); int get(void){return outer;}'
EVERY = (TABLE, DATA, CALL, STRING, BRANCH, LOCAL, GLOBAL, THREAD)


def links(path: Path) -> bool:
    """Whether the linker makes a shared library of an object."""
    flags = ["-shared", "-Wl,-z,text", "-o", f"{path}.so"]
    done = subprocess.run(["gcc", *flags, path], capture_output=True, check=False, timeout=50)
    return done.returncode == 0


@pytest.mark.parametrize("text", [*EVERY, HIDDEN])
@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_object_when_compiled_with_pic(
    tmp_path: Path, text: str, compiler: str, level: str
) -> None:
    path = compiled(tmp_path, compiler, text, "-fPIC", level)
    assert read_binary(path).members[0].fixed_places == ()


@pytest.mark.parametrize("text", EVERY)
@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("mode", ["-fno-pic", "-fPIE"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_object_when_compiled_without_pic(
    tmp_path: Path, text: str, compiler: str, mode: str, level: str
) -> None:
    path = compiled(tmp_path, compiler, text, mode, level)
    places = read_binary(path).members[0].fixed_places
    assert (places == ()) is links(path), places


def compiled(folder: Path, compiler: str, text: str, *flags: str) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = folder / "a.c"
    source.write_text(text)
    output = folder / "a.o"
    subprocess.run([compiler, "-c", *flags, "-o", output, source], check=True, timeout=50)
    return output


def test_places_when_told(build: Compile) -> None:
    (place,) = read_binary(build("a.o", DATA, "-c", "-fno-pic", "-O2")).members[0].fixed_places
    assert (place.section, place.relocation, place.symbol) == (".text", "R_X86_64_PC32", "outer")


def test_text_relocations_when_code_without_pic_was_linked_in(build: Compile) -> None:
    flags = ("-shared", "-mcmodel=large", "-fno-pic", "-Wl,-z,notext")
    assert read_binary(build("a.so", DATA, *flags)).members[0].text_relocations
    fine = read_binary(build("b.so", DATA, "-shared", "-fPIC"))
    assert not fine.members[0].text_relocations
