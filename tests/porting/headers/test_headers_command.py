"""`porting headers` and `porting port --mode compat` as processes."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot

Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str]], Path]
EXAMPLE = Path(__file__).parents[3] / "examples/cuda_project"
KERNEL = "#include <cuda_runtime.h>\nvoid f(void* p) { cudaFree(p); }\n"


def contents(root: Path) -> dict[str, bytes]:
    """Return path -> bytes of every file but the manifest."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != ".porting-manifest.json"
    }


def test_header_goes_to_stdout_without_an_output(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("headers", "src")
    assert done.returncode == 0
    assert "#define cudaFree hipFree\n" in done.stdout
    assert done.stderr == ""


def test_json_holds_every_file(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("headers", "src", "--format", "json")
    files = json.loads(done.stdout)["files"]
    assert sorted(files) == ["eclosion/cuda_to_hip.h", "eclosion/include/cuda_runtime.h"]


def test_check_tells_a_new_name_and_regenerating_mends_it(
    command: Command, make_tree: MakeTree
) -> None:
    root = make_tree({"a.cu": KERNEL})
    assert command("headers", "src", "-o", "src").returncode == 0
    assert command("headers", "src", "--check").stderr == ""
    with (root / "a.cu").open("a") as file:
        file.write("#include <cuda_fp16.h>\nvoid g() { cudaDeviceReset(); }\n")
    done = command("headers", "src", "--check")
    assert done.returncode == 1
    assert "a.cu:3:11: HDR005 error: <cuda_fp16.h> is included here" in done.stderr
    assert "a.cu:4:12: HDR005 error: cudaDeviceReset is used here" in done.stderr
    command("headers", "src", "-o", "src")
    assert command("headers", "src", "--check").returncode == 0


def test_check_notes_a_name_that_is_no_longer_used(command: Command, make_tree: MakeTree) -> None:
    root = make_tree({"a.cu": KERNEL.replace("}", "cudaDeviceReset(); }")})
    command("headers", "src", "-o", "src")
    (root / "a.cu").write_text(KERNEL)
    done = command("headers", "src", "--check")
    assert done.returncode == 0
    assert "HDR006 note: cudaDeviceReset is provided and no longer used" in done.stderr


def test_check_tells_a_header_that_was_edited(command: Command, make_tree: MakeTree) -> None:
    root = make_tree({"a.cu": KERNEL})
    command("headers", "src", "-o", "src")
    header = root / "eclosion/cuda_to_hip.h"
    header.write_text(header.read_text().replace("for ROCm 7.1", "for ROCm 6.2"))
    done = command("headers", "src", "--check", "--format", "json")
    assert done.returncode == 1
    assert [found["code"] for found in json.loads(done.stdout)["diagnostics"]] == ["HDR007"]


def test_check_tells_a_header_for_cudas_that_was_edited(
    command: Command, make_tree: MakeTree
) -> None:
    tree = make_tree({"a.cu": KERNEL})
    command("headers", "src", "-o", "src")
    name = "eclosion/include/cuda_runtime.h"
    (tree / name).write_text((tree / name).read_text() + "#define mine 1\n")
    (tree / "eclosion/odd.rs").mkdir()
    done = command("headers", "src", "--check")
    assert done.returncode == 1
    assert f"{name}:1:1: HDR007 warning: {name} is not what this release writes" in done.stderr


def test_check_without_a_header_says_how_to_get_one(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("headers", "src", "--check")
    assert done.returncode == 2
    assert "make it with `porting headers TREE -o TREE`" in done.stderr


CRATE = {
    "Cargo.toml": '[package]\nname = "a"\nedition = "2021"\n',
    "build.rs": "fn main() {}\n",
    "src/lib.rs": 'extern "C" {\n    pub fn cudaDeviceReset() -> i32;\n}\n',
}


def test_check_of_a_renamed_tree_reads_the_rust_files_that_it_has(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": "void f(cudaSomethingNew* p);\n" + KERNEL, **CRATE})
    command("port", "src", "-o", "out", "--no-verify")
    (tmp_path / "out/b.cu").write_text(KERNEL)
    done = command("headers", "out", "--check")
    files = "eclosion/rocm_build.rs, eclosion/rocm_compat.rs, eclosion/rocm_symbols.rs"
    assert done.returncode == 0, done.stderr
    assert f"checked: {files}; not checked: C, C++ and CUDA sources, as" in done.stdout
    library = tmp_path / "out/src/lib.rs"
    library.write_text(library.read_text() + 'extern "C" { fn cudaFree(p: *mut u8) -> i32; }\n')
    done = command("headers", "out", "--check", "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert [found["symbol"] for found in said["diagnostics"]] == ["cudaFree"]
    assert said["absent"] == "eclosion/cuda_to_hip.h"


def test_check_of_a_compat_tree_that_lost_its_header_tells_every_name(
    command: Command, make_tree: MakeTree
) -> None:
    root = make_tree({"a.cu": KERNEL, **CRATE})
    command("headers", "src", "-o", "src")
    (root / "eclosion/cuda_to_hip.h").unlink()
    done = command("headers", "src", "--check")
    assert done.returncode == 1
    assert "a.cu:2:19: HDR005 error: cudaFree is used here" in done.stderr


def test_header_elsewhere_is_checked(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    command("headers", "src", "-o", "other")
    done = command("headers", "src", "--check", "--header", "other/eclosion/cuda_to_hip.h")
    assert done.returncode == 0


def test_compat_leaves_sources_alone_and_says_so(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    root = make_tree({"a.cu": KERNEL, "data.txt": "cudaFree\n"})
    done = command("port", "src", "-o", "out", "--mode", "compat", "--no-verify")
    assert done.returncode == 0, done.stdout
    assert "mode compat: sources are left alone" in done.stdout
    written = contents(tmp_path / "out")
    assert {path: written[path] for path in contents(root)} == contents(root)
    assert sorted(set(written) - set(contents(root))) == [
        "eclosion/cuda_to_hip.h",
        "eclosion/include/cuda_runtime.h",
    ]


def test_compat_of_its_own_output_changes_nothing(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": KERNEL})
    command("port", "src", "-o", "out", "--mode", "compat", "--no-verify")
    command("port", "out", "-o", "again", "--mode", "compat", "--no-verify")
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def test_compat_of_a_file_is_refused(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src/a.cu", "-o", "out.cu", "--mode", "compat")
    assert done.returncode == 2
    assert "--mode compat adds headers to a tree" in done.stderr


def test_mode_of_the_configuration_holds_unless_typed(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL, "pyproject.toml": '[tool.porting]\nmode = "compat"\n'})
    options = ("--no-verify", "--format", "json")
    said = json.loads(command("port", "src", "-o", "out", *options).stdout)
    typed = command("port", "src", "-o", "other", "--mode", "rename", *options)
    assert (said["mode"], json.loads(typed.stdout)["mode"]) == ("compat", "rename")


def test_suppressed_rewrites_are_counted(command: Command, make_tree: MakeTree) -> None:
    asm = 'asm("bfind.u32 %0, %1;" : "=r"(n) : "r"(n));'
    comment = "// porting: ignore[HDR001, PTX003] CUDA only"
    make_tree(
        {"a.cu": f"__device__ unsigned f(unsigned n) {{\n  {comment}\n  {asm}\n  return n;\n}}\n"}
    )
    done = command("port", "src", "-o", "out", "--mode", "compat", "--no-verify")
    assert "HDR001" not in done.stdout
    assert "1 suppressed" in done.stdout


@pytest.mark.toolchain
@pytest.mark.timeout(600)
def test_example_verifies_untouched_and_again_by_its_manifest(
    arguments: list[str], environment: dict[str, str], sysroot: Sysroot, tmp_path: Path
) -> None:
    def run(*words: str) -> dict[str, object]:
        done = subprocess.run(
            [*arguments, *words, "--format", "json"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        report: dict[str, object] = json.loads(done.stdout)
        assert done.returncode != 2, done.stderr
        return report

    output = tmp_path / "compat"
    report = run("port", str(EXAMPLE), "-o", str(output), "--mode", "compat")
    again = run("verify", str(output), "--arch", "gfx90a")
    for found in (report, again):
        stages = found["summary"]["stages"]  # type: ignore[index]
        for name in ("host syntax", "device code"):
            assert stages[name]["verified"] > 0
            assert stages[name]["failed"] == stages[name]["not_verified"] == 0
    assert again["mode"] == "compat"
    for path in EXAMPLE.rglob("*"):
        if path.suffix in {".cu", ".cuh", ".h", ".cpp"}:
            assert (output / path.relative_to(EXAMPLE)).read_bytes() == path.read_bytes()


def test_adding_a_name_to_the_example_fails_the_check(command: Command, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "project")
    command("headers", "project", "-o", "project")
    assert command("headers", "project", "--check").returncode == 0
    source = tmp_path / "project/src/memory.cpp"
    lines = source.read_text().count("\n")
    with source.open("a") as file:
        file.write("int probe() { return cudaDeviceSynchronize(); }\n")
    done = command("headers", "project", "--check")
    assert done.returncode == 1
    assert f"src/memory.cpp:{lines + 1}:22: HDR005 error: cudaDeviceSynchronize" in done.stderr


WITHOUT = "void g() { cudaCtxResetPersistingL2Cache(); cudaCtxResetPersistingL2Cache(); }\n"


def test_check_tells_a_name_that_hip_lacks_as_port_does(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL + WITHOUT, "b.cu": KERNEL + WITHOUT})
    told = "NAM001 error: no HIP name for cudaCtxResetPersistingL2Cache"
    ported = command("port", "src", "-o", "out", "--mode", "compat", "--no-verify")
    written = command("headers", "src", "-o", "src")
    checked = command("headers", "src", "--check")
    for done, text in (
        (ported, ported.stdout),
        (written, written.stderr),
        (checked, checked.stderr),
    ):
        assert done.returncode == 1
        assert f"a.cu:3:12: {told}" in text
        assert f"b.cu:3:12: {told}" in text


@pytest.mark.parametrize(
    "code",
    [
        f"#if !defined(__HIP_PLATFORM_AMD__)\n{WITHOUT}#endif\n",
        WITHOUT.replace("\n", "  // porting: ignore[NAM001] never called on ROCm\n"),
    ],
)
def test_check_is_silent_about_a_name_that_hip_lacks_where_port_is(
    command: Command, make_tree: MakeTree, code: str
) -> None:
    make_tree({"a.cu": KERNEL + code})
    assert command("headers", "src", "-o", "src").returncode == 0
    done = command("headers", "src", "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_check_of_crates_without_any_generated_file_says_one_thing(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree(CRATE)
    done = command("headers", "src", "--check")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "none of them is there" in done.stderr
    assert done.stderr.count("RST009") == 0


def test_check_of_a_crate_that_takes_the_module_goes_on_looking(
    command: Command, make_tree: MakeTree
) -> None:
    taken = '#[path = "../eclosion/rocm_compat.rs"]\nmod rocm_compat;\n'
    root = make_tree({**CRATE, "src/lib.rs": CRATE["src/lib.rs"] + taken})
    command("headers", "src", "-o", "src")
    assert "checked: eclosion/rocm_build.rs" in command("headers", "src", "--check").stdout
    with (root / "src/lib.rs").open("a") as file:
        file.write("use rocm_compat::cudaFree;\n")
    done = command("headers", "src", "--check")
    assert done.returncode == 1
    assert "src/lib.rs:6:18: RST009 error: cudaFree is not in" in done.stderr
    assert "run `porting headers TREE -o TREE` and commit" in done.stderr
