"""What is said of files that are copied and of names."""

import os
from pathlib import Path

import pytest

from porting.diagnostics import Diagnostic, Severity
from porting.inventory import FOREIGN_CODE, look_through
from porting.tree import read_tree


def _said(root: Path) -> list[tuple[str, int, str]]:
    return [(d.file, d.line, d.code) for d in look_through(read_tree(root))]


def _only(root: Path) -> Diagnostic:
    (found,) = look_through(read_tree(root))
    return found


@pytest.mark.parametrize(
    "name",
    [
        *("CMakeLists.txt", "sub/CMakeLists.txt", "cmake/Gpu.cmake", "setup.py", "Makefile"),
        *("rules.mk", "meson.build", "Cargo.toml", "build.rs", "BUILD.bazel", "pyproject.toml"),
    ],
)
def test_build_file_is_noted_at_its_first_line_with_cuda(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("one\ntwo\nfind_package(CUDAToolkit)\nnvcc\n")
    found = _only(tmp_path)
    assert (found.file, found.line, found.code) == (name, 3, "BLD001")
    assert found.severity is Severity.NOTE
    assert found.topic == "build-system"
    assert "of a kind that is not ported" in found.message


def test_file_is_not_noted_when_it_was_handled(tmp_path: Path) -> None:
    for name in ("CMakeLists.txt", "configure.ac", "lib.rs"):
        (tmp_path / name).write_text("cuda_runtime nvcc")
    found = look_through(read_tree(tmp_path), handled={"CMakeLists.txt", "lib.rs"})
    assert [d.file for d in found] == ["configure.ac"]


@pytest.mark.parametrize("name", ["CMakeLists.txt", "setup.py", "lib.rs", "a.py"])
def test_file_is_not_noted_when_it_does_not_name_cuda(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("project(barracuda2 LANGUAGES CXX)\n".replace("cuda", "da"))
    assert _said(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/lib.rs", "extern {\n  fn cudaMalloc(p: *mut u8) -> i32;\n}\n"),
        ("a.pyx", 'x\ncdef extern from "cuda_runtime.h":\n'),
        ("kernel.cu.in", "\n__global__ void k();\n"),
        ("jit.py", "\nsource = '__global__ void k()'\n"),
    ],
)
def test_foreign_file_is_noted_where_it_names_cuda(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    assert _said(tmp_path) == [(name, 2, "BLD002")]


@pytest.mark.parametrize("name", ["README.md", "data.json", "notes.txt", "weights.bin"])
def test_prose_and_data_are_not_noted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"call cudaMalloc(&p, n)\n" + b"\0" * name.endswith("bin"))
    assert _said(tmp_path) == []


def test_binary_source_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\x7fELF\0\0\0")
    found = _only(tmp_path)
    assert (found.code, found.severity) == ("TRE001", Severity.ERROR)
    assert found.message == "the file is no text: it has NUL bytes; it is not ported"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_source_is_called_by_its_name(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.cu").write_bytes("\ufeffint a;\n".encode(encoding))
    found = _only(tmp_path)
    assert found.message == "the file is UTF-16 text; it is not ported"
    assert found.help == "save it as UTF-8"


@pytest.mark.parametrize("link", ["../elsewhere.cu", "/etc/hosts", "sub/../../x"])
def test_link_out_of_the_tree_is_noted(tmp_path: Path, link: str) -> None:
    root = tmp_path / "src"
    (root / "sub").mkdir(parents=True)
    (root / "a.cu").symlink_to(link)
    found = _only(root)
    assert (found.code, found.severity) == ("TRE002", Severity.NOTE)
    assert found.message == (
        f"link to '{link}' leads out of the tree; it is kept as it is and its target is not ported"
    )


@pytest.mark.parametrize("link", ["b.cu", "sub/b.cu", "sub", "gone.cu"])
def test_link_inside_the_tree_is_not_noted(tmp_path: Path, link: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.cu").symlink_to(link)
    assert _said(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "link"), [("loop", "loop"), ("loop", "."), ("sub/loop", ".."), ("sub/loop", "../sub")]
)
def test_link_loop_is_a_warning(tmp_path: Path, name: str, link: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / name).symlink_to(link)
    found = _only(tmp_path)
    assert (found.file, found.code, found.severity) == (name, "TRE003", Severity.WARNING)


def test_each_link_of_a_longer_loop_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert _said(tmp_path) == [("a", 1, "TRE003"), ("b", 1, "TRE003")]


def test_names_that_differ_in_case_are_a_warning(tmp_path: Path) -> None:
    for name in ("Kernel.cu", "kernel.cu", "sub/A.h", "sub/a.h", "SUB2/a.h", "sub2/A.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = list(look_through(read_tree(tmp_path)))
    assert [d.message for d in found] == [
        "'kernel.cu' and 'Kernel.cu' differ only in case",
        "'sub/a.h' and 'sub/A.h' differ only in case",
        "'sub2' and 'SUB2' differ only in case",
    ]
    assert {d.severity for d in found} == {Severity.WARNING}


def test_pipe_is_a_warning(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert _said(tmp_path) == [("pipe", 1, "TRE005")]


def test_page_on_files_that_stay_says_what_is_ported_beside_them() -> None:
    page = FOREIGN_CODE.explanation
    assert "eclosion/rocm_compat.rs" in page
    assert "Build scripts in Python are ported" in page
