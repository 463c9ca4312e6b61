"""Units of a tree, their languages, and the folders their headers are in."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from porting.verify.sources import Include, Language, SourceTree, Unit

KERNEL = "__global__ void k() {}\n"


def tree_of(root: Path, files: Mapping[str, str]) -> SourceTree:
    """Write files and read them as a tree."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return SourceTree(root)


def test_units_when_their_suffix_says_the_language(tmp_path: Path) -> None:
    names = ("a.cu", "b.hip", "c.cpp", "d.cc", "e.c", "f.h", "g.cuh", "h.txt", "sub/i.cxx")
    tree = tree_of(tmp_path, dict.fromkeys(names, ""))
    assert [(unit.path, unit.language) for unit in tree.units()] == [
        ("a.cu", Language.HIP),
        ("b.hip", Language.HIP),
        ("c.cpp", Language.CXX),
        ("d.cc", Language.CXX),
        ("e.c", Language.C),
        ("sub/i.cxx", Language.CXX),
    ]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (KERNEL, Language.HIP),
        ("void f() { k<<<1, 2>>>(); }\n", Language.HIP),
        ("// __global__ is for kernels, k<<<1, 2>>>() starts one\n", Language.CXX),
        ('const char *s = "__global__";\n', Language.CXX),
        ("__device__ int f();\n", Language.CXX),
    ],
)
def test_language_when_a_cpp_file_has_device_code(
    tmp_path: Path, text: str, language: Language
) -> None:
    assert tree_of(tmp_path, {"a.cpp": text}).units() == [Unit("a.cpp", language)]


def test_units_when_links_and_hidden_folders_are_there(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.cu": "", ".git/b.cu": "", ".venv/lib/c.cu": ""})
    (tmp_path / "link.cu").symlink_to("a.cu")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert [unit.path for unit in SourceTree(tmp_path).units()] == ["a.cu"]


def test_units_when_one_file_is_asked_for(tmp_path: Path) -> None:
    tree_of(tmp_path, {"a.cu": "", "b.cu": "", "h.cuh": "", "h.hu": "", "p.h": "int f();\n"})
    assert SourceTree(tmp_path, only="b.cu").units() == [Unit("b.cu", Language.HIP)]
    assert SourceTree(tmp_path, only="h.hu").units() == [Unit("h.hu", Language.HIP)]
    assert SourceTree(tmp_path, only="h.cuh").units() == [Unit("h.cuh", Language.HIP)]
    assert SourceTree(tmp_path, only="p.h").units() == [Unit("p.h", Language.CXX)]


def test_files_when_one_file_is_asked_for(tmp_path: Path) -> None:
    """Its folder may be somebody's home: only what lies beside it, or is named, is looked at."""
    tree_of(tmp_path, {"a.cu": '#include "inc/h.h"\n', "inc/h.h": "", "deep/x.cu": ""})
    tree = SourceTree(tmp_path, only="a.cu")
    assert tree.closure("a.cu") == {"a.cu", "inc/h.h"}
    assert tree.find(Include("x.cu", quoted=False), "a.cu") == ""
    assert tree.find(Include("../a.cu", quoted=True), "a.cu") == ""


def test_folders_when_headers_are_elsewhere_in_the_tree(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "src/a.cu": '#include "x/a.h"\n#include "beside.h"\n#include <vector>\n',
            "src/beside.h": "",
            "include/x/a.h": '#include <x/detail/b.h>\n#include "c.h"\n',
            "include/x/detail/b.h": "",
            "third/inc/c.h": "",
            "top.cu": "#  include <top.h>\n",
            "top.h": "",
        },
    )
    assert tree.folders_for("src/a.cu", ()) == ["include", "third/inc"]
    assert tree.folders_for("top.cu", ()) == ["."]
    assert tree.closure("src/a.cu") == {
        "src/a.cu",
        "src/beside.h",
        "include/x/a.h",
        "include/x/detail/b.h",
        "third/inc/c.h",
    }


def test_folders_when_the_compiler_has_the_header(tmp_path: Path) -> None:
    files = {"a.cpp": "#include <string.h>\n", "lib/string.h": ""}
    tree = tree_of(tmp_path, files)
    system = tmp_path / "../system"
    system.mkdir()
    (system / "string.h").write_text("")
    assert tree.folders_for("a.cpp", (system,)) == []
    assert tree.folders_for("a.cpp", ()) == ["lib"]


def test_header_when_two_folders_have_it(tmp_path: Path) -> None:
    names = ("one/src/a.cu", "one/include/h.h", "two/src/a.cu", "two/include/h.h")
    tree = tree_of(tmp_path, dict.fromkeys(names, ""))
    assert tree.find(Include("h.h", quoted=True), "one/src/a.cu") == "one/include/h.h"
    assert tree.find(Include("h.h", quoted=True), "two/src/a.cu") == "two/include/h.h"
    assert tree.find(Include("other.h", quoted=True), "two/src/a.cu") == ""


def test_header_when_named_through_the_parent(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, dict.fromkeys(("src/deep/a.cu", "src/h.h", "h.h"), ""))
    assert tree.find(Include("../h.h", quoted=True), "src/deep/a.cu") == "src/h.h"


def test_lonely_headers_when_some_are_reached(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "a.cu": '#include "used.cuh"\n',
            "used.cuh": KERNEL,
            "lonely.cuh": KERNEL,
            "lonely.h": "#include <hip/hip_runtime.h>\n",
            "plain.h": "int f();\n",
        },
    )
    lonely = tree.lonely_headers(tree.units())
    assert [unit.path for unit in lonely] == ["lonely.cuh", "lonely.h"]
