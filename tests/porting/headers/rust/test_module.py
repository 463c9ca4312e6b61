"""The generated module's text: what each kind of name becomes, in each of bindgen's styles."""

import pytest

from porting.headers.rust.api import cuda_api, hip_api
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.module import Module, Wanted
from porting.headers.rust.module_text import module_text
from porting.headers.rust.shapes import Shapes
from porting.headers.rust.style import Bindings, Style
from porting.mapping import Names


def module(names: Names, *wanted: Wanted | str, style: Style | None = None) -> Module:
    chosen = style or Style()
    distinct = chosen.enums in (EnumStyle.RUST, EnumStyle.NEWTYPE)
    made = Module(Shapes(names, cuda_api(), hip_api("7.1"), distinct), chosen)
    made.provide(w if isinstance(w, Wanted) else Wanted(w, w) for w in wanted)
    return made


def test_text_when_a_function_is_the_same(names: Names) -> None:
    text = module_text(module(names, "cudaMalloc"))
    assert "    pub use super::hip_sys::hipMalloc as cudaMalloc;\n" in text
    assert "pub fn hipMalloc(ptr: *mut *mut c_void, size: usize) -> hipError_t;" in text


def test_text_when_a_handle_is_a_pointer_in_hip(names: Names) -> None:
    text = module_text(module(names, "cuMemFree_v2"))
    assert "    pub type CUdeviceptr = u64;\n" in text
    assert "pub unsafe fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult {" in text
    assert "hip_sys::hipFree(dptr as usize as _)" in text


def test_text_when_a_field_moved_into_a_union(names: Names) -> None:
    text = module_text(module(names, "CUmemAllocationProp"))
    assert "        pub requestedHandleTypes: CUmemAllocationHandleType,\n" in text
    assert "    pub type CUmemAllocationProp = CUmemAllocationProp_st;\n" in text


def test_text_when_the_name_carries_its_enumeration(names: Names) -> None:
    wanted = Wanted("cudaError_cudaSuccess", "cudaSuccess", "cudaError")
    text = module_text(module(names, wanted))
    assert "    pub const cudaError_cudaSuccess: cudaError = hip_sys::hipSuccess;\n" in text


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        (EnumStyle.RUST, ("pub enum cudaError {", "    cudaSuccess = 0,")),
        (
            EnumStyle.NEWTYPE,
            (
                "pub struct cudaError(pub hip_sys::hipError_t);",
                "    pub const cudaSuccess: Self = Self(hip_sys::hipSuccess);",
            ),
        ),
        (
            EnumStyle.MODULE,
            (
                "pub mod cudaError {",
                "    pub const cudaSuccess: Type = super::hip_sys::hipSuccess;",
            ),
        ),
    ],
)
def test_text_when_enumerations_have_a_style(
    names: Names, style: EnumStyle, lines: tuple[str, ...]
) -> None:
    wanted = Wanted("cudaSuccess", "cudaSuccess", "cudaError", member=True)
    text = module_text(module(names, wanted, style=Style(style)))
    for line in lines:
        assert f"    {line}\n" in text


def test_text_when_a_rust_enum_must_hold_what_hip_returns(names: Names) -> None:
    wanted = Wanted("cudaSuccess", "cudaSuccess", "cudaError", member=True)
    text = module_text(module(names, wanted, style=Style(EnumStyle.RUST)))
    body = text[text.index("pub enum cudaError {") :]
    values = hip_api("7.1").enums["hipError_t"].values.values()
    assert body[: body.index("}")].count(" = ") == len(set(values))


def test_text_when_bindgen_binds_hip(names: Names) -> None:
    text = module_text(module(names, "cudaSuccess", style=Style(bindings=Bindings.BINDGEN)))
    assert "hip_sys::hipError_t_hipSuccess" in text
    assert 'include!(concat!(env!("OUT_DIR"), "/hip_sys.rs"));' in text
    assert "pub fn" not in text


def test_text_when_the_edition_is_2024(names: Names) -> None:
    text = module_text(module(names, "cudaFree", style=Style(edition="2024")))
    assert 'unsafe extern "C" {' in text


def test_missing_when_hip_has_nothing(names: Names) -> None:
    made = module(names, "cudaErrorInvalidPtx", "cudaGraphConditionalHandleCreate", "cudaFree")
    assert set(made.missing) == {"cudaGraphConditionalHandleCreate"}
    assert "conditional" in made.missing["cudaGraphConditionalHandleCreate"]


def test_missing_when_the_arguments_are_others(names: Names) -> None:
    made = module(names, "cuGetProcAddress_v2")
    assert "cuGetProcAddress_v2" in made.missing


def test_text_when_names_come_in_another_order(names: Names) -> None:
    wanted = ["cudaMalloc", "cuMemCreate", "cudaSuccess", "cudaStream_t"]
    assert module_text(module(names, *wanted)) == module_text(module(names, *reversed(wanted)))
