"""Which flags units are compiled with: the caller's, those of the build, those of build files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from porting.config import Target
from porting.reports import Outcome
from porting.toolkits.sysroot import Sysroot
from porting.verify import Flags, VerifyRequest, verify
from tests.porting.verify.trees import GOOD, RUNTIME, outcomes, write


def test_flags_when_the_caller_gives_them(sysroot: Sysroot, tmp_path: Path) -> None:
    text = "#include <outside.h>\nstatic_assert(VALUE + OUTSIDE == 7 && __cplusplus > 202000L);\n"
    root = write(tmp_path / "tree", {"a.cpp": text})
    write(tmp_path / "inc", {"outside.h": "#define OUTSIDE 4\n"})
    bare = VerifyRequest(root)
    assert [d.code for d in verify(bare).diagnostics] == ["VER002"]
    flags = Flags((str(tmp_path / "inc"),), ("VALUE=3",), ("-std=c++20",))
    assert verify(replace(bare, flags=flags)).diagnostics == ()


def test_flags_when_the_build_has_them(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"src/a.cpp": f"static_assert(VALUE == 3);\n{GOOD}"})
    command = "nvcc -x cu -DVALUE=3 -c /in/src/a.cpp"
    entries = [{"directory": "/in", "file": "/in/src/a.cpp", "command": command}]
    (root / "compile_commands.json").write_text(json.dumps(entries))
    result = verify(VerifyRequest(root, Target(archs=("gfx942",))))
    assert result.diagnostics == ()
    assert len(result.verdicts["src/a.cpp"]) == 2


def test_flags_when_the_build_was_of_another_tree(sysroot: Sysroot, tmp_path: Path) -> None:
    root = write(tmp_path, {"a.cu": GOOD})
    command = "nvcc -DVALUE=3 -c /in/b.cu"
    entries = [{"directory": "/in", "file": "/in/b.cu", "command": command}]
    for place, named in (("build/compile_commands.json", entries), ("compile_commands.json", [])):
        write(root, {place: json.dumps(named)})
        result = verify(VerifyRequest(root, Target(archs=("gfx942",))))
        assert [stage.note for stage in result.stages] == [
            f"{place} names no unit of this tree, so no flags were taken from it"
        ] * 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 20)\nset(CMAKE_CUDA_STANDARD 17)\n"),
        ("CMakeLists.txt", "target_compile_features(x PUBLIC cxx_std_20)\n"),
        ("setup.py", "extra_compile_args = ['-std=c++2a', '-std=c++98']\n"),
    ],
)
def test_standard_when_a_build_file_names_it(
    sysroot: Sysroot, tmp_path: Path, name: str, text: str
) -> None:
    program = "static_assert(__cplusplus > 202000L);\n"
    root = write(tmp_path, {"a.cpp": program})
    assert len(verify(VerifyRequest(root)).diagnostics) == 1
    write(root, {name: text})
    assert verify(VerifyRequest(root)).diagnostics == ()


@pytest.mark.parametrize("flag", ["-fgpu-rdc", ""])
def test_device_code_when_it_calls_another_unit(
    sysroot: Sysroot, tmp_path: Path, flag: str
) -> None:
    text = (
        f"{RUNTIME}extern __device__ int far(int);\n__global__ void k(int *p) {{ *p = far(1); }}\n"
    )
    build = f"add_compile_options({flag})\n"
    root = write(tmp_path, {"a.cu": text, "CMakeLists.txt": build})
    result = verify(VerifyRequest(root, Target(archs=("gfx942",))))
    outcome = Outcome.VERIFIED if flag else Outcome.FAILED
    assert ("device code", "gfx942", outcome) in outcomes(result, "a.cu")
    assert [finding.code for finding in result.diagnostics] == ([] if flag else ["VER001"])


@pytest.mark.parametrize("option", ["-dc", "--device-c", "-dlink"])
@pytest.mark.parametrize("folder", ["", "lib/"])
def test_device_code_when_a_makefile_is_left_to_a_person(
    sysroot: Sysroot, tmp_path: Path, option: str, folder: str
) -> None:
    """That it links device code by itself is told there, and is no fault of the units."""
    text = (
        f"{RUNTIME}extern __device__ int far(int);\n__global__ void k(int *p) {{ *p = far(1); }}\n"
    )
    rules = f"%.o: %.x\n\tnvcc {option} $< -o $@\n"
    files = {f"{folder}gpu/a.cu": text, f"{folder}Makefile": rules, "other/b.cu": text}
    root = write(tmp_path, files)
    result = verify(VerifyRequest(root, Target(archs=("gfx942",))))
    outside = ["other/b.cu"] if folder else []
    assert [finding.file for finding in result.diagnostics] == outside
