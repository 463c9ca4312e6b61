"""Each lint, and beside it code that is healthy."""

import pytest

from porting.diagnostics import Code
from porting.headers.rust import codes
from tests.porting.headers.rust.conftest import MANIFEST, ShimMaker

# A crate that declares CUDA itself: what the lints look at stands behind it.
OWN = 'extern "C" {\n    pub fn cudaFree(p: *mut u8) -> u32;\n}\n'


def lines(shim: ShimMaker, code: Code, library: str, **more: str) -> list[int]:
    """Return the lines of the findings of a kind, counted in the text after OWN."""
    found = shim(OWN + library, **more).diagnostics
    return [d.line - OWN.count("\n") for d in found if d.code == code.code]


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("let x: CUdeviceptr = 0;", [1]),
        ("\nf(0 as CUmemGenericAllocationHandle);", [2]),
        ("const NONE: cudaTextureObject_t = 0;", [1]),
        ("let x: CUdeviceptr = base;", []),
        ("let x: CUdevice = 0;", []),
        ("let x = 0 as u64;", []),
    ],
)
def test_literal_handle(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.LITERAL_HANDLE, library) == found


FEATURES = '[features]\nfast = []\n[dependencies]\nlog = { version = "0.4", optional = true }\n'


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('#[cfg(feature = "slow")]\nfn f() {}', [1]),
        ('#[cfg(all(unix, not(feature = "gpu")))]\nfn f() {}', [1]),
        ('\nfn f() { if cfg!(feature = "slow") {} }', [2]),
        ('#[cfg_attr(feature = "slow", derive(Debug))]\nstruct S;', [1]),
        ('#[cfg(feature = "fast")]\nfn f() {}', []),
        ('#[cfg(feature = "log")]\nfn f() {}', []),
        ('// #[cfg(feature = "slow")]\n', []),
    ],
)
def test_undeclared_feature(shim: ShimMaker, library: str, found: list[int]) -> None:
    made = lines(shim, codes.UNDECLARED_FEATURE, library, manifest=MANIFEST + FEATURES)
    assert made == found


SCRIPT = 'fn main() { println!("cargo:rustc-cfg=has_vmm"); }'


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("#[cfg(has_ipc)]\nfn f() {}", [1]),
        ("#[cfg(not(any(has_ipc, unix)))]\nfn f() {}", [1]),
        ("#[cfg(has_vmm)]\nfn f() {}", []),
        ('#[cfg(all(test, target_os = "linux", debug_assertions))]\nfn f() {}', []),
        ("#[cfg_attr(docsrs, has_ipc)]\nfn f() {}", []),
    ],
)
def test_undeclared_cfg(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.UNDECLARED_CFG, library, script=SCRIPT) == found


@pytest.mark.parametrize(
    "declared",
    [
        {"script": 'fn main() { println!("cargo::rustc-check-cfg=cfg(has_ipc, has_vmm)"); }'},
        {
            "manifest": MANIFEST + "[lints.rust.unexpected_cfgs]\nlevel = 'warn'\n"
            "check-cfg = ['cfg(has_ipc)']\n"
        },
    ],
)
def test_undeclared_cfg_when_it_is_announced(shim: ShimMaker, declared: dict[str, str]) -> None:
    assert lines(shim, codes.UNDECLARED_CFG, "#[cfg(has_ipc)]\nfn f() {}", **declared) == []


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("fn f(e: cudaError_t) {\n match e {\n 0 => {},\n 2 | 35 => {},\n _ => {}\n }\n}", [4]),
        ("fn f() {\n let s = unsafe { cudaFree(p) };\n if s == 35 {}\n}", [3]),
        ("fn f(e: sys::CUresult) { if e as i32 != 700 {} }", [1]),
        ("fn f() {\n match unsafe { cudaFree(p) } { 0 => a, 100 => { 7 } other => b(9) }\n}", [2]),
        (
            "fn f(e: cudaError_t) { match e { cudaSuccess => 1, cudaErrorNotReady => 2, _ => 3 } }",
            [],
        ),
        ("fn f(n: usize) { match n { 2 => 1, 35 => 2, _ => 3 } }", []),
        ("fn f(e: cudaError_t) { if e == 0 {} }", []),
        ("fn f() { let n = count(); if n == 35 {} }", []),
    ],
)
def test_numeric_error(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.NUMERIC_ERROR, library) == found


def test_numeric_error_when_it_names_the_numbers(shim: ShimMaker) -> None:
    found = shim(OWN + "fn f(e: cudaError_t) { match e { 35 => 1, _ => 2 } }").diagnostics
    (message,) = [d.message for d in found if d.code == codes.NUMERIC_ERROR.code]
    assert "35 (cudaErrorInsufficientDriver)" in message


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('fn f() { Library::new("libcuda.so.1") }', [1]),
        ('\nfn f() { dlopen(c"libcudart.so".as_ptr(), 1) }', [2]),
        ('const N: &[u8] = b"libnvidia-ml.so.1\\0";', [1]),
        ('fn f() { Library::new("libtidepool.so") }', []),
        ("// opens libcuda.so.1\n", []),
    ],
)
def test_library_name(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.LIBRARY_NAME, library) == found


def test_library_name_when_there_is_a_counterpart(shim: ShimMaker) -> None:
    found = shim('fn f() { Library::new("libnccl.so.2") }').diagnostics
    assert [d.message for d in found] == [
        "libnccl.so.2 is not there on ROCm; its counterpart is librccl.so.1"
    ]


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('#[link(name = "cuda")]\nextern "C" {}', [1]),
        ('#[link(name = "cudart_static", kind = "static")]\nextern "C" {}', [1]),
        ('#[link(name = "tidepool")]\nextern "C" {}', []),
    ],
)
def test_link_attribute(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.LINK_ATTRIBUTE, library) == found


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('#[link(name = "cudnn")]\nextern "C" {}', [1]),
        ('\n#[link(name = "nppc_static", kind = "static")]\nextern "C" {}', [2]),
        ('#[cfg(unix)]\n#[link(name = "nvidia-ml")]\nextern "C" {}', [2]),
        ('#[cfg_attr(not(gpu_rocm), link(name = "cudnn"))]\nextern "C" {}', []),
        ('#[cfg(not(gpu_rocm))]\n#[link(name = "cudnn")]\nextern "C" {}', []),
        ('#[link(name = "cublas")]\nextern "C" {}', []),
        ('#[link(name = "tidepool")]\nextern "C" {}', []),
    ],
)
def test_linked_library_when_rocm_has_none(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.LINKED_LIBRARY, library) == found


def test_linked_library_when_the_crate_has_nothing_else_of_cuda(shim: ShimMaker) -> None:
    made = shim('#[link(name = "cudnn")]\nextern "C" { fn mine(); }')
    assert [(d.code, d.severity.value, d.line) for d in made.diagnostics] == [
        ("RST017", "error", 1)
    ]
    assert "MIOpen" in made.diagnostics[0].help
    assert made.files == {}


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("#[repr(C)]\npub struct cudaDeviceProp { pub name: [i8; 256] }", [2]),
        ("#[repr(C)]\npub struct CUDA_MEMCPY2D { pub x: usize }", [2]),
        ("#[repr(C)]\npub struct cudaExtent { pub width: usize }", []),
        ("#[repr(C)]\npub struct CUmemAllocationProp { pub kind: u32 }", []),
        ("pub struct DeviceProp { pub name: [i8; 256] }", []),
    ],
)
def test_own_layout(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.OWN_LAYOUT, library) == found


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("pub const cudaErrorMemoryAllocation: u32 = 3;", [1]),
        ("pub const cudaErrorMemoryAllocation: u32 = 2;", []),
        ("pub const cudaHostRegisterMapped: u32 = 0x02;", []),
        ("pub const limit: u32 = 3;", []),
    ],
)
def test_other_number(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.OTHER_NUMBER, library) == found


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('extern "C" { fn wave_status() -> cudaError_t; }', [1]),
        ('extern "C" { fn wave_query(a: cudaDeviceAttr, out: *mut i32); }', [1]),
        ('extern "C" { fn wave_copy(kind: cudaMemcpyKind) -> i32; }', []),
        ('extern "C" { fn cudaGetLastError() -> cudaError_t; }', []),
    ],
)
def test_raw_numbers(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.RAW_NUMBERS, library) == found


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ('extern "C" { fn cudaMalloc(p: *mut *mut u8) -> u32; }', [1]),
        ('extern "C" { fn cudaMalloc(p: *mut *mut u8, n: usize) -> u32; }', []),
    ],
)
def test_own_signature(shim: ShimMaker, library: str, found: list[int]) -> None:
    assert lines(shim, codes.OWN_SIGNATURE, library) == found


def test_cuda_crate(shim: ShimMaker) -> None:
    manifest = MANIFEST + '[dependencies]\ncuda-runtime-sys = "0.3"\nlog = "0.4"\n'
    library = "use log::info;\nuse cuda_runtime_sys::cudaMalloc;\n"
    found = shim(library, manifest=manifest).diagnostics
    assert [(d.code, d.line) for d in found] == [(codes.CUDA_CRATE.code, 2)]
    assert not shim(library).diagnostics


def test_lints_when_the_crate_speaks_hip(shim: ShimMaker) -> None:
    library = OWN + 'mod hip_sys;\nfn f() { Library::new("libcuda.so.1") }\n'
    made = shim(library)
    assert made.diagnostics == ()
    assert made.files == {}


MODULE = '#[cfg(gpu_rocm)]\n#[path = "../eclosion/rocm_compat.rs"]\nmod rocm_compat;\n'
OTHERWISE = "#[repr(C)]\npub struct cudaDeviceProp { pub name: [i8; 256] }\n"


@pytest.mark.parametrize(
    ("library", "found"),
    [
        (f"{MODULE}pub use rocm_compat::cudaDeviceProp;\n#[cfg(not(gpu_rocm))]\n{OTHERWISE}", []),
        (f"{MODULE}pub use rocm_compat::*;\n#[cfg(not(gpu_rocm))]\n{OTHERWISE}", []),
        (f"{MODULE}pub use rocm_compat::*;\n{OTHERWISE}", [6]),
        (f"{MODULE}pub use rocm_compat::cudaExtent;\n{OTHERWISE}", [6]),
        (f"#[cfg(not(gpu_rocm))]\n{OTHERWISE}", [3]),
    ],
)
def test_own_layout_when_rocm_builds_take_the_modules(
    shim: ShimMaker, library: str, found: list[int]
) -> None:
    assert lines(shim, codes.OWN_LAYOUT, library, script="fn main() {}") == found


def test_own_layout_help_when_followed_names_a_cfg_that_is_set(shim: ShimMaker) -> None:
    (found,) = [d for d in shim(OWN + OTHERWISE).diagnostics if d.code == "RST002"]
    assert "#[cfg(gpu_rocm)] use rocm_compat::cudaDeviceProp;" in found.help
    assert lines(shim, codes.UNDECLARED_CFG, MODULE, script="fn main() {}") == []
    assert lines(shim, codes.UNDECLARED_CFG, MODULE) == [1]
