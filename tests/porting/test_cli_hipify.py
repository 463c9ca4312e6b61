"""`porting hipify`: to stdout, as a diff, into a tree, in place."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]

CUDA = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
HIP = "#include <hip/hip_runtime.h>\nint main() { return hipDeviceSynchronize(); }\n"
UNDECIDED = "#include <cuda_runtime.h>\nint f(cudaStream_t s) { return cudaNoSuchCall(s); }\n"


def _git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(make_tree: MakeTree) -> Path:
    """Return a git tree with two sources, everything committed."""
    root = make_tree({"a.cu": CUDA, "sub/b.h": CUDA, "c.py": "x\n", ".gitignore": "build/\n"})
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "all")
    return root


def test_file_goes_to_stdout_and_its_findings_to_stderr(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": UNDECIDED})
    done = command("hipify", "src/a.cu")
    assert done.stdout == UNDECIDED.replace("cuda_runtime.h", "hip/hip_runtime.h").replace(
        "cudaStream_t", "hipStream_t"
    )
    assert done.stderr.startswith("src/a.cu:2:")
    assert done.returncode == 1


def test_bytes_that_no_edit_touches_are_the_same_on_stdout(
    make_tree: MakeTree, arguments: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    text = b"\xef\xbb\xbf#include <cuda_runtime.h>\r\n// Andr\xe9\f\r\nint x;"
    make_tree({"a.cu": text})
    done = subprocess.run(
        [*arguments, "hipify", "src/a.cu"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == text.replace(b"cuda_runtime.h", b"hip/hip_runtime.h")


def test_output_option_writes_a_file_or_a_tree(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA, "c.py": "x\n"})
    done = command("hipify", "src/a.cu", "-o", "b.cu")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "b.cu").read_text() == HIP
    command("hipify", "src", "-o", "out")
    assert (tmp_path / "out/a.cu").read_text() == HIP
    assert (tmp_path / "out/c.py").read_text() == "x\n"


def test_launches_are_kept_unless_the_configuration_asks_otherwise(
    command: Command, make_tree: MakeTree
) -> None:
    text = "#include <hip/hip_runtime.h>\n__global__ void k(int n);\nvoid f() { k<<<1, 2>>>(3); }\n"
    root = make_tree({"a.cu": text})
    assert command("hipify", "src/a.cu").stdout == text
    (root / "pyproject.toml").write_text("[tool.porting]\nhipify-launches = true\n")
    assert (
        "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, 3);" in command("hipify", "src/a.cu").stdout
    )


@pytest.mark.parametrize("file", ["a.cu", "sub/a.cu"])
@pytest.mark.parametrize("macro", ["HIPBLAS_V2", "OTHER"])
def test_defines_of_the_configuration_around_a_file_count(
    command: Command, make_tree: MakeTree, file: str, macro: str
) -> None:
    make_tree(
        {
            file: "void f() { cublasGemmEx(h, a); }\n",
            "pyproject.toml": f"[tool.porting]\nrocm = '6.2'\ndefines = ['{macro}']\n",
        }
    )
    warned = "needs HIPBLAS_V2" in command("hipify", f"src/{file}").stderr
    assert warned == (macro == "OTHER")


def test_diff_is_one_that_patch_takes_and_writes_nothing(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    root = make_tree({"a.cu": CUDA, "sub/b.h": CUDA, "c.h": "int c;\n"})
    done = command("hipify", "src", "--diff")
    assert (root / "a.cu").read_text() == CUDA
    assert done.stdout.count("--- a/") == 2
    subprocess.run(["patch", "-p1", "-s"], cwd=tmp_path, input=done.stdout, text=True, check=True)
    assert (root / "a.cu").read_text() == (root / "sub/b.h").read_text() == HIP
    assert command("hipify", "src", "--diff").stdout == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["src"]


@pytest.mark.parametrize("tool", [("patch", "-p1", "-s"), ("git", "apply")])
@pytest.mark.parametrize(
    ("where", "what"),
    [
        (".", "src"),
        (".", "src/sub/b.h"),
        ("src", "."),
        ("src", "sub"),
        ("src/sub", "b.h"),
        (".", "./src//"),
    ],
)
def test_diff_applies_where_the_command_ran(  # noqa: PLR0913, PLR0917 - fixtures
    command: Command,
    make_tree: MakeTree,
    tmp_path: Path,
    tool: tuple[str, ...],
    where: str,
    what: str,
) -> None:
    root = make_tree({"a.cu": CUDA, "sub/b.h": CUDA})
    here = tmp_path / where
    if tool[0] == "git":
        _git(tmp_path, "init", "-q")
    done = command("hipify", what, "--diff", cwd=here)
    subprocess.run(tool, cwd=here, input=done.stdout, text=True, check=True, capture_output=True)
    assert (root / "sub/b.h").read_text() == HIP


def test_diff_of_an_input_outside_of_the_folder_names_it_from_the_inputs_parent(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    (tmp_path / "else").mkdir()
    for what in (tmp_path / "src", Path("../src"), Path("../src/a.cu")):
        done = command("hipify", what, "--diff", cwd=tmp_path / "else")
        assert done.stdout.startswith("--- a/src/a.cu\n+++ b/src/a.cu\n"), what


def test_in_place_changes_the_sources_of_a_clean_git_tree(
    command: Command, repository: Path
) -> None:
    (repository / "a.cu").chmod(0o755)
    _git(repository, "commit", "-q", "-am", "mode")
    done = command("hipify", "src", "--in-place")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "2 files changed in src\n")
    assert (repository / "a.cu").read_text() == HIP
    assert (repository / "sub/b.h").read_text() == HIP
    assert (repository / "a.cu").stat().st_mode & 0o777 == 0o755
    assert sorted(p.name for p in repository.iterdir()) == [
        *(".git", ".gitignore", "a.cu", "c.py", "sub")
    ]


@pytest.mark.parametrize("what", ["src", "src/sub", "src/a.cu"])
@pytest.mark.parametrize("change", ["modified", "staged", "untracked", "elsewhere"])
def test_in_place_refuses_a_dirty_git_tree(
    command: Command, repository: Path, what: str, change: str
) -> None:
    name = {"untracked": "new.cu", "elsewhere": "c.py"}.get(change, "a.cu")
    (repository / name).write_text(CUDA + "// mine\n")
    if change == "staged":
        _git(repository, "add", "-A")
    done = command("hipify", what, "--in-place")
    assert done.returncode == 2
    assert done.stderr == (
        f"porting: error: {what} is in a git tree with uncommitted changes ({name}); "
        "commit or stash them, so that the port can be undone\n"
    )
    assert (repository / "sub/b.h").read_text() == CUDA


def test_in_place_refuses_files_that_git_ignores(command: Command, repository: Path) -> None:
    (repository / "build").mkdir()
    (repository / "build/gen.cu").write_text(CUDA)
    done = command("hipify", "src", "--in-place")
    assert done.returncode == 2
    assert "git does not know" in done.stderr
    assert (repository / "build/gen.cu").read_text() == CUDA
    assert (repository / "a.cu").read_text() == CUDA


def test_in_place_works_where_there_is_no_git(command: Command, make_tree: MakeTree) -> None:
    root = make_tree({"a.cu": CUDA})
    done = command("hipify", "src/a.cu", "--in-place")
    assert (done.returncode, done.stderr) == (0, "1 file changed in src/a.cu\n")
    assert (root / "a.cu").read_text() == HIP
    assert command("hipify", "src/a.cu", "--in-place").stderr == "0 files changed in src/a.cu\n"


def test_in_place_writes_through_a_link_that_was_named(
    command: Command, make_tree: MakeTree
) -> None:
    root = make_tree({"a.cu": CUDA})
    (root / "link.cu").symlink_to("a.cu")
    assert command("hipify", "src/link.cu", "--in-place").returncode == 0
    assert (root / "link.cu").is_symlink()
    assert (root / "a.cu").read_text() == HIP


@pytest.mark.parametrize(
    "words",
    [("--diff", "--in-place"), ("--diff", "-o", "x"), ("--in-place", "-o", "x")],
)
def test_ways_out_exclude_each_other(
    command: Command, make_tree: MakeTree, words: tuple[str, ...]
) -> None:
    make_tree({"a.cu": CUDA})
    done = command("hipify", "src", *words)
    assert done.returncode == 2
    assert done.stderr == (
        "porting: error: -o, --diff and --in-place exclude each other; say one of them\n"
    )
