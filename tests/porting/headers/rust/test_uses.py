"""Which CUDA names a crate uses, and where."""

import pytest

from porting.headers.rust.bindgen import bindgen_of
from porting.headers.rust.crates import crates
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.uses import How, Use, crate_uses
from porting.mapping import Names
from porting.source import SourceFile
from tests.porting.headers.rust.conftest import MANIFEST, CrateMaker


def uses_of(sources: list[SourceFile], names: Names) -> tuple[Use, ...]:
    return crate_uses(crates(sources)[0], names).found


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("let s = cuda_sys::cudaMalloc(&mut p, 4);", "cudaMalloc"),
        ("cudarc::driver::sys::lib().cuInit(0)", "cuInit"),
        ("use cuda_sys::{a, b::cuCtxCreate_v2};", "cuCtxCreate_v2"),
        ("pub use sys::cudaStream_t as Stream;", "cudaStream_t"),
        ("fn f(p: *mut CUdeviceptr) {}", "CUdeviceptr"),
        ("pub type CUresult = u32;", "CUresult"),
        ("pub const cudaSuccess: u32 = 0;", "cudaSuccess"),
        ("ncclCommInitRank(c, 2, id, 0);", "ncclCommInitRank"),
        ("let g: dim3 = grid;", "dim3"),
    ],
)
def test_uses_when_code_names_cuda(code: str, name: str, crate: CrateMaker, names: Names) -> None:
    found = uses_of(crate(f"// cudaFree in a comment\n\n{code}\n"), names)
    assert [(u.wanted.cuda, u.file, u.line) for u in found] == [(name, "src/lib.rs", 3)]


def test_uses_when_nothing_is_of_cuda(crate: CrateMaker, names: Names) -> None:
    library = 'fn custom(max: u32, threadIdx: u32) { println!("cudaMalloc"); let curve = 1; }'
    assert uses_of(crate(library), names) == ()


def test_uses_when_a_block_declares_under_another_name(crate: CrateMaker, names: Names) -> None:
    library = 'extern "C" {\n    #[link_name = "cudaFree"]\n    fn release(p: *mut u8) -> u32;\n}\n'
    (found,) = uses_of(crate(library), names)
    assert (found.wanted.cuda, found.how, found.line) == ("cudaFree", How.DECLARED, 3)


def test_uses_when_enumerators_have_prefix_or_path(crate: CrateMaker, names: Names) -> None:
    library = "x = cudaError_cudaSuccess;\ny = cudaError_t::cudaErrorNotReady;\n"
    first, _, third = uses_of(crate(library), names)
    assert (first.wanted.spelled, first.wanted.cuda) == ("cudaError_cudaSuccess", "cudaSuccess")
    assert (third.wanted.cuda, third.wanted.enum, third.wanted.member) == (
        "cudaErrorNotReady",
        "cudaError",
        True,
    )


SCRIPT = """
fn main() {
    bindgen::Builder::default()
        .allowlist_function("cudaMalloc")
        .allowlist_function(r"cuMem(Create|Map)")
        .allowlist_type("cudaMemcpyKind")
        .allowlist_var("cudaHostAlloc.*")
        .whitelist_function("own_.*")
        .allowlist_function("cu(")
        .generate();
}
"""


def test_uses_when_bindgen_is_given_lists(crate: CrateMaker, names: Names) -> None:
    made = crates(crate("", script=SCRIPT))[0]
    found = crate_uses(made, names)
    places = {u.wanted.spelled: (u.how, u.line) for u in found.found}
    assert places["cudaMalloc"] == (How.ALLOWED, 4)
    assert places["cuMemCreate"] == places["cuMemMap"] == (How.PATTERN, 5)
    assert places["cudaMemcpyKind_cudaMemcpyHostToDevice"] == (How.ALLOWED, 6)
    assert places["cudaHostAllocMapped"] == (How.PATTERN, 7)
    assert "cudaFree" not in places
    assert [literal.line for literal, _ in found.bad_patterns] == [9]


@pytest.mark.parametrize(
    ("call", "style"),
    [
        ("", EnumStyle.CONSTS),
        ('.rustified_enum("cuda.*")', EnumStyle.RUST),
        (".default_enum_style(EnumVariation::NewType { is_bitfield: false })", EnumStyle.NEWTYPE),
        (".default_enum_style(bindgen::EnumVariation::ModuleConsts)", EnumStyle.MODULE),
    ],
)
def test_bindgen_of_when_a_style_is_asked_for(
    call: str, style: EnumStyle, crate: CrateMaker
) -> None:
    script = f"fn main() {{ bindgen::builder(){call}.generate(); }}"
    assert bindgen_of(crates(crate("", script=script))[0]).enums is style


@pytest.mark.parametrize(
    ("stated", "call", "size_t"),
    [
        ('"0.60"', "", "c_ulong"),
        ('{ version = "0.59.2" }', "", "c_ulong"),
        ('"0.60"', ".size_t_is_usize(true)", "usize"),
        ('"0.69"', "", "usize"),
        ('"0.70"', ".size_t_is_usize(false)", "c_ulong"),
    ],
)
def test_bindgen_of_when_size_t_depends(
    stated: str, call: str, size_t: str, crate: CrateMaker
) -> None:
    manifest = f"{MANIFEST}[build-dependencies]\nbindgen = {stated}\n"
    script = f"fn main() {{ bindgen::builder(){call}.generate(); }}"
    assert bindgen_of(crates(crate("", manifest=manifest, script=script))[0]).size_t == size_t


@pytest.mark.parametrize(
    ("library", "manifest"),
    [
        ("mod hip_sys;\nuse hip_sys::hipMalloc as cudaMalloc;", MANIFEST),
        ("fn f() { cudaMalloc(); }", MANIFEST + "[features]\nrocm = []\n"),
    ],
)
def test_is_ported_when_a_crate_speaks_hip(library: str, manifest: str, crate: CrateMaker) -> None:
    assert crates(crate(library, manifest=manifest))[0].is_ported
    assert not crates(crate("fn f() { cudaMalloc(); }"))[0].is_ported


def test_crates_when_one_lies_in_another(crate: CrateMaker) -> None:
    inner = [SourceFile(f"inner/{s.path}", s.data) for s in crate("")]
    found = crates([*crate(""), *inner, SourceFile("tools/x.rs", b"")])
    assert [(c.root, [f.path for f in c.files]) for c in found] == [
        ("", ["src/lib.rs", "tools/x.rs"]),
        ("inner", ["inner/src/lib.rs"]),
    ]
