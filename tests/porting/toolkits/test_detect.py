"""The one detection rule: GPU_PLATFORM, homes, and what is no candidate."""

from dataclasses import replace
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits import detect
from porting.toolkits.detect import Choice, State
from porting.toolkits.platforms import CUDA, ROCM, Platform


def rocm_home(path: Path, version: str = "7.1.0", *, library: bool = True) -> Path:
    """Write a folder that looks like a ROCm home."""
    for folder in ("include/hip", "lib", ".info", "bin"):
        (path / folder).mkdir(parents=True)
    (path / "include/hip/hip_runtime_api.h").write_text("")
    (path / ".info/version").write_text(f"{version}-12\n")
    (path / "bin/hipcc").write_text("#!/bin/sh\n")
    (path / "bin/hipcc").chmod(0o755)
    if library:
        (path / "lib/libamdhip64.so").write_text("")
    return path


def cuda_home(path: Path, version: int = 13000) -> Path:
    """Write a folder that looks like a CUDA home."""
    for folder in ("include", "lib64", "bin"):
        (path / folder).mkdir(parents=True)
    (path / "include/cuda_runtime.h").write_text("")
    (path / "include/cuda.h").write_text(f"#define CUDA_VERSION {version}\n")
    (path / "lib64/libcudart_static.a").write_text("")
    (path / "bin/nvcc").write_text("#!/bin/sh\n")
    (path / "bin/nvcc").chmod(0o755)
    return path


@pytest.fixture
def table(tmp_path: Path) -> tuple[Platform, Platform]:
    """Return the platform table with default homes that this test alone fills."""
    return (
        replace(ROCM, defaults=(str(tmp_path / "opt/rocm"),)),
        replace(CUDA, defaults=(str(tmp_path / "usr/local/cuda"),)),
    )


def test_choice_when_nothing_is_installed(table: tuple[Platform, ...]) -> None:
    assert detect.choose({}, table=table) == Choice("none")


@pytest.mark.parametrize("platform", ["rocm", "cuda"])
def test_choice_when_one_is_installed(
    table: tuple[Platform, ...], tmp_path: Path, platform: str
) -> None:
    home = rocm_home(tmp_path / "opt/rocm") if platform == "rocm" else cuda_home(tmp_path / "cuda")
    environment = {} if platform == "rocm" else {"CUDA_PATH": str(home)}
    choice = detect.choose(environment, table=table)
    assert choice.platform == platform
    assert choice.home is not None
    assert choice.home.path == home
    assert choice.home.version == {"rocm": (7, 1), "cuda": (13, 0)}[platform]


def test_choice_when_both_are_installed(table: tuple[Platform, ...], tmp_path: Path) -> None:
    rocm = rocm_home(tmp_path / "opt/rocm")
    cuda = cuda_home(tmp_path / "usr/local/cuda")
    expected = (
        rf"^both ROCm \({rocm}\) and CUDA \({cuda}\) are installed and nothing says which to use; "
        "set GPU_PLATFORM=rocm or GPU_PLATFORM=cuda$"
    )
    with pytest.raises(ToolchainError, match=expected):
        detect.choose({}, table=table)
    for asked in ("rocm", "cuda", "none"):
        assert detect.choose({"GPU_PLATFORM": asked}, table=table).platform == asked


def test_choice_when_the_word_is_unknown(table: tuple[Platform, ...]) -> None:
    expected = "^GPU_PLATFORM=hip is none of cuda, rocm, none; set it to one of these or unset it$"
    with pytest.raises(ToolchainError, match=expected):
        detect.choose({"GPU_PLATFORM": "hip"}, table=table)


def test_choice_when_what_was_asked_for_is_missing(
    table: tuple[Platform, ...], tmp_path: Path
) -> None:
    cuda_home(tmp_path / "usr/local/cuda")
    expected = (
        rf"^GPU_PLATFORM=rocm, but no ROCm was found \({tmp_path}/opt/rocm: "
        rf"{tmp_path}/opt/rocm does not exist; ROCM_PATH is not set; ROCM_HOME is not set\); "
        r"set ROCM_PATH to its folder$"
    )
    with pytest.raises(ToolchainError, match=expected):
        detect.choose({"GPU_PLATFORM": "rocm"}, table=table)


def test_choice_when_the_rocm_that_was_asked_for_is_too_old(
    table: tuple[Platform, ...], tmp_path: Path
) -> None:
    home = rocm_home(tmp_path / "opt/rocm", "5.7.1")
    expected = rf"rocm 5\.7 found at {home}, 6\.2 or newer is needed; set ROCM_PATH"
    with pytest.raises(ToolchainError, match=expected):
        detect.choose({"GPU_PLATFORM": "rocm"}, table=table)
    assert detect.choose({}, table=table).platform == "none"


def test_homes_when_several_are_named(table: tuple[Platform, ...], tmp_path: Path) -> None:
    homes = [rocm_home(tmp_path / name) for name in ("path", "home", "compiler")]
    homes.append(rocm_home(tmp_path / "opt/rocm"))
    environment = {
        "ROCM_PATH": str(homes[0]),
        "ROCM_HOME": str(homes[1]),
        "PATH": str(homes[2] / "bin"),
    }
    found = detect.candidates(table[0], environment)
    assert [c.path for c in found] == homes
    sources = ["ROCM_PATH", "ROCM_HOME", "hipcc on PATH", str(homes[3])]
    assert [c.source for c in found] == sources


def test_homes_when_two_names_mean_one_folder(table: tuple[Platform, ...], tmp_path: Path) -> None:
    home = rocm_home(tmp_path / "rocm-7.1.0")
    (tmp_path / "opt").mkdir()
    (tmp_path / "opt/rocm").symlink_to(home)
    found = detect.candidates(table[0], {"ROCM_PATH": str(home)})
    assert [c.source for c in found] == ["ROCM_PATH"]


def test_homes_when_the_compiler_is_a_link(table: tuple[Platform, ...], tmp_path: Path) -> None:
    home = cuda_home(tmp_path / "cuda-13.0")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/nvcc").symlink_to(home / "bin/nvcc")
    found = detect.home(table[1], {"PATH": str(tmp_path / "bin")})
    assert found is not None
    assert found.path == home


def test_home_when_the_library_is_missing(table: tuple[Platform, ...], tmp_path: Path) -> None:
    home = rocm_home(tmp_path / "opt/rocm", library=False)
    (candidate, *_) = detect.candidates(table[0], {})
    assert candidate.state is State.UNUSABLE
    assert candidate.reason == f"{home} has no lib/libamdhip64.so"
    assert detect.choose({}, table=table) == Choice("none")


def test_home_when_nothing_of_it_is_there(table: tuple[Platform, ...], tmp_path: Path) -> None:
    """A compiler that was put on PATH alone is no home: its folder has no headers."""
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin/nvcc"
    nvcc.write_text("")
    nvcc.chmod(0o755)
    candidate = detect.candidates(table[1], {"PATH": str(tmp_path / "bin")})[0]
    assert candidate.state is State.UNUSABLE
    assert candidate.reason == (
        f"{tmp_path} has no include/cuda_runtime.h and no lib64/libcudart_static.a;"
        f" `{nvcc} --dryrun -x cu /dev/null` ended with code 127 and names no folder that exists:"
        f" {nvcc}: exec format error"
    )


def test_home_when_the_variable_names_no_folder(
    table: tuple[Platform, ...], tmp_path: Path
) -> None:
    good = rocm_home(tmp_path / "opt/rocm")
    gone = tmp_path / "gone"
    found = detect.candidates(table[0], {"ROCM_PATH": str(gone)})
    assert [(c.state, c.reason) for c in found] == [
        (State.ABSENT, f"{gone} does not exist"),
        (State.USABLE, ""),
    ]
    home = detect.home(table[0], {"ROCM_PATH": str(gone)})
    assert home is not None
    assert home.path == good


def test_home_when_older_than_any_port(table: tuple[Platform, ...], tmp_path: Path) -> None:
    home = rocm_home(tmp_path / "opt/rocm", "5.7.1")
    (candidate,) = detect.candidates(table[0], {})
    assert candidate.state is State.UNUSABLE
    expected = f"rocm 5.7 found at {home}, 6.2 or newer is needed; set ROCM_PATH"
    assert candidate.reason == expected


def test_version_when_only_the_header_says_it(table: tuple[Platform, ...], tmp_path: Path) -> None:
    home = rocm_home(tmp_path / "opt/rocm")
    (home / ".info/version").unlink()
    text = "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 4\n"
    (home / "include/hip/hip_version.h").write_text(text)
    (candidate,) = detect.candidates(table[0], {})
    assert candidate.version == (6, 4)


@pytest.mark.parametrize(
    ("number", "version"), [(11080, (11, 8)), (12040, (12, 4)), (13000, (13, 0))]
)
def test_version_when_cuda_states_a_number(
    table: tuple[Platform, ...], tmp_path: Path, number: int, version: tuple[int, int]
) -> None:
    cuda_home(tmp_path / "usr/local/cuda", number)
    (candidate,) = detect.candidates(table[1], {})
    assert candidate.version == version
    assert candidate.release == ".".join(map(str, version))
