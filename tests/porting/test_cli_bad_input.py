"""Bad input gets one clear line and leaves nothing half-written."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]

CUDA = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
PORT = ("port", "src", "-o", "out", "--no-verify")


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def _refused(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the error of a run that printed one line and nothing else."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("porting: error: ")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("porting: error: ").rstrip("\n")


@pytest.mark.parametrize("words", [PORT, ("scan", "src"), ("hipify", "src"), ("verify", "src")])
def test_missing_path(command: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert "src does not exist; " in _refused(command(*words))
    assert _names(tmp_path) == []


def test_include_dirs_that_are_not_there(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA, "pyproject.toml": "[tool.porting]\ninclude-dirs = ['nodir']\n"})
    assert _refused(command("port", "src", "-o", "out")) == (
        "[tool.porting] include-dirs names nodir, and there is no folder src/nodir; "
        "mend it, or say --no-verify"
    )
    assert _names(tmp_path) == ["src"]
    assert command(*PORT).returncode == 0


@pytest.mark.parametrize("name", ["port", "hipify"])
def test_output_of_a_file_that_is_named_like_a_folder(
    command: Command, make_tree: MakeTree, tmp_path: Path, name: str
) -> None:
    make_tree({"a.cu": CUDA})
    assert _refused(command(name, "src/a.cu", "-o", "o2/")) == (
        "o2/ names a folder; the output of a file is a file; name one, like o2/a.cu"
    )
    assert _names(tmp_path) == ["src"]


@pytest.mark.parametrize("words", [PORT, ("scan", "src"), ("verify", "src")])
def test_folder_without_a_source(
    command: Command, make_tree: MakeTree, tmp_path: Path, words: tuple[str, ...]
) -> None:
    make_tree({"readme.md": "text", "sub/kernel.py": "x = 1\n"})
    assert _refused(command(*words)) == (
        "no C, C++ or CUDA source is under src; is it the right folder?"
    )
    assert _names(tmp_path) == ["src"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("prot",), "no command 'prot'; did you mean 'port'?; see `porting --help`"),
        (
            ("link", "plan"),
            "missing option '--platform'. Choose from: cuda, rocm; see `porting link plan --help`",
        ),
        (("port", "src"), "missing option '-o' / '--output'; see `porting port --help`"),
        (("port", "-o", "out"), "missing argument 'SRC'; see `porting port --help`"),
        (("scan", "src", "--jobs", "none"), "invalid value for '-j' / '--jobs': 'none' is not"),
        (("scan", "src", "--rocm", "5.7"), "ROCm 5.7 is too old to be a target; 6.2 or newer"),
        (("scan", "src", "--rocm", "x"), "'x' is not a ROCm release; write it like 7.1"),
        (("scan", "src", "--arch", "sm_90"), "'sm_90' is not an AMD GPU architecture; write"),
        (("scan", "src", "--arch", ","), "no GPU architecture given; name at least one"),
        (("scan", "src", "--format", "xml"), "invalid value for '--format': 'xml' is not one of"),
        (("scan", "src", "--no-such"), "no such option"),
        (("scan", "src", "--report", "src"), "src is a folder; --report needs a file"),
        (("scan", "src", "--report", "no/r"), "no does not exist, so no report can be written"),
        (("hipify", "src"), "src is a folder; say -o OUT, --diff or --in-place"),
        (("explain",), "say one of: a code or name, --codes, --libraries"),
        (("explain", "cudaMaloc"), "'cudaMaloc' is no code of this tool and no name of a CUDA"),
        (("sysroot", "create", "--rocm", "x"), "'x' is not a ROCm release; write it like 7.1"),
        (("sysroot", "create", "--rocm", "3.5"), "no headers of ROCm 3.5 exist on the package"),
    ],
)
def test_usage(
    command: Command, make_tree: MakeTree, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    make_tree({"a.cu": CUDA})
    assert _refused(command(*words)).startswith(message)
    assert _names(tmp_path) == ["src"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.porting]\nexclud = []\n", "has no key 'exclud' (did you mean 'exclude'?)"),
        ("[tool.porting]\njobs = 'x'\n", "jobs is 'x' (str); a whole number from 1 is needed"),
        ("[tool.porting]\nignore = ['NOP999']\n", "ignores NOP999, which is no code of this"),
        ("[tool.porting]\narch = 'gfx942'\n", "arch is 'gfx942' (str); a list of strings is"),
        ("[tool.porting]\narch = ['sm_90']\n", "'sm_90' is not an AMD GPU architecture"),
        ("[tool.porting\n", "pyproject.toml is no valid TOML"),
    ],
)
def test_configuration(
    command: Command, make_tree: MakeTree, tmp_path: Path, text: str, message: str
) -> None:
    make_tree({"a.cu": CUDA, "pyproject.toml": text})
    assert message in _refused(command(*PORT))
    assert _names(tmp_path) == ["src"]


def _without_rights() -> tuple[str, ...]:
    """Return a prefix under which even root must obey permission bits."""
    if os.geteuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root reads everything, and setpriv is not there to give that up")
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


@pytest.mark.parametrize("name", ["a.cu", "data.bin", "sub", "pyproject.toml"])
def test_unreadable(command: Command, make_tree: MakeTree, tmp_path: Path, name: str) -> None:
    source = make_tree({"a.cu": CUDA, "data.bin": b"\0", "sub/b.cu": CUDA, "pyproject.toml": ""})
    (source / name).chmod(0)
    try:
        message = _refused(command(*PORT, prefix=_without_rights()))
    finally:
        (source / name).chmod(0o755)
    assert message.startswith(f"src/{name} cannot be read: permission denied")
    assert _names(tmp_path) == ["src"]


def test_unwritable_place(command: Command, make_tree: MakeTree, tmp_path: Path) -> None:
    make_tree({"a.cu": CUDA})
    (tmp_path / "locked").mkdir(mode=0o555)
    prefix = _without_rights()
    done = command("port", "src", "-o", "locked/out", "--no-verify", prefix=prefix)
    assert "locked/out cannot be written: permission denied; nothing was written" in _refused(done)
    done = command("port", "src/a.cu", "-o", "locked/a.cu", "--no-verify", prefix=prefix)
    assert "locked/a.cu cannot be written: permission denied" in _refused(done)
    done = command("scan", "src", "--report", "locked/r.txt", prefix=prefix)
    assert "locked/r.txt cannot be written: permission denied" in _refused(done)
    assert _names(tmp_path / "locked") == []


@pytest.mark.parametrize("link", ["loop", "a/../loop"])
def test_source_that_is_a_link_to_itself(command: Command, tmp_path: Path, link: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "loop").symlink_to(link)
    done = command("port", "loop", "-o", "out", "--no-verify")
    assert "loop cannot be read: too many levels of symbolic links" in _refused(done)
    assert _names(tmp_path) == ["a", "loop"]


def test_link_loop_inside_the_tree(command: Command, make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": CUDA, "sub/b.cu": CUDA})
    (source / "self").symlink_to("self")
    (source / "sub/up").symlink_to("..")
    done = command(*PORT)
    lines = [line for line in done.stdout.splitlines() if "TRE003" in line and line[0] == "s"]
    assert [line.split(":")[0] for line in lines] == ["src/self", "src/sub/up"]
    assert done.returncode == 1
    assert os.readlink(tmp_path / "out/sub/up") == ".."  # noqa: PTH115 - the text itself
    assert (tmp_path / "out/sub/b.cu").is_file()


def test_binary_source_in_a_tree(command: Command, make_tree: MakeTree, tmp_path: Path) -> None:
    make_tree({"a.cu": bytes(range(256)), "b.cu": CUDA})
    done = command(*PORT)
    assert done.stdout.splitlines()[0] == (
        "src/a.cu:1:1: TRE001 error: the file is no text: it has NUL bytes; it is not ported"
    )
    assert done.returncode == 1
    assert (tmp_path / "out/a.cu").read_bytes() == bytes(range(256))


@pytest.mark.parametrize("words", [("hipify", "src/a.cu"), ("port", "src/a.cu", "-o", "out.cu")])
def test_binary_source_alone(
    command: Command, make_tree: MakeTree, tmp_path: Path, words: tuple[str, ...]
) -> None:
    make_tree({"a.cu": bytes(range(256))})
    assert "src/a.cu is no text (it has NUL bytes)" in _refused(command(*words))
    assert _names(tmp_path) == ["src"]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("filler", ["x", "(", "a,", "/*", "'", '"', "\\\\", "<", "#"])
def test_endless_line(command: Command, make_tree: MakeTree, tmp_path: Path, filler: str) -> None:
    line = filler * (200_000 // len(filler))
    make_tree({"a.cu": f"{CUDA}//{line}\nint y; {line}\n"})
    done = command(*PORT)
    assert done.returncode in (0, 1)
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) < 2000
    assert (tmp_path / "out/a.cu").read_bytes().endswith(f"int y; {line}\n".encode())


def test_names_that_differ_in_case(command: Command, make_tree: MakeTree, tmp_path: Path) -> None:
    make_tree({"Kernel.cu": CUDA, "kernel.cu": "int other;\n"})
    done = command(*PORT)
    assert (
        "src/kernel.cu:1:1: TRE004 warning: 'kernel.cu' and 'Kernel.cu' differ only in case\n"
        in (done.stdout)
    )
    assert done.returncode == 1
    assert (tmp_path / "out/kernel.cu").read_text() == "int other;\n"
    assert "hipDeviceSynchronize" in (tmp_path / "out/Kernel.cu").read_text()


@pytest.mark.parametrize("out", ["src", "src/out", "src/sub/../out", ".", "alias/out", "src/a.cu"])
def test_output_inside_or_around_the_input(
    command: Command, make_tree: MakeTree, tmp_path: Path, out: str
) -> None:
    make_tree({"a.cu": CUDA, "sub/b.cu": CUDA})
    (tmp_path / "alias").symlink_to("src")
    message = _refused(command("port", "src", "-o", out, "--no-verify"))
    assert any(text in message for text in ("inside", "is the input itself"))
    assert _names(tmp_path) == ["alias", "src"]
    assert _names(tmp_path / "src") == ["a.cu", "sub"]


def test_output_that_belongs_to_somebody_else(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/precious").write_text("x")
    message = _refused(command(*PORT))
    assert message.startswith("out is not empty and no earlier port wrote it; nothing was written")
    assert _names(tmp_path / "out") == ["precious"]


def test_output_that_was_changed_since(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    command(*PORT)
    (tmp_path / "out/a.cu").write_text("mine\n")
    assert _refused(command(*PORT)).startswith("out/a.cu was changed since it was written")
    assert (tmp_path / "out/a.cu").read_text() == "mine\n"
    assert command(*PORT, "--force").returncode == 0
    assert "hip" in (tmp_path / "out/a.cu").read_text()


def test_pipe_in_the_tree_is_not_waited_for(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    os.mkfifo(make_tree({"b.cu": CUDA}) / "a.cu")
    done = command(*PORT)
    assert "src/a.cu:1:1: TRE005 warning: neither a file nor a folder" in done.stdout
    assert _names(tmp_path / "out") == [".porting-manifest.json", "b.cu"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 256 kB; skip where that is not allowed."""
    place = tmp_path / "small"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.mark.parametrize("big", ["data.bin", "big.cu"])
@pytest.mark.parametrize("out", ["small/out", "small"])
def test_full_disk(
    command: Command, make_tree: MakeTree, small_disk: Path, big: str, out: str
) -> None:
    make_tree({"a.cu": CUDA, big: b"// filler\n" * 40_000})
    message = _refused(command("port", "src", "-o", out, "--no-verify"))
    assert "cannot be written: no space left on its disk; nothing was written" in message
    assert _names(small_disk) == []


def test_full_disk_keeps_the_former_output(
    command: Command, make_tree: MakeTree, small_disk: Path
) -> None:
    source = make_tree({"a.cu": CUDA})
    command("port", "src", "-o", "small/out", "--no-verify")
    (source / "data.bin").write_bytes(b"x" * 400_000)
    assert "no space left" in _refused(command("port", "src", "-o", "small/out", "--no-verify"))
    assert _names(small_disk) == ["out"]
    assert "hip" in (small_disk / "out/a.cu").read_text()


def test_mount_point_is_filled_and_replaced(
    command: Command, make_tree: MakeTree, small_disk: Path
) -> None:
    source = make_tree({"a.cu": CUDA, "sub/b.cu": CUDA})
    words = ("port", "src", "-o", "small", "--no-verify")
    assert command(*words).returncode == 0
    assert _names(small_disk) == [".porting-manifest.json", "a.cu", "sub"]
    (source / "a.cu").rename(source / "c.cu")
    (small_disk / "mine").write_text("x")
    assert command(*words).returncode == 0
    assert _names(small_disk) == [".porting-manifest.json", "c.cu", "mine", "sub"]


@pytest.mark.parametrize(
    "words",
    [
        PORT,
        ("port", "src/big.cu", "-o", "out.cu", "--no-verify"),
        ("hipify", "src/big.cu", "-o", "out.cu"),
        ("hipify", "src/big.cu", "--in-place"),
    ],
)
def test_file_that_the_system_does_not_let_grow(
    command: Command, make_tree: MakeTree, tmp_path: Path, words: tuple[str, ...]
) -> None:
    source = make_tree({"a.cu": CUDA, "big.cu": CUDA + "// filler\n" * 40_000})
    before = (source / "big.cu").read_bytes()
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not there to limit the size of files")
    done = command(*words, prefix=("prlimit", "--fsize=100000"))
    assert "cannot be written: file too large; nothing was written" in _refused(done)
    assert _names(tmp_path) == ["src"]
    assert (source / "big.cu").read_bytes() == before
    assert _names(source) == ["a.cu", "big.cu"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_disk_under_stdout(
    make_tree: MakeTree, arguments: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*arguments, "hipify", "src/a.cu"],
            cwd=tmp_path,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=30,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "porting: error: no space left on device\n")


def test_read_only_input_is_ported_and_its_output_can_be_replaced(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    source = make_tree({"sub/a.cu": CUDA})
    (source / "sub/a.cu").chmod(0o444)
    (source / "sub").chmod(0o555)
    try:
        prefix = _without_rights()
        assert command(*PORT, prefix=prefix).returncode == 0
        assert command(*PORT, prefix=prefix).returncode == 0
    finally:
        (source / "sub").chmod(0o755)
    assert stat.S_IMODE((tmp_path / "out/sub/a.cu").stat().st_mode) == 0o444
    assert _names(tmp_path) == ["out", "src"]
