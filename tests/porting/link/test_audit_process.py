"""What meets in one process, and what the loader would find; the loader itself is the judge."""

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porting.elf import read_binary
from porting.link.loader import Search, parse_cache
from porting.link.reach import reach

if TYPE_CHECKING:
    from tests.porting.link.conftest import Bench


def two_parts(bench: "Bench", first: Path, second: Path) -> Path:
    """Return a library that needs two others, which lie beside it."""
    return bench.build("both.so", "int both(void){return 1;}", first, second, "-Wl,-rpath,$ORIGIN")


def test_cudarts_when_static_in_one_file_and_shared_in_another(bench: "Bench") -> None:
    static = bench.static_cuda_user("static.so", "-Wl,-soname,static.so")
    shared = bench.cuda_user("shared.so", "-Wl,-soname,shared.so")
    assert "LNK001" in bench.codes(two_parts(bench, static, shared))
    assert "LNK001" in bench.codes(static, shared)
    assert "LNK001" not in bench.codes(static, shared, separate=True)
    other = bench.static_cuda_user("other.so", "-Wl,-soname,other.so")
    assert bench.codes(static, other) == []


def test_cudarts_when_of_two_majors(bench: "Bench") -> None:
    flags = f"-Wl,-rpath,{bench.cuda}"
    users = [
        bench.build(
            f"{n}.so", "int f(void){return 1;}", bench.cuda_library(f"libcudart.so.{n}"), flags
        )
        for n in (12, 13)
    ]
    findings = {f.code: f for f in bench.audit(*users).findings}
    assert findings["LNK002"].message.startswith("libcudart.so.12 (")
    assert "libcudart.so.13 (" in findings["LNK002"].message
    assert "LNK002" not in bench.codes(*users, separate=True)


def test_hips_when_torch_brings_its_own(bench: "Bench") -> None:
    """Torch's libraries need a copy of another name, in torch's own folder."""
    folder = bench.root / "torch/lib"
    own = bench.hip_library("libamdhip64.so", folder)
    torch = bench.build(
        "torch/lib/libtorch_hip.so", "int t(void){return 1;}", own, "-Wl,-rpath,$ORIGIN"
    )
    extension = bench.hip_user("ext.so")
    (finding,) = [f for f in bench.audit(torch, extension).findings if f.code == "LNK014"]
    assert f"libamdhip64.so ({own}, needed by {torch})" in finding.message
    assert (
        f"libamdhip64.so.7 ({bench.rocm / 'libamdhip64.so.7'}, needed by {extension})"
        in finding.message
    )
    assert "LNK014" not in bench.codes(torch, extension, separate=True)


def test_hips_when_two_folders_have_the_same_name(bench: "Bench") -> None:
    """The loader takes the first for both: the order of imports decides which."""
    folder = bench.root / "torch/lib"
    own = bench.hip_library("libamdhip64.so.7", folder)
    torch = bench.build(
        "torch/lib/libtorch_hip.so", "int t(void){return 1;}", own, "-Wl,-rpath,$ORIGIN"
    )
    extension = bench.hip_user("ext.so")
    assert bench.codes(torch, extension) == ["LNK015"]
    shared = bench.hip_user("again.so")
    assert bench.codes(shared, extension) == []


def test_library_when_it_is_not_on_this_machine(bench: "Bench") -> None:
    path = bench.hip_user()
    (bench.rocm / "libamdhip64.so.7").unlink()
    result = bench.audit(path)
    (finding,) = result.findings
    assert (finding.code, finding.severity) == ("LNK019", "note")
    assert finding.message == f"libamdhip64.so.7, needed by {path}, is not found on this machine"
    assert result.exit_code == 0
    assert result.files[0].places["libamdhip64.so.7"] is None


def resolved(path: Path, environment: dict[str, str]) -> dict[str, str]:
    """Return what the system's loader resolves for a program, name by name."""
    traced = {**os.environ, **environment, "LD_TRACE_LOADED_OBJECTS": "1"}
    done = subprocess.run(
        [path], env=traced, capture_output=True, text=True, check=True, timeout=50
    )
    pairs = (line.split(" => ") for line in done.stdout.splitlines() if " => " in line)
    found = {name.strip(): place.rpartition(" (")[0] for name, place in pairs}
    return {name: os.path.realpath(place) for name, place in found.items() if place.startswith("/")}


def walked(path: Path, search: Search) -> dict[str, str]:
    """Return the same by our walk; the loader does not trace itself."""
    (file,) = read_binary(path).members
    loaded = reach([(path, file)], search, read_binary).loaded[1:]
    return {
        item.asked: os.path.realpath(item.path)
        for item in loaded
        if not item.asked.startswith("ld-linux")
    }


PARTS = "int part(void) { return 1; }"


@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"])
@pytest.mark.parametrize("variable", ["", "environment"])
def test_walk_when_compared_with_the_loader(bench: "Bench", tags: str, variable: str) -> None:
    """A library in three folders: of the program's path, of its library's, of the environment."""
    for folder in ("one", "two", "environment"):
        bench.library(bench.root / folder / "libpart.so", "libpart.so", PARTS)
    flags = (f"-Wl,{tags},-rpath,$ORIGIN/../two", bench.root / "two/libpart.so")
    middle = bench.library(
        bench.root / "lib/libmiddle.so", "libmiddle.so", "int m(void){return 1;}", *flags
    )
    search = f"-Wl,{tags},-rpath,$ORIGIN/../one:${{ORIGIN}}/../lib"
    program = bench.build(
        "bin/program",
        "int main(void){return 0;}",
        middle,
        search,
        f"-Wl,-rpath-link,{bench.root}/two",
        shared=False,
    )
    environment = {"LD_LIBRARY_PATH": str(bench.root / variable)} if variable else {}
    expected = resolved(program, environment)
    assert "libpart.so" in expected
    assert walked(program, Search.of_system(environment)) == expected


def test_walk_when_a_system_program_is_compared_with_the_loader() -> None:
    assert len(expected := resolved(Path("/bin/ls"), {})) > 1
    assert walked(Path("/bin/ls"), Search.of_system({})) == expected


def test_walk_when_a_file_of_another_kind_is_in_the_way(bench: "Bench") -> None:
    library = bench.library(bench.root / "two/libpart.so", "libpart.so", PARTS)
    (bench.root / "one").mkdir()
    (bench.root / "one/libpart.so").write_text("INPUT(-lother)")
    flags = (library, "-Wl,-rpath,$ORIGIN/one:$ORIGIN/two")
    program = bench.build("program", "int main(void){return 0;}", *flags, shared=False)
    assert walked(program, Search())["libpart.so"] == str(library)


def test_cache_when_damaged() -> None:
    good = Path("/etc/ld.so.cache").read_bytes()
    assert "libc.so.6" in parse_cache(good)
    assert parse_cache(b"") == {}
    assert parse_cache(good[:60]) == {}
    assert parse_cache(b"something else" * 100) == {}
