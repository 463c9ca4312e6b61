"""A tree and its port are built, run and compared by `porting emulate --diff`."""

import shutil
from pathlib import Path

import pytest

from porting.emulate.machine import Request
from porting.emulate.twins import Twins, both
from porting.errors import UsageError
from porting.toolkits.cuda import CudaHome
from tests.porting.conftest import Command
from tests.porting.emulate.planted_programs import SOURCES, line_of, porting

pytestmark = pytest.mark.timeout(900)


def planted_tree(folder: Path) -> Path:
    """Return a copy of the planted tree."""
    return Path(shutil.copytree(SOURCES, folder / "tree"))


def compare(home: CudaHome, tree: Path, program: str) -> tuple[int, str, str]:
    # From elsewhere: nothing is written beside the tree, nor where the command runs.
    folder = tree.parent / "elsewhere"
    folder.mkdir()
    words = ["emulate", "--diff", str(tree), "--", "planted", program]
    done = porting("cuda", home.path, words, folder)
    assert list(folder.iterdir()) == []
    names = ["CMakeLists.txt", "planted.cu", "smoothing.cu"]
    assert sorted(path.name for path in tree.iterdir()) == names
    return done.returncode, done.stdout, done.stderr


@pytest.mark.usefixtures("sysroot")
def test_a_tree_and_its_port_when_they_agree(cuda_home: CudaHome, tmp_path: Path) -> None:
    tree = planted_tree(tmp_path)
    status, output, errors = compare(cuda_home, tree, "faultless")
    steps = ("building", "compiling", "running", "downloading")
    assert [line for line in errors.splitlines() if line.split()[1] not in steps] == []
    assert "porting: running rocm\n" in errors
    assert output == "emulated cuda and rocm: 4 buffers, 3 lines of output: the same on both\n"
    assert status == 0


@pytest.mark.usefixtures("sysroot")
def test_a_tree_and_its_port_when_it_counts_on_32_lanes(
    cuda_home: CudaHome, tmp_path: Path
) -> None:
    tree = planted_tree(tmp_path)
    status, output, _ = compare(cuda_home, tree, "half_a_wave")
    one, other, verdict = output.splitlines()
    assert one == r"output: line 1: cuda has '1 values: 44838\n'; rocm has '1 values: 22960\n'"
    line = next(
        number
        for number, text in enumerate((tree / "smoothing.cu").read_text().splitlines(), 1)
        if "cudaMalloc(&made.sum" in text
    )
    assert other.startswith(f"buffer: buffer 4: of 4 bytes, allocated at smoothing.cu:{line}:")
    assert other.endswith(", differs first in bytes 0 to 3")
    assert verdict == "emulated cuda and rocm: 4 buffers, 3 lines of output: 2 differences"
    assert status == 1


@pytest.mark.usefixtures("sysroot")
def test_a_finding_when_only_the_port_has_it(cuda_home: CudaHome, tmp_path: Path) -> None:
    tree = planted_tree(tmp_path)
    status, output, _ = compare(cuda_home, tree, "row_of_32")
    place = f"smoothing.cu:{line_of('row_of_32')}"
    assert output.startswith(f"finding: rocm: {place}: EMU004 race on shared memory: ")
    assert "cuda: " not in output.partition("\n")[0]
    assert status == 1


def test_a_tree_when_it_has_no_cmake(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    with pytest.raises(UsageError, match=r"tree has no CMakeLists\.txt; only CMake's builds"):
        both(Twins(tree, "program", (), Request()), tmp_path, lambda _text: None)


@pytest.mark.parametrize(
    "options", [("--platform", "rocm"), ("--build-dir", "."), ("--report", "report.jsonl")]
)
def test_the_command_when_it_names_a_build_besides(
    command: Command, tmp_path: Path, options: tuple[str, ...]
) -> None:
    done = command("emulate", "--diff", tmp_path, *options, "--", "program")
    assert done.returncode == 2
    assert "--diff builds and reports both platforms; leave --platform" in done.stderr


def test_the_command_when_a_pattern_cannot_be_read(command: Command, tmp_path: Path) -> None:
    done = command("emulate", "--diff", tmp_path, "--ignore", "(", "--", "program")
    assert done.returncode == 2
    assert "'(' is no regular expression" in done.stderr
