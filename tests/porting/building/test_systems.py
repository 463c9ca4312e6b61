"""Which build systems a tree has, and what is run for each."""

from pathlib import Path

import pytest

from porting.building.systems import PRODUCTS, Build, System, builds, steps
from porting.building.toolset import Toolset

ROCM = Toolset("rocm", Path("/opt/rocm"), ("gfx90a", "gfx942"))


def test_builds_when_files_nest() -> None:
    paths = ["CMakeLists.txt", "src/CMakeLists.txt", "Makefile", "setup.py", "rust/Cargo.toml"]
    assert builds(paths) == [
        Build(System.CMAKE, "CMakeLists.txt"),
        Build(System.MAKE, "Makefile"),
        Build(System.SETUPTOOLS, "setup.py"),
        Build(System.CARGO, "rust/Cargo.toml"),
    ]


def test_builds_when_projects_stand_side_by_side() -> None:
    assert builds(["b/Makefile", "a/Makefile", "a/sub/Makefile"]) == [
        Build(System.MAKE, "a/Makefile"),
        Build(System.MAKE, "b/Makefile"),
    ]


def test_builds_when_folders_are_hidden_or_generated() -> None:
    assert builds([".venv/setup.py", "eclosion/meson.build", "notes.txt"]) == []


@pytest.mark.parametrize(
    ("path", "is_part"),
    [
        ("lib/CMakeLists.txt", True),
        ("lib/sub/CMakeLists.txt", True),
        ("lib/cmake/gpu.cmake", True),
        ("lib/Makefile", False),
        ("CMakeLists.txt", False),
        ("library/CMakeLists.txt", False),
    ],
)
def test_part_when_a_file_is_of_the_same_system(path: str, *, is_part: bool) -> None:
    assert Build(System.CMAKE, "lib/CMakeLists.txt").has_part(path) is is_part


@pytest.mark.parametrize(
    ("system", "path"),
    [(System.CARGO, "build.rs"), (System.MAKE, "gpu.mk"), (System.SETUPTOOLS, "setup.py")],
)
def test_part_when_a_file_is_read_by_the_first(system: System, path: str) -> None:
    assert Build(system, "x").has_part(path)


@pytest.mark.parametrize("system", System)
def test_steps_when_each_system_is_run(system: System) -> None:
    commands = [step.command for step in steps(Build(system, "x/file"), ROCM, 3)]
    assert all(commands)
    text = " ".join(word for command in commands for word in command)
    assert system is System.MAKE or PRODUCTS in text
    assert system is System.SETUPTOOLS or "3" in text
    assert system is not System.CARGO or "--workspace" in text, "all members are built"


def test_environment_when_another_toolkit_is_set() -> None:
    inherited = {
        "PATH": "/usr/bin",
        "CUDA_HOME": "/usr/local/cuda",
        "ROCM_HOME": "/other",
        "CPATH": "/usr/local/cuda/include",
        "MAKEFLAGS": "w -j8 --jobserver-auth=3,4",
        "EDITOR": "vi",
    }
    environment = ROCM.environment(inherited)
    assert environment == {
        "PATH": "/opt/rocm/bin:/usr/bin",
        "ROCM_PATH": "/opt/rocm",
        "ROCM_HOME": "/opt/rocm",
        "GPU_PLATFORM": "rocm",
        "PYTORCH_ROCM_ARCH": "gfx90a;gfx942",
        "LC_ALL": "C",
        "EDITOR": "vi",
    }


def test_loading_when_the_driver_is_linked() -> None:
    cuda = Toolset("cuda", Path("/cuda"), (), (Path("/cuda/lib64"),), Path("/cuda/lib64/stubs"))
    assert cuda.loading({}, driver=False) == {"LD_LIBRARY_PATH": "/cuda/lib64"}
    assert cuda.loading({}, driver=True) == {"LD_LIBRARY_PATH": "/cuda/lib64:/cuda/lib64/stubs"}
    assert ROCM.loading({"A": "b"}, driver=True) == {"A": "b"}
