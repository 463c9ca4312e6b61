"""What counts as made by a build: real ELF files in folders as build systems leave them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.building.products import Made, made_since, snapshot
from porting.building.systems import INSTALLED, PRODUCTS


@pytest.fixture
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small shared library."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "a.c").write_text("int a(void) { return 1; }")
    words = ["gcc", "-shared", "-fPIC", "a.c", "-o", "liba.so"]
    subprocess.run(words, cwd=folder, check=True, timeout=50)
    return folder / "liba.so"


def put(source: Path, place: Path, more: bytes = b"") -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(source.read_bytes() + more)


def names(made: Made, root: Path) -> list[str]:
    return [str(product.path.relative_to(root)) for product in made.products]


def test_made_when_files_are_new_or_replaced(tmp_path: Path, library: Path) -> None:
    put(library, tmp_path / "kept.so")
    put(library, tmp_path / "replaced.so", b"1")
    before = snapshot(tmp_path)
    (tmp_path / "replaced.so").unlink()
    put(library, tmp_path / "replaced.so", b"2")
    put(library, tmp_path / "a new one\n.so", b"3")
    assert names(made_since(tmp_path, before), tmp_path) == ["a new one\n.so", "replaced.so"]


def test_made_when_installed(tmp_path: Path, library: Path) -> None:
    """The same file stands for the one in the build tree; another of that name does not."""
    put(library, tmp_path / PRODUCTS / "one/liba.so")
    put(library, tmp_path / PRODUCTS / "two/liba.so", b"another one")
    put(library, tmp_path / INSTALLED / "lib/liba.so")
    assert names(made_since(tmp_path, {}), tmp_path) == [
        f"{PRODUCTS}/two/liba.so",
        f"{INSTALLED}/lib/liba.so",
    ]


def test_made_when_a_build_system_tried_the_compiler(tmp_path: Path, library: Path) -> None:
    put(library, tmp_path / PRODUCTS / "CMakeFiles/3.25.1/CompilerIdCXX/a.out")
    put(library, tmp_path / PRODUCTS / "meson-private/sanitycheckc.exe", b"1")
    assert made_since(tmp_path, {}).nothing


def test_made_when_it_is_an_object_library(tmp_path: Path) -> None:
    place = tmp_path / PRODUCTS / "CMakeFiles/objects.dir/a.c.o"
    place.parent.mkdir(parents=True)
    (tmp_path / "a.c").write_text("int a(void) { return 1; }")
    words = ["gcc", "-c", str(tmp_path / "a.c"), "-o", str(place)]
    subprocess.run(words, check=True, timeout=50)
    made = made_since(tmp_path, {})
    assert (made.products, made.others) == ((), (place,))


def test_made_when_it_is_device_code(tmp_path: Path, program: Callable[[str], str]) -> None:
    """A code object has the form of a shared library, and is none for this machine."""
    (tmp_path / "k.ll").write_text("define amdgpu_kernel void @k() { ret void }\n")
    words = [
        program("clang-19"),
        "-w",
        "--target=amdgcn-amd-amdhsa",
        "-nogpulib",
        "-mcpu=gfx942",
        "k.ll",
    ]
    subprocess.run([*words, "-o", "k.hsaco"], cwd=tmp_path, check=True, timeout=50)
    (tmp_path / "k.fatbin").write_bytes(b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8))
    made = made_since(tmp_path, {})
    assert made.products == ()
    assert [path.name for path in made.others] == ["k.fatbin", "k.hsaco"]


def test_made_when_files_are_damaged(tmp_path: Path, library: Path) -> None:
    data = library.read_bytes()
    (tmp_path / "short.so").write_bytes(data[:200])
    (tmp_path / "start.o").write_bytes(data[:16] + b"\1\0" + data[18:70])
    (tmp_path / "core").write_bytes(data[:16] + b"\4\0" + data[18:])
    made = made_since(tmp_path, {})
    assert [path.name for path, _ in made.unreadable] == ["short.so"]
    assert [path.name for path in made.others] == ["start.o"]


def test_made_when_links_lead_in_circles(tmp_path: Path, library: Path) -> None:
    put(library, tmp_path / "liba.so.1")
    (tmp_path / "liba.so").symlink_to("liba.so.1")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "up").symlink_to(tmp_path)
    assert names(made_since(tmp_path, {}), tmp_path) == ["liba.so.1"]
