"""Build files below another that its build did not come to, with real CMake, make and cargo."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from porting.building.products import changed_since, snapshot
from porting.building.reaching import unused
from porting.building.systems import PRODUCTS, Build, System, builds

Program = Callable[[str], str]


def left(root: Path, files: Mapping[str, str], *commands: tuple[str, ...]) -> tuple[str, ...]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    before = snapshot(root)
    (build,) = builds(files)
    for command in commands:
        subprocess.run(command, cwd=root, check=True, capture_output=True, timeout=55)
    return unused(build, files, root, changed_since(root, before))


def test_unused_when_cmake_does_not_add_a_folder(tmp_path: Path, program: Program) -> None:
    top = (
        "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\noption(TESTS OFF)\n"
        "add_subdirectory(lib)\nif(TESTS)\nadd_subdirectory(tests)\nendif()\n"
    )
    part = "add_custom_target(part)\n"
    files = {"CMakeLists.txt": top, "lib/CMakeLists.txt": part, "tests/CMakeLists.txt": part}
    configure = (program("cmake"), "-S", ".", "-B", PRODUCTS)
    assert left(tmp_path, files, configure) == ("tests/CMakeLists.txt",)


def test_unused_when_make_does_not_enter_a_folder(tmp_path: Path) -> None:
    files = {
        "Makefile": "all:\n\tmake -C lib\n",
        "lib/Makefile": "all:\n\ttouch made\n",
        "other/Makefile": "all:\n\ttouch made\n",
        "vendor/GNUmakefile": "all:\n",
    }
    assert left(tmp_path, files, ("make",)) == ("other/Makefile", "vendor/GNUmakefile")


def test_unused_when_cargo_has_a_workspace(tmp_path: Path, program: Program) -> None:
    package = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
    files = {
        "Cargo.toml": package.format("top") + '[workspace]\nmembers = ["in"]\nexclude = ["out"]\n',
        "in/Cargo.toml": package.format("inner"),
        "out/Cargo.toml": package.format("outer"),
        "src/lib.rs": "",
        "in/src/lib.rs": "",
        "out/src/lib.rs": "",
    }
    cargo = (program("cargo"), "build", "--workspace", "--offline", "--target-dir", PRODUCTS)
    assert left(tmp_path, files, cargo) == ("out/Cargo.toml",)


def test_unused_when_each_runs_alone(tmp_path: Path) -> None:
    files = {"setup.py": "", "sub/setup.py": "", "Makefile.am": ""}
    assert left(tmp_path, files) == ("sub/setup.py",)


def test_unused_when_meson_made_a_folder(tmp_path: Path) -> None:
    (tmp_path / PRODUCTS / "lib").mkdir(parents=True)
    files = ["meson.build", "lib/meson.build", "tests/meson.build"]
    build = Build(System.MESON, "meson.build")
    assert unused(build, files, tmp_path, {}) == ("tests/meson.build",)
