"""Building real trees against the ROCm tree, and what is said of those that do not build."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from porting.building import Building, BuildRequest, build, judge
from porting.config import Target
from porting.diagnostics import Severity
from porting.reports import State
from porting.toolkits.sysroot import Sysroot

TARGET = Target("7.1", ("gfx942",))
KERNEL = """\
#include <hip/hip_runtime.h>
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
extern "C" int run() { twice<<<1, 1>>>(nullptr); return hipGetLastError(); }
"""
MAKEFILE = """\
libtwice.so: twice.hip
\t$(ROCM_PATH)/bin/hipcc --offload-arch=gfx942 -fPIC -shared $< -o $@ -Wl,-rpath,$(ROCM_PATH)/lib
"""
MAKES = "all:\n\t@printf '!<arch>\\n' > made.a\n"


def built(root: Path, files: Mapping[str, str], smoke: tuple[str, ...] = ()) -> Building:
    for name, text in files.items():
        (root / name).write_text(text)
    before = sorted(path.name for path in root.iterdir())
    building = judge(
        build(BuildRequest(root, TARGET, smoke=smoke)), lambda file, line: (f"in/{file}", line)
    )
    assert sorted(path.name for path in root.iterdir()) == before, "the tree itself is not touched"
    return building


def told(building: Building) -> list[tuple[str, int, str]]:
    return [(d.file, d.line, d.code) for d in building.diagnostics]


@pytest.mark.usefixtures("sysroot")
def test_building_when_all_is_well(tmp_path: Path) -> None:
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": KERNEL}, ("test -f Makefile",))
    assert [(s.name, s.state, s.verified) for s in building.stages] == [
        ("rocm build", State.RAN, 1),
        ("rocm load", State.RAN, 1),
    ]
    assert {stage.note for stage in building.stages} == {
        "against generated libraries, which answer as where no GPU is and compute nothing"
    }
    assert told(building) == []
    verdicts = building.verdicts["Makefile"]
    assert verdicts[1].detail == (
        "libtwice.so: no device (hipGetDeviceCount returned 100, 0 devices); follows rocm"
    )


@pytest.mark.usefixtures("sysroot")
def test_building_when_the_audit_finds_something(tmp_path: Path) -> None:
    """It loads here, by the folder of the loader that the test adds, and would not elsewhere."""
    bare = MAKEFILE.replace(" -Wl,-rpath,$(ROCM_PATH)/lib", "")
    building = built(tmp_path, {"Makefile": bare, "twice.hip": KERNEL})
    assert "LNK" in {code[:3] for _, _, code in told(building)}
    assert "RUNPATH" in " ".join(d.message for d in building.diagnostics)


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_unit_is_wrong(tmp_path: Path) -> None:
    wrong = KERNEL.replace("hipGetLastError", "cudaGetLastError")
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": wrong})
    assert told(building) == [("in/twice.hip", 3, "BUI001")]
    assert building.stages[0].failed == 1


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_symbol_is_left_over(tmp_path: Path) -> None:
    declared = KERNEL.replace("return hip", "return cudaFree() + hip")
    text = declared.replace("__global__", 'extern "C" int cudaFree();\n__global__', 1)
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": text})
    assert told(building) == [("in/Makefile", 1, "BUI003"), ("in/Makefile", 1, "LNK008")]
    assert all("cudaFree" in finding.message for finding in building.diagnostics)
    assert building.stages[1].failed == 1


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_header_is_not_installed(tmp_path: Path) -> None:
    text = f"#include <no_such_header.h>\n{KERNEL}"
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": text})
    assert told(building) == [("in/twice.hip", 1, "BUI002")]
    assert (building.stages[0].failed, building.stages[0].not_verified) == (0, 1)


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_header_of_the_tree_is_not_found(tmp_path: Path) -> None:
    """It is there: what the tree says of where is wrong."""
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/helper.h").write_text("")
    text = f"#include <helper.h>\n{KERNEL}"
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": text})
    assert told(building) == [("in/twice.hip", 1, "BUI001")]
    assert building.diagnostics[0].help == (
        "the tree has inc/helper.h: name its folder in the build file"
    )
    assert (building.stages[0].failed, building.stages[0].not_verified) == (1, 0)


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_smoke_command_fails(tmp_path: Path) -> None:
    files = {"Makefile": MAKEFILE, "twice.hip": KERNEL}
    building = built(tmp_path, files, ("sh -c 'exit 77'", "sh -c 'echo broken; exit 3'"))
    assert told(building) == [("in/Makefile", 1, "BUI004")]
    assert building.diagnostics[0].message.endswith("ended with code 3: broken")


@pytest.mark.usefixtures("sysroot")
def test_building_when_there_is_no_build_file(tmp_path: Path) -> None:
    """It was asked for, and a success would say that it built."""
    building = built(tmp_path, {"twice.hip": KERNEL})
    assert {stage.state for stage in building.stages} == {State.UNAVAILABLE}
    files = "CMakeLists.txt, Makefile, makefile, GNUmakefile, meson.build, setup.py, Cargo.toml"
    why = f"the tree has no build file that can be run: {files}"
    assert {stage.reason for stage in building.stages} == {why}


def test_building_when_the_program_is_missing(
    sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(sysroot.path))
    (tmp_path / "tree").mkdir()
    (tmp_path / "bin").mkdir()
    for name in ("clang++-19", "clang-offload-bundler-19"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    building = built(tmp_path / "tree", {"Makefile": MAKEFILE})
    assert told(building) == [("in/Makefile", 1, "BUI002")]
    assert building.diagnostics[0].message == "not built: make is not on PATH"


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "help:\n\t@echo say make all\n"),
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(none LANGUAGES C)\n"),
        ("setup.py", "from setuptools import setup\nsetup(name='none')\n"),
    ],
)
def test_building_when_nothing_is_made(tmp_path: Path, name: str, text: str) -> None:
    building = built(tmp_path, {name: text, "twice.hip": KERNEL})
    assert told(building) == [(f"in/{name}", 1, "BUI005")]
    assert (building.stages[0].verified, building.stages[0].not_verified) == (0, 1)


@pytest.mark.usefixtures("sysroot")
def test_building_when_an_earlier_build_left_everything(tmp_path: Path) -> None:
    """What was not built is not loaded in its place."""
    (tmp_path / "libtwice.so").write_bytes(b"old")
    os.utime(tmp_path / "libtwice.so", (4e9, 4e9))
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": KERNEL})
    assert told(building) == [("in/Makefile", 1, "BUI005")]


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_library_is_built_again(tmp_path: Path) -> None:
    """One that lay in the tree is a product like any other."""
    (tmp_path / "libtwice.so").write_bytes(b"old")
    os.utime(tmp_path / "libtwice.so", (0, 0))
    building = built(tmp_path, {"Makefile": MAKEFILE, "twice.hip": KERNEL})
    assert told(building) == []
    assert [(stage.name, stage.verified) for stage in building.stages] == [
        ("rocm build", 1),
        ("rocm load", 1),
    ]


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_file_cannot_be_loaded_here(tmp_path: Path) -> None:
    """A damaged library; a program that was linked statically is not run."""
    makefile = (
        "all:\n\t@printf '\\177ELF\\002\\001' > damaged.so\n"
        "\t@echo 'int puts(); int main(void) { return puts(\"ran\"); }' > s.c\n"
        "\tgcc -w -static s.c -o static\n"
    )
    building = built(tmp_path, {"Makefile": makefile})
    assert told(building) == [("in/Makefile", 1, "BUI006")]
    assert "damaged.so was built and not loaded: " in building.diagnostics[0].message
    assert [verdict.detail for verdict in building.verdicts["Makefile"][1:]] == [
        "static: linked statically, nothing is left to resolve; follows none",
        f"damaged.so: {building.diagnostics[0].message.partition('loaded: ')[2]}",
    ]


@pytest.mark.usefixtures("sysroot")
def test_building_when_build_files_below_take_no_part(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"part{number}").mkdir()
        (tmp_path / f"part{number}/Makefile").write_text("all:\n\ttouch made\n")
    makefile = f"{MAKES}\t$(MAKE) -C part0\n"
    (finding,) = built(tmp_path, {"Makefile": makefile}).diagnostics
    assert (finding.code, finding.severity) == ("BUI007", Severity.NOTE)
    named = ", ".join(f"part{number}/Makefile" for number in range(1, 6))
    assert finding.message == f"not used by Makefile, so not built: {named} and 1 more"


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize(
    ("recipe", "code", "message"),
    [
        ("kill -9 $$PPID", "BUI002", "not built: Make build was ended by SIGKILL"),
        (
            "echo 'g++: fatal error: Killed signal terminated program cc1plus'; false",
            "BUI002",
            "not built: Killed signal terminated program cc1plus",
        ),
        ("head -c 3000000 /dev/zero | tr '\\0' e; false", "BUI001", "make ended with code 2: "),
    ],
)
def test_building_when_it_ends_badly(tmp_path: Path, recipe: str, code: str, message: str) -> None:
    (finding,) = built(tmp_path, {"Makefile": f"all:\n\t@{recipe}\n"}).diagnostics
    assert finding.code == code
    assert finding.message.startswith(message)
    assert len(finding.message) < 1000, "a person reads no more"


@pytest.mark.usefixtures("sysroot")
def test_building_when_paths_grow_too_long(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    step = "mkdir -p aaaaaaaaaa; cd -P aaaaaaaaaa"
    deep = f"\t@mkdir d; cd d; for i in $$(seq 450); do {step}; done; touch end\n"
    assert told(built(tmp_path, {"Makefile": MAKES + deep})) == []
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("sysroot")
def test_building_when_names_of_files_are_odd(tmp_path: Path) -> None:
    """Each finding is one line, and names no folder that is gone."""
    makefile = (
        "all:\n\t@printf '\\177ELF\\002\\001' > \"$$(printf 'a new\\nline\\033[31m\\377.so')\"\n"
        "\t@ln -s loop loop; ln -s . here; ln -s / out; mkfifo pipe\n"
    )
    building = built(tmp_path, {"Makefile": makefile})
    (finding,) = building.diagnostics
    assert str(finding) == (
        r"in/Makefile:1:1: BUI006 warning: a new\nline\x1b[31m\udcff.so was built and not loaded: "
        r"a new\nline\x1b[31m\udcff.so is damaged: the ELF header at 0x0 (64 bytes) ends outside "
        "the file's 6 bytes; build or download it again"
    ).replace(r"\udcff", "\udcff")
    assert tempfile.gettempdir() not in building.verdicts["Makefile"][1].detail


CMAKE = """\
cmake_minimum_required(VERSION 3.21.3)
set(CMAKE_HIP_ARCHITECTURES gfx942)
project(demo LANGUAGES CXX HIP)
add_library(twice SHARED twice.hip)
set_target_properties(twice PROPERTIES INSTALL_RPATH "$ENV{ROCM_PATH}/lib")
install(TARGETS twice LIBRARY DESTINATION lib)
"""


@pytest.mark.usefixtures("sysroot")
def test_building_when_the_library_is_installed(tmp_path: Path) -> None:
    """The build tree's RUNPATH, with an empty folder in it, is not what users get."""
    building = built(tmp_path, {"CMakeLists.txt": CMAKE, "twice.hip": KERNEL})
    assert told(building) == []
    assert [(s.name, s.verified, s.failed) for s in building.stages] == [
        ("rocm build", 1, 0),
        ("rocm load", 1, 0),
    ]


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize(
    ("smoke", "why"),
    [
        ("", "`` ended with code 127: it is empty"),
        ("say 'hello", "`say 'hello` ended with code 127: No closing quotation"),
        ("./nosuch", "`./nosuch` ended with code 127: ./nosuch: no such file or directory"),
        ("false", "`false` ended with code 1"),
        ("sh -c 'kill -9 $$'", "`sh -c 'kill -9 $$'` was ended by SIGKILL"),
    ],
)
def test_building_when_a_smoke_command_cannot_be_run(tmp_path: Path, smoke: str, why: str) -> None:
    building = built(tmp_path, {"Makefile": MAKES}, (smoke,))
    assert [(d.code, d.message) for d in building.diagnostics] == [("BUI004", why)]


@pytest.mark.usefixtures("sysroot")
def test_building_when_temporary_files_are_left(tmp_path: Path) -> None:
    """A killed compiler leaves its own; they go with the copy of the tree."""
    keep = MAKES + "\t@echo $$TMPDIR > place; test -d $$TMPDIR; touch $$TMPDIR/left\n"
    building = built(tmp_path, {"Makefile": keep}, ("grep -q porting-build- place",))
    assert told(building) == []


@pytest.mark.usefixtures("sysroot")
def test_building_when_a_file_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "queue")
    building = built(tmp_path, {"Makefile": MAKES + "\ttest ! -e queue\n"})
    assert told(building) == []


@pytest.mark.usefixtures("sysroot")
def test_building_when_the_temporary_folder_is_in_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    assert told(built(tmp_path, {"Makefile": MAKES})) == []
