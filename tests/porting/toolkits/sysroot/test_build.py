"""ROCm trees: releases, provenance, and what compilers and CMake make of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits import sysroot as sysroots
from porting.toolkits.sysroot import Header, NoHeadersError, Origin, Sysroot
from porting.toolkits.sysroot.manifest import MANIFEST, read_manifest, write_manifest

KERNEL = """
#include <hip/hip_runtime.h>
__global__ void k(float *p) { p[threadIdx.x] = sinf(p[0]) + __expf(p[1]) + sqrtf(p[2]); }
void f(float *p) { k<<<1, 64>>>(p); }
"""


@pytest.mark.parametrize(
    ("release", "nearest"), [("6.4", "6.2"), ("7.0", "6.2"), ("7.2", "7.1"), ("10.0", "7.1")]
)
def test_create_when_no_headers_exist(release: str, nearest: str) -> None:
    expected = rf"^no headers of ROCm {release} exist on the package index; nearest: {nearest}; "
    with pytest.raises(NoHeadersError, match=expected) as caught:
        sysroots.create(release)
    assert caught.value.nearest == nearest


def test_recipe_when_a_patch_release_is_asked_for() -> None:
    assert sysroots.recipe_for("7.1.2") is sysroots.RECIPES["7.1"]


def test_create_when_offline(
    sysroot: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(ToolchainError, match=r"^cannot download triton==3\.6\.0: "):
        sysroots.create("7.1")
    assert sysroots.find("7.1") is None
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.suffix != ".lock"]


def test_tree_when_described(sysroot: Sysroot) -> None:
    described = sysroot.to_json()
    assert described["rocm"] == "7.1"
    assert described["version"].startswith("7.1.")
    assert Path(described["include"], "hip/hip_runtime.h").is_file()
    assert (
        Path(described["path"], "bin/.hipVersion").read_text().startswith("HIP_VERSION_MAJOR=7\n")
    )
    assert set(described["headers"]) == {"core", "overlay", "generated"}
    assert json.loads(json.dumps(described)) == described


def test_tree_when_created_again(sysroot: Sysroot) -> None:
    said: list[str] = []
    assert sysroots.create("7.1", say=said.append) == sysroot
    assert sysroots.find("7.1") == sysroot
    assert said == []


def test_headers_when_their_origin_is_asked(sysroot: Sysroot, sysroot_6_2: Sysroot) -> None:
    core, overlay = sysroot.headers["hip/hip_runtime.h"], sysroot.headers["hip/hip_fp16.h"]
    assert (core.origin, core.rocm) == (Origin.CORE, "7.1")
    assert core.source.startswith("triton==3.6.0 sha256:")
    assert (overlay.origin, overlay.rocm) == (Origin.OVERLAY, "6.2")
    assert overlay.foreign_to("7.1")
    own = sysroot_6_2.headers["hip/hip_fp16.h"]
    assert (own.origin, own.rocm) == (Origin.CORE, "6.2")
    assert sysroot.headers["rccl/rccl.h"].origin is Origin.GENERATED
    assert sysroot.headers["hipblaslt/hipblaslt.h"].rocm == "10.0"


@pytest.mark.parametrize("release", ["7.1", "6.2"])
def test_headers_when_compared_with_the_manifest(
    sysroot: Sysroot, sysroot_6_2: Sysroot, release: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    files = (p for p in tree.include.rglob("*") if p.is_file())
    assert {p.relative_to(tree.include).as_posix() for p in files} == set(tree.headers)


def test_headers_when_included_first(sysroot: Sysroot) -> None:
    """Every overlay header must compile beside the core it was not made for."""
    overlay = [n for n, h in sysroot.headers.items() if h.origin is Origin.OVERLAY]
    public = [name for name in overlay if "/amd_detail/" not in name]
    assert len(public) > 8
    text = "#include <hip/hip_runtime.h>\n" + "".join(f"#include <{name}>\n" for name in public)
    command = ["clang++-19", "-x", "hip", "--offload-arch=gfx1100", f"--rocm-path={sysroot.path}"]
    command += ["-nogpulib", "-isystem", str(sysroot.include), "-fsyntax-only", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("release", ["7.1", "6.2"])
def test_kernel_when_compiled_to_code(
    sysroot: Sysroot, sysroot_6_2: Sysroot, tmp_path: Path, release: str, arch: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    command = ["clang++-19", "-x", "hip", f"--offload-arch={arch}", "--offload-device-only", "-w"]
    command += ["--no-gpu-bundle-output", f"--rocm-path={tree.path}", "-isystem", str(tree.include)]
    command += ["-O2", "-c", "-", "-o", str(tmp_path / "k.co")]
    subprocess.run(command, input=KERNEL, text=True, check=True)
    described = subprocess.run(
        ["readelf", "-h", tmp_path / "k.co"], capture_output=True, text=True, check=True
    )
    assert "AMD GPU" in described.stdout


def test_cmake_when_it_finds_the_package(
    sysroot: Sysroot, tmp_path: Path, program: Callable[[str], str]
) -> None:
    cmake = program("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(demo LANGUAGES CXX)\n"
        "find_package(hip 7.0 REQUIRED CONFIG)\nadd_executable(demo main.cpp)\n"
        "target_link_libraries(demo PRIVATE hip::host)\n"
    )
    source = (
        "#include <hip/hip_runtime_api.h>\nint main() { int n; return hipGetDeviceCount(&n); }\n"
    )
    (tmp_path / "main.cpp").write_text(source)
    configure = [cmake, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={sysroot.path}"]
    for command in (configure, [cmake, "--build", "build"]):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert subprocess.run([tmp_path / "build/demo"], check=False).returncode == 100


CREATE = """
import sys
from porting.toolkits import sysroot
def say(text):
    print(text, flush=True)
    if text.startswith("building"):
        sys.stdin.readline()
sysroot.create("6.2", say=say)
"""


def test_create_when_it_was_killed_in_the_middle(
    sysroot_6_2: Sysroot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheels come from the suite's cache; only the tree is built again."""
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path))
    (tmp_path / "wheels").symlink_to(sysroot_6_2.path.parents[1] / "wheels")
    process = subprocess.Popen(
        [sys.executable, "-c", CREATE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("building the ROCm 6.2 tree")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert sysroots.find("6.2") is None
    tree = sysroots.create("6.2")
    assert tree.headers == sysroot_6_2.headers
    assert [p.name for p in tree.path.parent.iterdir() if ".building-" in p.name] == []


def test_manifest_when_written_and_read(tmp_path: Path) -> None:
    header = Header(Origin.OVERLAY, "6.2", "demo==1.0 sha256:00")
    tree = Sysroot(tmp_path, "7.1", "7.1.0", {"hip/a.h": header}, ("demo==1.0 sha256:00",))
    write_manifest(tree)
    assert read_manifest(tmp_path) == tree


@pytest.mark.parametrize("text", [None, "{", "[]", '{"rocm": "7.1"}'])
def test_manifest_when_damaged(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ToolchainError, match=rf"^{tmp_path} is no complete ROCm tree \("):
        read_manifest(tmp_path)


def test_installed_tree_when_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "include/hip").mkdir(parents=True)
    with pytest.raises(ToolchainError, match=r"has no include/hip/hip_version\.h"):
        sysroots.installed(tmp_path, "6.4")
    (tmp_path / "include/hip/hip_version.h").write_text(
        "#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 4\n#define HIP_VERSION_PATCH 43\n"
    )
    tree = sysroots.installed(tmp_path, "6.4")
    assert (tree.version, tree.headers, tree.include) == ("6.4.43", {}, tmp_path / "include")


def test_tree_path_when_another_process_asks(sysroot: Sysroot) -> None:
    code = "from porting.toolkits import sysroot; print(sysroot.find('7.1').path)"
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        assert done.stdout.strip() == str(sysroot.path)
