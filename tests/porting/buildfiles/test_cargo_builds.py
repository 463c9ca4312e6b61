"""Ported crates are built by a real cargo: with cc, in workspaces, for both vendors."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

import pytest

from porting.config import Mode, Target
from porting.elf import read_binary
from porting.port import PortRequest, port
from porting.toolkits.cuda import CudaHome
from porting.toolkits.platforms import PLATFORMS
from porting.toolkits.sysroot import Sysroot

REGISTRY = Path("/usr/share/cargo/registry")
DIRECTORY_SOURCE = f"""\
[source.crates-io]
replace-with = "system"
[source.system]
directory = "{REGISTRY}"
"""


@pytest.fixture
def crate_of_cc(missing: Callable[[str], NoReturn]) -> None:
    """Ask for Debian's copy of the crate cc, from which cargo can build without a network."""
    if not any(REGISTRY.glob("cc-1.*")):
        missing("the crate cc is not installed (librust-cc-dev)")


Cargo = Callable[..., str]


@pytest.fixture
def cargo(program: Callable[[str], str]) -> Cargo:
    """Return a function that runs cargo in a folder and returns what it said."""
    found = program("cargo")
    gone = {name for platform in PLATFORMS for name in platform.variables}
    kept = {name: value for name, value in os.environ.items() if name not in gone}

    def run(folder: Path, *words: str, **environment: str) -> str:
        done = subprocess.run(
            [found, *words, "--offline"],
            cwd=folder,
            env={**kept, "CARGO_NET_OFFLINE": "true", **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    return run


def ported(files: Mapping[str, str], folder: Path, mode: Mode) -> Path:
    """Write a tree and port it; return the output."""
    for path, text in files.items():
        place = folder / "in" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    target = Target("7.1", ("gfx90a", "gfx942"))
    request = PortRequest(folder / "in", folder / "out", target, verify=False, mode=mode)
    result = port(request)
    assert [d for d in result.report.diagnostics if d.severity.value == "error"] == []
    return folder / "out"


def run(program: Path) -> list[str]:
    """Run a program and return its lines: the loader has its own run path only."""
    done = subprocess.run(
        [str(program)], env={}, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run_path(program: Path) -> list[str]:
    (elf,) = read_binary(program).members
    return list(elf.runpath or ())


SAXPY = {
    "Cargo.toml": """\
[package]
name = "saxpy"
version = "0.1.0"
edition = "2021"

[build-dependencies]
cc = "1.0"
""",
    ".cargo/config.toml": DIRECTORY_SOURCE,
    "build.rs": """\
use std::env;

fn main() {
    let cuda = env::var("CUDA_HOME").unwrap_or_else(|_| "/usr/local/cuda".to_string());
    cc::Build::new()
        .cuda(true)
        .cudart("static")
        .flag("-gencode")
        .flag("arch=compute_80,code=sm_80")
        .flag("--use_fast_math")
        .flag("-Xcompiler")
        .flag("-fPIC")
        .include(format!("{cuda}/include"))
        .file("src/saxpy.cu")
        .compile("saxpy");
    println!("cargo:rerun-if-changed=src/saxpy.cu");
    println!("cargo:rustc-link-search=native={cuda}/lib64");
    println!("cargo:rustc-link-lib=static=cudart_static");
    println!("cargo:rustc-link-lib=rt");
    println!("cargo:rustc-link-lib=dl");
}
""",
    "src/saxpy.cu": """\
#include <cuda_runtime.h>

__global__ void saxpy_kernel(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" int saxpy(int n, float a, const float* x, float* y) {
  saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, x, y);
  return static_cast<int>(cudaGetLastError());
}
""",
    "src/main.rs": """\
extern "C" {
    fn saxpy(n: i32, a: f32, x: *const f32, y: *mut f32) -> i32;
}

fn main() {
    let status = unsafe { saxpy(1, 1.0, std::ptr::null(), std::ptr::null_mut()) };
    println!("{status}");
}
""",
}
NO_DEVICE = {"rocm": ["100"], "cuda": ["35"]}  # no stub of a driver is newer than its runtime


@pytest.mark.usefixtures("crate_of_cc")
@pytest.mark.parametrize("mode", Mode)
def test_kernel_of_cc_is_built_for_rocm(
    tmp_path: Path, cargo: Cargo, sysroot: Sysroot, mode: Mode
) -> None:
    tree = ported(SAXPY, tmp_path, mode)
    cargo(tree, "build", ROCM_PATH=str(sysroot.path), GPU_PLATFORM="rocm")
    built = tree / "target/debug/saxpy"
    assert run(built) == NO_DEVICE["rocm"]
    assert run_path(built) == [str(sysroot.path / "lib")]
    data = built.read_bytes()
    assert b"gfx90a" in data
    assert b"gfx942" in data


@pytest.mark.usefixtures("crate_of_cc")
def test_kernel_of_cc_is_built_for_cuda_as_before(
    tmp_path: Path, cargo: Cargo, cuda_home: CudaHome
) -> None:
    tree = ported(SAXPY, tmp_path, Mode.COMPAT)
    path = f"{cuda_home.path}/bin:{os.environ['PATH']}"
    cargo(tree, "build", CUDA_HOME=str(cuda_home.path), GPU_PLATFORM="cuda", PATH=path)
    assert run(tree / "target/debug/saxpy") == NO_DEVICE["cuda"]


BY_HAND = {
    "Cargo.toml": '[package]\nname = "saxpy"\nversion = "0.1.0"\nedition = "2021"\n',
    "build.rs": """\
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn find_cuda() -> PathBuf {
    if let Ok(path) = env::var("CUDA_PATH") {
        return PathBuf::from(path);
    }
    for candidate in ["/usr/local/cuda", "/opt/cuda"] {
        if PathBuf::from(candidate).exists() {
            return PathBuf::from(candidate);
        }
    }
    panic!("no toolkit found");
}

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let cuda = find_cuda();
    let nvcc = cuda.join("bin").join("nvcc");
    let status = Command::new(&nvcc)
        .args(["-gencode", "arch=compute_80,code=sm_80"])
        .args(&["-O3", "-Xcompiler", "-fPIC", "-c", "src/saxpy.cu", "-o"])
        .arg(out.join("k.o"))
        .status()
        .unwrap();
    assert!(status.success());
    let mut archive = Command::new("ar");
    archive.arg("crs").arg(out.join("libk.a")).arg(out.join("k.o"));
    assert!(archive.status().unwrap().success());
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={}", cuda.join("lib64").display());
    println!("cargo:rustc-link-lib=static=k");
    println!("cargo:rustc-link-lib=dylib=cudart");
}
""",
    "src/saxpy.cu": SAXPY["src/saxpy.cu"],
    "src/main.rs": SAXPY["src/main.rs"],
}


@pytest.mark.parametrize("mode", Mode)
def test_kernel_that_nvcc_is_run_for_is_built_for_rocm(
    tmp_path: Path, cargo: Cargo, sysroot: Sysroot, mode: Mode
) -> None:
    tree = ported(BY_HAND, tmp_path, mode)
    script = (tree / "build.rs").read_text()
    assert '.args(["-x", "hip"])' in script
    cargo(tree, "build", ROCM_PATH=str(sysroot.path), GPU_PLATFORM="rocm")
    assert run(tree / "target/debug/saxpy") == NO_DEVICE["rocm"]
    assert run_path(tree / "target/debug/saxpy") == [str(sysroot.path / "lib")]


def package(name: str, *dependencies: str) -> str:
    head = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'
    return "\n".join([head, "[dependencies]", *dependencies, ""])


WORKSPACE = {
    "Cargo.toml": '[workspace]\nmembers = ["gpu", "mid", "app", "tool"]\n',
    "gpu/Cargo.toml": package("gpu"),
    "gpu/build.rs": """\
fn main() {
    println!("cargo:rustc-link-lib=static=cudart_static");
}
""",
    "gpu/src/lib.rs": """\
extern "C" {
    fn cudaGetDeviceCount(count: *mut i32) -> i32;
}

pub fn status() -> i32 {
    let mut count = 0;
    unsafe { cudaGetDeviceCount(&mut count) }
}
""",
    "gpu/notes": "a file of the package\n",
    "mid/Cargo.toml": package("mid", 'gpu = { path = "../gpu" }'),
    "mid/src/lib.rs": "pub use gpu::status;\n#[test]\nfn f() {\n    assert_ne!(status(), 0);\n}\n",
    "app/Cargo.toml": package("app", 'mid = { path = "../mid" }'),
    "app/src/main.rs": 'fn main() {\n    println!("{}", mid::status());\n}\n',
    "tool/Cargo.toml": package("tool", 'mid = { path = "../mid" }'),
    "tool/build.rs": 'fn main() {\n    println!("cargo:rustc-env=WORD=tool");\n}\n',
    "tool/src/main.rs": 'fn main() {\n    println!("{} {}", env!("WORD"), mid::status());\n}\n',
}


@pytest.mark.parametrize("mode", Mode)
def test_programs_of_other_crates_find_rocm(
    tmp_path: Path, cargo: Cargo, sysroot: Sysroot, mode: Mode
) -> None:
    tree = ported(WORKSPACE, tmp_path, mode)
    rocm = {"ROCM_PATH": str(sysroot.path), "GPU_PLATFORM": "rocm", "RUSTFLAGS": "-D warnings"}
    cargo(tree, "build", **rocm)
    library = str(sysroot.path / "lib")
    for name, said in (("app", "100"), ("tool", "tool 100")):
        built = tree / "target/debug" / name
        assert run(built) == [said]
        assert run_path(built) == [library]
    cargo(tree, "test", "-p", "mid", **rocm)
    assert "Fresh gpu" in cargo(tree, "build", "-v", **rocm)
    (tree / "gpu/notes").write_text("changed\n")
    assert "Compiling gpu" in cargo(tree, "build", "-v", **rocm)


ADVISED = {
    "Cargo.toml": package("probe"),
    "build.rs": "fn main() {}\n",
    "src/main.rs": """\
#![allow(non_camel_case_types)]
#[cfg(gpu_rocm)]
#[path = "../eclosion/rocm_compat.rs"]
mod rocm_compat;
#[cfg(gpu_rocm)]
use rocm_compat::cudaPointerAttributes;

#[cfg(not(gpu_rocm))]
#[repr(C)]
pub struct cudaPointerAttributes {
    pub kind: i32,
    pub device: i32,
    pub devicePointer: *mut u8,
    pub hostPointer: *mut u8,
}

extern "C" {
    fn cudaGetDeviceCount(count: *mut i32) -> i32;
    fn cudaPointerGetAttributes(a: *mut cudaPointerAttributes, p: *const u8) -> i32;
}

fn main() {
    let mut count = 0;
    println!("{} {}", cfg!(gpu_rocm), unsafe { cudaGetDeviceCount(&mut count) });
    if count > 0 {
        let mut a = unsafe { std::mem::zeroed() };
        unsafe { cudaPointerGetAttributes(&mut a, std::ptr::null()) };
    }
}
""",
}


@pytest.mark.parametrize("mode", Mode)
def test_crate_that_follows_the_advice_is_built_for_rocm(
    tmp_path: Path, cargo: Cargo, sysroot: Sysroot, mode: Mode
) -> None:
    tree = ported(ADVISED, tmp_path, mode)
    cargo(tree, "build", ROCM_PATH=str(sysroot.path), GPU_PLATFORM="rocm", RUSTFLAGS="-D warnings")
    built = tree / "target/debug/probe"
    assert run(built) == ["true 100"]
    assert run_path(built) == [str(sysroot.path / "lib")]
