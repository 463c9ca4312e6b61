"""What a build of the GPU modules is configured with: toolkits, run path, architectures."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.toolkits.sysroot import Sysroot

from .conftest import ROOT, Checkout

pytestmark = pytest.mark.timeout(600)

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Return a function that makes what a release of ROCm is known by in a folder."""

    def make(release: str, name: str = "rocm", library: str = "lib/libamdhip64.so") -> Path:
        home = tmp_path / name
        files = {
            "include/hip/hip_runtime_api.h": "",
            library: "",
            ".info/version": f"{release}.0-1\n",
            "bin/hipcc": "#!/bin/sh\n",
        }
        for path, text in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text, encoding="utf-8")
        (home / "bin/hipcc").chmod(0o755)
        return home

    return make


@pytest.fixture(autouse=True)
def _only_named_homes(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROCM_PATH", "ROCM_HOME"):
        monkeypatch.delitem(checkout.environment, name, raising=False)


@pytest.fixture
def rocm(checkout: Checkout, install: Install, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of a ROCm 7.0 that the environment names."""
    home = install("7.0")
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", str(home))
    return home


def _given(folder: Path) -> dict[str, str]:
    """Return what the project of the ROCm module will be configured with."""
    (cache,) = (
        path
        for path in (folder / "gpu/rocm/steps").rglob("_gpu_rocm-cache-*.cmake")
        if "CMAKE_HIP_ARCH" in path.read_text(encoding="utf-8")
    )
    words = [line.split('"') for line in cache.read_text(encoding="utf-8").splitlines()]
    return {row[0].removeprefix("set(").strip(): row[1] for row in words if len(row) > 2}


@pytest.mark.parametrize("release", ["7.0", "7.2", "7.9"])
def test_the_installed_release_is_used_whichever_it_is(
    checkout: Checkout,
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    release: str,
) -> None:
    home = install(release)
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", str(home))
    done = checkout.configure(tmp_path / "build", gpu="rocm")
    assert done.returncode == 0, done.stderr
    assert f"-- toolkit for rocm: {release} at {home}\n" in done.stdout
    assert "is not used" not in done.stderr
    given = _given(tmp_path / "build")
    assert given["CMAKE_HIP_COMPILER_ROCM_ROOT"] == str(home)
    assert given["ECLOSION_RUNPATH"] == f"{home}/lib"
    rules = (tmp_path / "build/build.ninja").read_text(encoding="utf-8")
    assert f"--no-verify --rocm {release} --arch" in rules
    assert f"--platform rocm --rocm {release} --arch" in rules


def test_a_compiler_on_path_leads_to_its_release(
    checkout: Checkout, install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, home = install("6.4", "old"), install("7.2", library="lib64/libamdhip64.so")
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", str(old))
    path = checkout.environment["PATH"]
    monkeypatch.setitem(checkout.environment, "PATH", f"{home / 'bin'}:{path}")
    done = checkout.configure(tmp_path / "build", gpu="rocm")
    assert done.returncode == 0, done.stderr
    assert f"-- toolkit for rocm: 7.2 at {home}\n" in done.stdout
    assert f"ROCM_PATH={old} is not used" in " ".join(done.stderr.split())
    assert _given(tmp_path / "build")["ECLOSION_RUNPATH"] == f"{home}/lib64"


@pytest.mark.parametrize("release", ["5.7", "6.4"])
def test_a_release_that_is_too_old_is_an_error(
    checkout: Checkout,
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    release: str,
) -> None:
    home = install(release)
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", str(home))
    done = checkout.configure(tmp_path / "build", gpu="rocm")
    assert done.returncode != 0
    assert f"rocm {release} found at {home}, 7.0 or newer is needed; set ROCM_PATH" in done.stderr
    assert "ECLOSION_ROCM=7.1" in done.stderr


def test_a_release_that_was_asked_for_is_used_in_place_of_the_installed(
    checkout: Checkout,
    install: Install,
    sysroot: Sysroot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", str(install("7.2")))
    done = checkout.configure(tmp_path / "build", "-DECLOSION_ROCM=7.1", gpu="rocm")
    assert done.returncode == 0, done.stderr
    assert "is not used" in done.stderr
    given = _given(tmp_path / "build")
    assert given["CMAKE_HIP_COMPILER_ROCM_ROOT"] == str(sysroot.path)
    assert given["ECLOSION_RUNPATH"] == "/opt/rocm/lib"


def test_asking_for_a_release_that_is_too_old_is_an_error(
    checkout: Checkout, tmp_path: Path
) -> None:
    done = checkout.configure(tmp_path, "-DECLOSION_ROCM=6.4", gpu="rocm")
    assert done.returncode != 0
    assert "--rocm 6.4 is older than --oldest 7.0" in done.stderr


@pytest.mark.parametrize(
    ("given", "folders"),
    [
        ("/sw/rocm/lib", ["/sw/rocm/lib"]),
        ("$ORIGIN/../rocm/lib:/sw/rocm/lib", ["$ORIGIN/../rocm/lib", "/sw/rocm/lib"]),
        ("/sw/rocm/lib;${ORIGIN}", ["/sw/rocm/lib", "${ORIGIN}"]),
    ],
)
@pytest.mark.usefixtures("rocm")
def test_a_run_path_that_was_given_stays_and_the_audit_is_told(
    checkout: Checkout, tmp_path: Path, given: str, folders: list[str]
) -> None:
    done = checkout.configure(tmp_path / "build", f"-DECLOSION_RUNPATH={given}", gpu="rocm")
    assert done.returncode == 0, done.stderr
    written = _given(tmp_path / "build")["ECLOSION_RUNPATH"]
    assert written.replace("\\", "").split(";") == folders
    rules = (tmp_path / "build/build.ninja").read_text(encoding="utf-8")
    (audit,) = (line for line in rules.splitlines() if "link audit" in line)
    command = audit.partition(" = ")[2].replace("$$", "$")
    words = shlex.split(command.replace("\\$", "$"))
    asked = [words[at + 1] for at, word in enumerate(words) if word == "--runpath"]
    assert asked == folders


@pytest.mark.parametrize("folder", ["lib", "../lib", "/sw/rocm/lib:lib", "$ORIGINAL/lib"])
@pytest.mark.usefixtures("rocm")
def test_a_run_path_from_the_users_folder_is_an_error(
    checkout: Checkout, tmp_path: Path, folder: str
) -> None:
    done = checkout.configure(tmp_path, f"-DECLOSION_RUNPATH={folder}", gpu="rocm")
    assert done.returncode != 0
    wrong = folder.rpartition(":")[2]
    assert f"ECLOSION_RUNPATH has '{wrong}', which is another folder" in done.stderr


@pytest.mark.parametrize(
    ("home", "note", "expected"),
    [
        ("rocm-7.2.1", "", "rocm/lib"),  # the link outlives the folder that it leads to now
        ("rocm", "", "rocm/lib"),
        ("rocm-7.0.2", "", "rocm-7.0.2/lib"),
        ("rocm-7.0.2", "generated", "rocm/lib"),
    ],
)
def test_the_run_path_is_the_link_where_that_leads_to_the_home(  # noqa: PLR0913, PLR0917
    checkout: Checkout, install: Install, tmp_path: Path, home: str, note: str, expected: str
) -> None:
    install("7.0", "rocm-7.0.2")
    (tmp_path / "rocm").symlink_to(install("7.2", "rocm-7.2.1"))
    script = tmp_path / "ask.cmake"
    script.write_text(
        f"include({ROOT}/bindings/toolkits.cmake)\n"
        f'eclosion_runpath("{tmp_path / home}" "{note}" "{tmp_path}/rocm" result)\n'
        'message("${result}")\n',
        encoding="utf-8",
    )
    assert checkout.run_cmake("-P", script).stderr == f"{tmp_path / expected}\n"


def test_a_home_that_is_not_used_is_told(
    checkout: Checkout, sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(checkout.environment, "ROCM_PATH", "/nonexistent")
    done = checkout.configure(tmp_path, gpu="rocm")
    assert done.returncode == 0, done.stderr
    assert "ROCM_PATH=/nonexistent is not used" in done.stderr
    assert _given(tmp_path)["CMAKE_HIP_COMPILER_ROCM_ROOT"] == str(sysroot.path)


@pytest.mark.parametrize("value", ["cude", "cuda,rocm", "ALL"])
def test_a_platform_that_does_not_exist_is_an_error(
    checkout: Checkout, tmp_path: Path, value: str
) -> None:
    done = checkout.configure(tmp_path, gpu=value)
    assert done.returncode != 0
    assert f"ECLOSION_GPU={value} is not known" in done.stderr


@pytest.mark.parametrize("name", ["a[b]", "a*", "a?", "a:b"])
@pytest.mark.usefixtures("rocm")
def test_a_folder_whose_files_would_not_be_found_is_an_error(
    checkout: Checkout, tmp_path: Path, name: str
) -> None:
    """Edits of its files would not be built."""
    done = checkout.configure(tmp_path / name, gpu="rocm")
    assert done.returncode != 0
    assert "has one of [ ] * ? :" in " ".join(done.stderr.split())


@pytest.mark.usefixtures("rocm")
def test_a_folder_with_other_odd_names_will_do(checkout: Checkout, tmp_path: Path) -> None:
    done = checkout.configure(tmp_path / "Größe (neu) & $x", gpu="rocm")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("platform", "setting", "message"),
    [
        ("rocm", "ECLOSION_ROCM_ARCHS=", "ECLOSION_ROCM_ARCHS is empty"),
        ("rocm", "ECLOSION_ROCM_ARCHS=;", "ECLOSION_ROCM_ARCHS is empty"),
        ("rocm", "ECLOSION_ROCM_ARCHS=gfx90a,sm_90", "ECLOSION_ROCM_ARCHS has 'sm_90'"),
        ("cuda", "ECLOSION_CUDA_ARCHS=80;sm_90", "ECLOSION_CUDA_ARCHS has 'sm_90'"),
    ],
)
@pytest.mark.usefixtures("cuda_home", "rocm")
def test_what_is_no_architecture_is_an_error(
    checkout: Checkout, tmp_path: Path, platform: str, setting: str, message: str
) -> None:
    done = checkout.configure(tmp_path / "build", f"-D{setting}", gpu=platform)
    assert done.returncode != 0
    assert message in done.stderr


@pytest.mark.parametrize("archs", ["gfx90a, gfx942", "gfx90a;gfx942;", " ,gfx90a gfx942,"])
@pytest.mark.usefixtures("rocm")
def test_architectures_are_separated_as_people_do(
    checkout: Checkout, tmp_path: Path, archs: str
) -> None:
    setting = f"-DECLOSION_ROCM_ARCHS={archs}"
    done = checkout.configure(tmp_path / "build", setting, gpu="rocm")
    assert done.returncode == 0, done.stderr
    assert _given(tmp_path / "build")["CMAKE_HIP_ARCHITECTURES"] == "gfx90a;gfx942"
