"""What is generated compiles without a warning, is formatted, and does what it says when run.

rustc, rustfmt, cargo and bindgen are Debian's or any newer ones; each test says which it needs.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from porting.config import Mode, Target
from porting.headers.rust import BUILD, SYMBOLS, Shim, generate
from porting.headers.rust.api import cuda_api, hip_api
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.module import Module, Wanted
from porting.headers.rust.module_text import module_text
from porting.headers.rust.shapes import Shapes
from porting.headers.rust.style import Bindings, Style
from porting.headers.rust.symbols import Symbols
from porting.mapping import Names
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot
from tests.porting.headers.rust.conftest import ShimMaker, run

DENY = ("--edition", "2021", "--crate-type", "lib", "-D", "warnings", "--emit", "metadata")


def compilers() -> Iterator[str]:
    """Yield the Rust compilers of the machine: the one on PATH and Debian's."""
    found = {shutil.which("rustc"), shutil.which("/usr/bin/rustc")} - {None}
    yield from sorted(str(path) for path in found)


def everything(names: Names, rocm: str, style: Style) -> Module:
    """Return the module for all that CUDA's headers declare."""
    cuda = cuda_api()
    distinct = style.enums in (EnumStyle.RUST, EnumStyle.NEWTYPE)
    made = Module(Shapes(names, cuda, hip_api(rocm), distinct), style)
    is_member = style.enums is not EnumStyle.CONSTS
    tables = (cuda.functions, cuda.types, cuda.enum_of, cuda.constants, cuda.records)
    made.provide(
        Wanted(name, name, cuda.enum_of.get(name, ""), member=is_member and name in cuda.enum_of)
        for table in tables
        for name in table
        if name != "size_t"
    )
    return made


@pytest.mark.toolchain
@pytest.mark.timeout(300)
@pytest.mark.parametrize("style", EnumStyle)
def test_module_when_it_holds_all_of_cuda(
    tmp_path: Path, names: Names, style: EnumStyle, program: Callable[[str], str]
) -> None:
    program("rustc")
    file = tmp_path / "rocm_compat.rs"
    file.write_text(module_text(everything(names, "7.1", Style(style, default=True))))
    run(program("rustfmt"), "--edition", "2021", "--check", file)
    for compiler in compilers():
        run(compiler, *DENY, "-o", tmp_path / "out.rmeta", file)


@pytest.mark.toolchain
def test_module_when_the_target_is_rocm_6(tmp_path: Path, program: Callable[[str], str]) -> None:
    file = tmp_path / "rocm_compat.rs"
    file.write_text(module_text(everything(Names.load("6.2"), "6.2", Style())))
    run(program("rustfmt"), "--edition", "2021", "--check", file)
    run(program("rustc"), *DENY, "-o", tmp_path / "out.rmeta", file)


@pytest.mark.toolchain
def test_symbols_when_they_forward_all_of_cuda(
    tmp_path: Path, names: Names, program: Callable[[str], str]
) -> None:
    module = everything(names, "7.1", Style())
    symbols = Symbols(module.shapes)
    symbols.provide(cuda_api().functions)
    for function in symbols.targets:
        module.hip.add_function(function)
    (tmp_path / "rocm_compat.rs").write_text(module_text(module))
    file = tmp_path / "rocm_symbols.rs"
    file.write_text(symbols.text())
    run(program("rustfmt"), "--edition", "2021", "--check", file)
    for compiler in compilers():
        run(compiler, *DENY, "-o", tmp_path / "out.rmeta", file)


@pytest.mark.toolchain
def test_module_when_bindgen_binds_hip(
    tmp_path: Path,
    names: Names,
    sysroot: Sysroot,
    program: Callable[[str], str],
    missing: Callable[[str], NoReturn],
) -> None:
    program("bindgen")
    libclang = Path("/usr/lib/llvm-15/lib")
    if not libclang.is_dir():
        missing("libclang 15 is not installed: bindgen 0.60 fails with newer ones")
    header = tmp_path / "hip.h"
    lines = ["hip/hip_runtime_api.h", "hip/hiprtc.h", "rccl/rccl.h"]
    lines += ["hipblas/hipblas.h", "hipfft/hipfft.h", "hiprand/hiprand.h"]
    header.write_text("".join(f"#include <{line}>\n" for line in lines))
    clang = ("--", "-D__HIP_PLATFORM_AMD__", f"-I{sysroot.include}")
    environment = {**os.environ, "LIBCLANG_PATH": str(libclang), "OUT_DIR": str(tmp_path)}
    out = ("--no-doc-comments", "--size_t-is-usize", "-o", str(tmp_path / "hip_sys.rs"))
    kinds = ("function", "type", "var")
    lists = [w for kind in kinds for w in (f"--allowlist-{kind}", "(hip|HIP|nccl|NCCL).*")]
    run("bindgen", header, *out, *lists, *clang, env=environment)
    file = tmp_path / "rocm_compat.rs"
    file.write_text(module_text(everything(names, "7.1", Style(bindings=Bindings.BINDGEN))))
    run(program("rustc"), *DENY, "-o", tmp_path / "out.rmeta", file, env=environment)


FAKE_HIP = """
#include <stddef.h>
int hipMalloc(void **p, size_t n) { *p = (void *)n; return n == 1 ? 911 : n == 2 ? 1052 : 0; }
const char *hipGetErrorString(int e) { return e == 911 ? "seen as 911" : "seen as another"; }
int hipDeviceGetAttribute(int *v, int a, int d) { *v = a; return 0; }
int hipMemGetAddressRange(void **b, size_t *s, void *p) { *b = p; *s = 7; return 0; }
"""
CRATE = """
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
extern "C" {
    fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) -> u32;
    fn cudaGetErrorString(status: u32) -> *const c_char;
    fn cudaDeviceGetAttribute(value: *mut c_int, attribute: u32, device: c_int) -> u32;
    fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, pointer: u64) -> u32;
}
fn main() {
    let mut pointer = std::ptr::null_mut();
    let codes: Vec<u32> = (0..3).map(|n| unsafe { cudaMalloc(&mut pointer, n) }).collect();
    let text = unsafe { CStr::from_ptr(cudaGetErrorString(20)) };
    let (mut value, mut base, mut size) = (0, 0, 0);
    unsafe { cudaDeviceGetAttribute(&mut value, 10, 0) };
    unsafe { cuMemGetAddressRange_v2(&mut base, &mut size, 4096) };
    println!("{:?} {:?} {} {} {}", codes, text, value, base, size);
}
"""


@pytest.mark.toolchain
def test_symbols_when_a_program_runs_over_a_library(
    tmp_path: Path, shim: ShimMaker, program: Callable[[str], str]
) -> None:
    """Numbers are CUDA's on one side and HIP's on the other; the program's source is CUDA's."""
    for path, text in shim(CRATE).files.items():
        place = tmp_path / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    (tmp_path / "fake.c").write_text(FAKE_HIP)
    (tmp_path / "main.rs").write_text(CRATE)
    library = tmp_path / "libamdhip64.so"
    run("cc", "-shared", "-fPIC", "-o", library, tmp_path / "fake.c")
    run(
        *(program("rustc"), "--crate-type", "lib", "--edition", "2021", "--emit", "obj", "-O"),
        *("-C", "panic=abort", "-o", tmp_path / "symbols.o", tmp_path / SYMBOLS),
    )
    run("ar", "crs", tmp_path / "libsymbols.a", tmp_path / "symbols.o")
    run(
        *(program("rustc"), "-D", "warnings", "-o", tmp_path / "main", tmp_path / "main.rs"),
        *("-L", f"native={tmp_path}", "-l", "static=symbols", "-l", "dylib=amdhip64"),
    )
    warp_size = hip_api("7.1").value("hipDeviceAttributeWarpSize")
    said = run(tmp_path / "main", env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert said == f'[0, 20, 999] "seen as 911" {warp_size} 4096 7\n'


EXAMPLE = Path(__file__).parents[4] / "examples/cuda_project"


def example_sources() -> list[SourceFile]:
    files = sorted(p for p in (EXAMPLE / "rust").rglob("*") if p.is_file())
    return [SourceFile(p.relative_to(EXAMPLE).as_posix(), p.read_bytes()) for p in files]


def write_example(place: Path, mode: Mode) -> Shim:
    """Write the example's crate, ported, and return its Rust files."""
    from porting.buildfiles import BuildContext, convert_files

    sources = example_sources()
    made = generate(sources, Target(), Names.load("7.1"))
    scripts = [source for source in sources if source.path.endswith("build.rs")]
    done = convert_files(scripts, BuildContext(mode=mode, rust=made.scripts))
    texts = {source.path: source.data for source in sources} | done.outputs
    texts |= {p: text.encode() for p, text in {**made.files, **done.generated}.items()}
    for path, data in texts.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    return made


@pytest.mark.toolchain
@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", Mode)
def test_example_when_it_is_built_for_rocm(
    tmp_path: Path, sysroot: Sysroot, mode: Mode, program: Callable[[str], str]
) -> None:
    program("cargo")
    made = write_example(tmp_path, mode)
    assert BUILD in made.files
    crate = tmp_path / "rust/tidepool-sys"
    run(program("rustfmt"), "--check", "--edition", "2021", *(tmp_path / p for p in made.files))
    for compiler in compilers():
        (crate / "Cargo.lock").unlink(missing_ok=True)  # older compilers cannot read newer ones
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("CUDA_", "HIP_"))},
            "RUSTC": compiler,
            "RUSTFLAGS": "-D warnings",
            "ROCM_PATH": str(sysroot.path),
            "GPU_PLATFORM": "rocm",
            "CARGO_TARGET_DIR": str(tmp_path / f"target{len(compiler)}"),
        }
        cargo = (Path(compiler).with_name("cargo"), "test", "--offline", "--features", "driver")
        said = run(*cargo, "--test", "memory", "--", "--nocapture", cwd=crate, env=environment)
        assert "no device memory: hipErrorNoDevice" in said
        assert (crate / "src/lib.rs").read_bytes() == (
            EXAMPLE / "rust/tidepool-sys/src/lib.rs"
        ).read_bytes()
