"""The rest of a vendor's library: what is generated of a header for what a front lacks."""

import ctypes
import subprocess
from pathlib import Path

import pytest

from porting.emulate.unimplemented import EXPORTS, Exports, source, write
from porting.toolkits import clang
from porting.toolkits.cuda import CudaHome

VENDOR = Exports(
    ("vendor.h",),
    r"ven[A-Z]\w*",
    ("venError", "venErrorNotSupported"),
    threads="front_thread_stream",
    entries="front_entries",
)
HEADER = """
typedef enum { venSuccess, venErrorNotSupported = 77 } venError;
typedef struct { int x; } venShape;
venError venCopy_v2(void *to, const void *from, unsigned long size);
venError venCopy(void *to, unsigned size);
venError venCopy_v2_ptds(void *to, const void *from, unsigned long size);
extern __attribute__((deprecated)) venError venOld(void);
venShape venMake(int x);
venError venUndone(int *p);
int other(void);
"""
PROTOTYPES = """
typedef venError (*PFN_venCopy_v2000)(void *);
typedef venError (*PFN_venCopy_v3020)(void *);
typedef venError (*PFN_venCopy_v7000_ptds)(void *);
typedef venError (*PFN_venUndone_v1000)(int *);
"""
FRONT = """
#include <vendor.h>
static const void *site;
void front_thread_stream(const void *from) { site = from; }
venError venCopy_v2(void *to, const void *from, unsigned long size) { return 100 + (site != 0); }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return a front with its rest, linked and loaded."""
    folder = tmp_path_factory.mktemp("rest")
    (folder / "vendor.h").write_text(HEADER)
    (folder / "front.c").write_text(FRONT)
    rest = source(VENDOR, HEADER, {"venCopy_v2"}, {"venHidden", "otherHidden"}, PROTOTYPES)
    (folder / "rest.c").write_text(rest)
    command = ["cc", "-shared", "-fPIC", "-w", "-I", str(folder), "-o", str(folder / "ven.so")]
    command += [str(folder / "front.c"), str(folder / "rest.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "ven.so"))


class Entry(ctypes.Structure):
    """A row of the table of entry points."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("release", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("of_thread", ctypes.c_void_p),
    )


def test_function_when_no_object_defines_it(
    library: ctypes.CDLL, capfd: pytest.CaptureFixture[str]
) -> None:
    assert [library.venUndone(None), library.venUndone(None), library.venOld()] == [77] * 3
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 2
    assert told[0].startswith("emulator: venUndone is not emulated and returned venError")


def test_function_when_only_the_vendors_library_has_it(library: ctypes.CDLL) -> None:
    assert library.venHidden() == 77
    assert not hasattr(library, "otherHidden")


def test_function_when_the_front_defines_it(library: ctypes.CDLL) -> None:
    assert library.venCopy_v2(None, None, 1) == 100


def test_function_when_it_is_for_the_threads_stream(library: ctypes.CDLL) -> None:
    assert library.venCopy_v2_ptds(None, None, 1) == 101
    assert library.venCopy_v2(None, None, 1) == 100


def test_entries_when_read(library: ctypes.CDLL) -> None:
    entries = (Entry * 4).in_dll(library, "front_entries")
    address = {
        name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        for name in ("venCopy", "venCopy_v2", "venCopy_v2_ptds", "venUndone")
    }
    assert [(e.name, e.release, e.function, e.of_thread) for e in entries] == [
        (b"venCopy", 2000, address["venCopy"], None),
        (b"venCopy", 3020, address["venCopy_v2"], address["venCopy_v2_ptds"]),
        (b"venUndone", 1000, address["venUndone"], None),
        (None, 0, None, None),
    ]


@pytest.mark.parametrize("soname", ["libcuda.so.1", "libcudart.so.13"])
def test_source_when_written_for_nothing_defined(
    soname: str, cuda_home: CudaHome, tmp_path: Path
) -> None:
    compiler = [str(clang.find().path), "-I", str(cuda_home.path / "include")]
    output = tmp_path / "rest.c"
    real = cuda_home.path / "lib" / soname
    write(soname, [], compiler, output, real if real.exists() else None)
    command = [*compiler, "-fsyntax-only", "-w", "-Werror=implicit", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert output.read_text().count("eclosion_tell(&is_told") > 300
    assert EXPORTS[soname].status[1] in output.read_text()
