"""Items of Rust files: what speaks to C is found, with its parts."""

from porting.headers.rust.lexer import string_value
from porting.headers.rust.reader import read_items

FOREIGN = """
pub mod ffi {
    #[link(name = "cudart", kind = "static")]
    unsafe extern "C" {
        /// Doc; with marks: { (
        pub fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) -> cudaError_t;
        #[link_name = "cudaFree"]
        safe fn free(pointer: *mut c_void) -> cudaError_t;
        fn printf(format: *const c_char, ...) -> c_int;
        static errno: c_int;
    }
}
"""


def test_read_items_when_a_block_is_foreign() -> None:
    block = read_items(FOREIGN).blocks[0]
    assert [string_value(link) for link in block.links] == ["cudart"]
    malloc, free, printf = block.functions
    assert malloc.symbol == "cudaMalloc"
    assert [(p.name, p.type) for p in malloc.parameters] == [
        ("pointer", "*mut *mut c_void"),
        ("bytes", "usize"),
    ]
    assert malloc.result == "cudaError_t"
    assert (free.name.name, free.symbol) == ("free", "cudaFree")
    assert printf.symbol == "printf"
    assert malloc.name.line == 6


def test_read_items_when_extern_is_something_else() -> None:
    found = read_items('extern crate core;\npub extern "C" fn call(x: i32) -> i32 { x }\n')
    assert found.blocks == []


def test_read_items_when_types_and_constants_are_declared() -> None:
    found = read_items(
        "pub type Callback = Option<unsafe extern fn(a: i32, b: *const Self::X)>;\n"
        "pub(crate) const A: cudaError_t = 0x23;\n"
        "#[repr(C)] pub struct S<'a> { pub a: [u8; 4], r#type: &'a T }\n"
        "enum E { A = 1 << 3, #[doc(hidden)] B, C(u8) }\n"
    )
    assert found.aliases[0].target.startswith("Option<unsafe extern fn(a: i32")
    assert [(c.name.name, c.type) for c in found.constants] == [("A", "cudaError_t")]
    assert [(f.name, f.type) for f in found.records[0].fields] == [
        ("a", "[u8; 4]"),
        ("type", "&'a T"),
    ]
    assert [enum.name.name for enum in found.enumerations] == ["E"]


def test_read_items_when_a_use_is_a_tree() -> None:
    found = read_items("pub use sys::{cuInit, driver::{self, *}, Thing as Other, x as _};\n").uses
    paths = ["::".join(t.text for t in use.path) for use in found]
    assert paths == ["sys::cuInit", "sys::driver", "sys::driver::*", "sys::Thing", "sys::x"]
    assert found[3].alias == "Other"


def test_read_items_when_items_are_inside_functions() -> None:
    found = read_items('fn open() { extern "C" { fn cuInit(flags: u32) -> u32; } }')
    assert found.blocks[0].functions[0].symbol == "cuInit"


def test_read_items_when_the_text_is_cut_off() -> None:
    for end in range(len(FOREIGN)):
        read_items(FOREIGN[:end])
