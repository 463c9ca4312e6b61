"""A compiler on PATH that is a wrapper is asked where its toolkit is."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from porting.building import toolset
from porting.cli import sysroot_commands
from porting.config import Target
from porting.errors import ToolchainError
from porting.toolkits import detect, doctor
from porting.toolkits.cuda import CudaHome
from porting.toolkits.detect import State
from porting.toolkits.platforms import CUDA, MOST_WORDS, ROCM, Platform

SYSTEM = "/usr/bin:/bin"  # what wrappers call, from the end of PATH


def _script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def _home(folder: Path, platform: Platform) -> Path:
    for name in (platform.headers[0], platform.libraries[0]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def _on_path(program: Path) -> dict[str, str]:
    return {"PATH": f"{program.parent}:{SYSTEM}"}


def _table(platform: Platform, tmp_path: Path, patience: float = 20) -> Platform:
    """Return the row of a platform without what this machine has at the usual place."""
    return replace(platform, defaults=(str(tmp_path / "usual"),), patience=patience)


def test_home_when_nvcc_is_a_script_that_runs_another(cuda_home: CudaHome, tmp_path: Path) -> None:
    nvcc = _script(tmp_path / "bin/nvcc", f'exec "{cuda_home.nvcc}" "$@"')
    found = detect.home(_table(CUDA, tmp_path), _on_path(nvcc))
    assert found is not None
    assert (found.path, found.source) == (cuda_home.path, "nvcc on PATH")
    assert found.release == cuda_home.release
    assert found.asked == (f"`{nvcc} --dryrun -x cu /dev/null` says #$ TOP={cuda_home.path}/bin/..")


def test_home_when_nvcc_is_a_link_to_a_cache(cuda_home: CudaHome, tmp_path: Path) -> None:
    """A cache goes by the name that it was called by, and runs the next program of that name."""
    cache = _script(
        tmp_path / "cache/bin/ccache",
        f'[ "${{0##*/}}" = nvcc ] || {{ echo "ccache: no compiler given" >&2; exit 1; }}\n'
        f'exec "{cuda_home.nvcc}" "$@"',
    )
    (tmp_path / "links").mkdir()
    (tmp_path / "links/nvcc").symlink_to(cache)
    found = detect.home(_table(CUDA, tmp_path), _on_path(tmp_path / "links/nvcc"))
    assert found is not None
    assert found.path == cuda_home.path


def test_home_when_nvcc_is_linked_to_ccache(
    cuda_home: CudaHome,
    program: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ccache = program("ccache")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/nvcc").symlink_to(ccache)
    path = f"{tmp_path}/links:{cuda_home.path}/bin:{SYSTEM}"
    found = detect.home(_table(CUDA, tmp_path), {**os.environ, "CUDA_HOME": "", "PATH": path})
    assert found is not None
    assert found.path == cuda_home.path


def test_home_when_nvcc_says_only_where_it_is_itself(tmp_path: Path) -> None:
    home = _home(tmp_path / "cuda", CUDA)
    (home / "bin").mkdir()
    nvcc = _script(tmp_path / "local/bin/nvcc", f"echo '#$ _HERE_={home}/bin' >&2; exit 1")
    found = detect.home(_table(CUDA, tmp_path), _on_path(nvcc))
    assert found is not None
    assert found.path == home


def test_home_when_hipcc_is_a_script_that_runs_another(tmp_path: Path) -> None:
    home = _home(tmp_path / "rocm-7.1.0", ROCM)
    (home / "lib/llvm/bin").mkdir(parents=True)
    text = f"HIP version: 7.1.0-0\nThread model: posix\nInstalledDir: {home}/lib/llvm/bin"
    real = _script(home / "bin/hipcc", f"echo '{text}'")
    hipcc = _script(tmp_path / "local/bin/hipcc", f'exec {real} "$@"')
    found = detect.home(_table(ROCM, tmp_path), _on_path(hipcc))
    assert found is not None
    assert found.path == home
    assert found.asked == f"`{hipcc} --version` says InstalledDir: {home}/lib/llvm/bin"


def test_home_when_the_compiler_of_hipcc_is_elsewhere(tmp_path: Path) -> None:
    """Where each package has a folder of its own, hipconfig knows what clang does not."""
    home = _home(tmp_path / "hip", ROCM)
    (tmp_path / "llvm/bin").mkdir(parents=True)
    hipcc = _script(tmp_path / "view/bin/hipcc", f"echo InstalledDir: {tmp_path}/llvm/bin")
    _script(tmp_path / "view/bin/hipconfig", f'[ "$*" = --rocmpath ] && printf %s "{home}"')
    found = detect.home(_table(ROCM, tmp_path), _on_path(hipcc))
    assert found is not None
    assert found.path == home
    assert found.asked == f"`{tmp_path}/view/bin/hipconfig --rocmpath` says {home}"


def test_home_when_a_compiler_stands_in_its_toolkit_is_not_asked(tmp_path: Path) -> None:
    home = _home(tmp_path / "cuda", CUDA)
    nvcc = _script(home / "bin/nvcc", f"touch {tmp_path}/asked")
    found = detect.home(_table(CUDA, tmp_path), _on_path(nvcc))
    assert found is not None
    assert (found.path, found.asked) == (home, "")
    assert not (tmp_path / "asked").exists()


def test_home_when_a_variable_names_one_no_compiler_is_asked(tmp_path: Path) -> None:
    home = _home(tmp_path / "cuda", CUDA)
    nvcc = _script(tmp_path / "local/bin/nvcc", f"touch {tmp_path}/asked")
    environment = {**_on_path(nvcc), "CUDA_HOME": str(home)}
    found = detect.home(_table(CUDA, tmp_path), environment)
    assert found is not None
    assert found.path == home
    assert not (tmp_path / "asked").exists()


_NAMES_NONE = "and names no folder that exists:"
_LACKS = "has no include/cuda_runtime.h and no lib64/libcudart_static.a"
_FIX = "set CUDA_HOME to its folder, or take {nvcc} off PATH"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("exit 3", 3, "it printed nothing"),
        ("echo 'nvcc: no module  loaded' >&2; exit 1", 1, "nvcc: no module loaded"),
        ("echo '#$ TOP=/no/such'", 0, "#$ TOP=/no/such"),
        ("echo '#$ TOP=..'", 0, "#$ TOP=.."),
        ("printf '#$ TOP=/%0300d' 0", 0, f"#$ TOP=/{'0' * 300}"[:MOST_WORDS]),
    ],
)
def test_error_when_a_wrapper_names_no_folder(
    tmp_path: Path, text: str, code: int, words: str
) -> None:
    """A toolkit at the usual place is another one than the wrapper's: it is not taken instead."""
    _home(tmp_path / "usual", CUDA)
    nvcc = _script(tmp_path / "local/bin/nvcc", text)
    table = _table(CUDA, tmp_path)
    expected = (
        f"{nvcc} does not say where its CUDA is ({tmp_path}/local {_LACKS}; "
        f"`{nvcc} --dryrun -x cu /dev/null` ended with code {code} {_NAMES_NONE} {words}); "
        f"{_FIX.format(nvcc=nvcc)}"
    )
    for environment in (_on_path(nvcc), {**_on_path(nvcc), "GPU_PLATFORM": "cuda"}):
        with pytest.raises(ToolchainError) as raised:
            detect.choose(environment, table=(table,))
        assert str(raised.value) == expected
    assert detect.choose({**_on_path(nvcc), "GPU_PLATFORM": "none"}).platform == "none"


def test_error_when_a_wrapper_hangs_ends_it_and_what_it_started(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    text = f"sleep 600 &\necho $! > {alive}\necho '#$ TOP=/usr'\nwait"
    nvcc = _script(tmp_path / "local/bin/nvcc", text)
    with pytest.raises(ToolchainError, match=r"/dev/null` did not end in 1\.5 s\); set CUDA_HOME"):
        detect.home(_table(CUDA, tmp_path, patience=1.5), _on_path(nvcc))
    pid = int(alive.read_text())
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "a process of the wrapper's is left"
        os.sched_yield()


def test_home_when_what_the_wrapper_names_is_no_toolkit(tmp_path: Path) -> None:
    """An answer is an answer: a compiler alone has no toolkit, and the usual place is looked at."""
    usual = _home(tmp_path / "usual", CUDA)
    nvcc = _script(tmp_path / "local/bin/nvcc", f"echo '#$ TOP={tmp_path}/local/bin/..'")
    table = _table(CUDA, tmp_path)
    alone, found = detect.candidates(table, _on_path(nvcc))
    assert (alone.state, found.state) == (State.UNUSABLE, State.USABLE)
    assert alone.reason == (
        f"{tmp_path}/local {_LACKS}; `{nvcc} --dryrun -x cu /dev/null` says"
        f" #$ TOP={tmp_path}/local/bin/.., and there is no home either, nor above it"
    )
    assert detect.home(table, _on_path(nvcc)) == found
    assert found.path == usual


def test_toolkit_of_a_build_when_nvcc_is_a_wrapper(cuda_home: CudaHome, tmp_path: Path) -> None:
    nvcc = _script(tmp_path / "bin/nvcc", f'exec "{cuda_home.nvcc}" "$@"')
    found = toolset.find("cuda", Target(), lambda _text: None, _on_path(nvcc))
    assert found.home == cuda_home.path


def test_command_when_a_wrapper_names_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No CUDA is made from wheels instead of the one that the wrapper may stand for."""
    nvcc = _script(tmp_path / "bin/nvcc", "echo 'no toolkit loaded'; exit 7")
    monkeypatch.setenv("PATH", _on_path(nvcc)["PATH"])
    for name in CUDA.variables:
        monkeypatch.delenv(name, raising=False)
    command = sysroot_commands.find_command
    done = CliRunner().invoke(command, ["--platform", "cuda", "--format", "json"])
    assert isinstance(done.exception, ToolchainError)
    assert "ended with code 7 and names no folder that exists: no toolkit loaded" in str(
        done.exception
    )


def test_doctor_when_a_wrapper_was_asked(tmp_path: Path) -> None:
    home = _home(tmp_path / "cuda", CUDA)
    nvcc = _script(tmp_path / "bin/nvcc", f"echo '#$ TOP={home}'")
    row = _row("CUDA home (nvcc on PATH)", _on_path(nvcc))
    assert row["state"] == "usable"
    assert row["detail"] == (
        f"of unknown version at {home}; `{nvcc} --dryrun -x cu /dev/null` says #$ TOP={home}"
    )


def test_doctor_when_a_wrapper_names_no_folder(tmp_path: Path) -> None:
    hipcc = _script(tmp_path / "bin/hipcc", "echo 'hipcc: not for this node'; exit 9")
    row = _row("ROCm home (hipcc on PATH)", _on_path(hipcc))
    assert row["state"] == "found, unusable"
    assert row["detail"].endswith(
        f"; `{hipcc} --version` ended with code 9 and names no folder that exists:"
        " hipcc: not for this node"
    )
    assert row["help"] == f"set ROCM_PATH to its folder, or take {hipcc} off PATH"


def _row(name: str, environment: dict[str, str]) -> dict[str, str]:
    rows = json.loads(json.dumps(doctor.to_json(doctor.examine(environment))))
    (found,) = [row for row in rows if row["name"] == name]
    assert isinstance(found, dict)
    return found
