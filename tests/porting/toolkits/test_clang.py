"""Which clang is taken: the order, and the reasons against."""

import re
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits import clang
from porting.toolkits.clang import Clang, Refused

PROCESSORS = "Available CPUs for this target:\n\n\tgfx90a\n\tgfx942\n"


def fake(folder: Path, name: str, version: str, processors: str = PROCESSORS) -> Path:
    """Write a program that answers as a clang driver does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(
        "#!/bin/sh\n"
        'case "$*" in\n'
        f"  *--print-supported-cpus*) echo '{processors}' ;;\n"
        f"  *) echo '{version}' ;;\n"
        "esac\n"
    )
    path.chmod(0o755)
    return path


def debian(major: int) -> str:
    """Return the version line of Debian's clang."""
    return f"Debian clang version {major}.1.7 (3~deb12u1)"


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder on PATH beside the shell's."""
    monkeypatch.delenv("ECLOSION_CLANG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def test_inspect_when_usable(tmp_path: Path) -> None:
    path = fake(tmp_path, "clang++", debian(19))
    archs = frozenset({"gfx90a", "gfx942"})
    assert clang.inspect(path) == Clang(path, 19, debian(19), archs)


@pytest.mark.parametrize(
    ("version", "processors", "reason"),
    [
        (debian(16), PROCESSORS, "clang 16 is too old, 17 or newer is needed"),
        (debian(19), "x86-64\n", "clang 19 was built without the AMDGPU target"),
        ("g++ (Debian 12.2.0-14) 12.2.0", "", "it is no clang: g++ (Debian 12.2.0-14) 12.2.0"),
        ("", "", "it is no clang: no version line"),
    ],
)
def test_inspect_when_unusable(tmp_path: Path, version: str, processors: str, reason: str) -> None:
    path = fake(tmp_path, "clang++", version, processors)
    assert clang.inspect(path) == Refused(path, reason)


def test_inspect_when_it_cannot_be_run(tmp_path: Path) -> None:
    assert clang.inspect(tmp_path / "nothing") == Refused(tmp_path / "nothing", "it cannot be run")


def test_candidates_when_several_are_on_path(bin_folder: Path, tmp_path: Path) -> None:
    for major in (17, 18, 19, 20, 22):
        fake(bin_folder, f"clang++-{major}", debian(major))
    fake(bin_folder, "clang++", debian(14))
    rocm = fake(tmp_path / "rocm/llvm/bin", "clang++", "AMD clang version 20.0.0git").parents[2]
    order = [path.name for path in clang.candidates(rocm_home=rocm)]
    assert order[:5] == ["clang++-19", "clang++-20", "clang++-22", "clang++-18", "clang++-17"]
    assert clang.candidates(rocm_home=rocm)[5:] == [
        bin_folder / "clang++",
        rocm / "llvm/bin/clang++",
    ]


def test_candidates_when_one_is_chosen(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(bin_folder, "clang++-19", debian(19))
    mine = fake(tmp_path / "mine", "my-clang", debian(21))
    monkeypatch.setenv("ECLOSION_CLANG", str(mine))
    assert clang.candidates() == [mine]
    monkeypatch.setenv("ECLOSION_CLANG", "clang++-19")
    assert clang.candidates() == [bin_folder / "clang++-19"]


def test_find_when_the_best_is_too_old(bin_folder: Path) -> None:
    fake(bin_folder, "clang++-19", debian(12))
    good = fake(bin_folder, "clang++", debian(21))
    assert clang.find().path == good


def test_find_when_there_is_none(bin_folder: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^no clang .*is on PATH.*install clang-19"):
        clang.find()


def test_find_when_all_are_refused(bin_folder: Path) -> None:
    path = fake(bin_folder, "clang++", debian(14))
    expected = f"no clang that compiles HIP ({path}: clang 14 is too old, 17 or newer is needed)"
    with pytest.raises(ToolchainError, match=f"^{re.escape(expected)}"):
        clang.find()


def test_tool_when_beside_the_compiler(tmp_path: Path) -> None:
    real = fake(tmp_path / "llvm/bin", "clang++", debian(19))
    linker = fake(tmp_path / "llvm/bin", "ld.lld", "LLD 19")
    (tmp_path / "clang++-19").symlink_to(real)
    assert Clang(tmp_path / "clang++-19", 19, "").tool("ld.lld") == linker


def test_tool_when_numbered_on_path(bin_folder: Path, tmp_path: Path) -> None:
    linker = fake(bin_folder, "ld.lld-19", "LLD 19")
    compiler = Clang(tmp_path / "elsewhere/clang++", 19, "")
    assert compiler.tool("ld.lld") == linker
    assert compiler.tool("llvm-objdump") is None
