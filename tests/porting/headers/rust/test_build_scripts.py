"""What a converted build script calls for the Rust side of its crate."""

import pytest

from porting.buildfiles import BuildContext, convert_files
from porting.config import Mode
from porting.headers.rust import Needs
from porting.source import SourceFile

LINKS = """\
fn main() {
    println!("cargo:rerun-if-changed=wrapper.h");
    println!("cargo:rustc-link-lib=dylib=cudart");
}
"""
BINDS = """\
fn main() {
    println!("cargo:rustc-link-lib=dylib=cudart");
    let bound = bindgen::Builder::default().header("wrapper.h").generate().unwrap();
}
"""
SYMBOLS = 'rocm_build::link_symbols("../eclosion");'
INCLUDE = 'include!("../eclosion/rocm_build.rs");'


def converted(script: str, mode: Mode, needs: Needs | None) -> str:
    source = SourceFile("sys/build.rs", script.encode())
    rust = {} if needs is None else {"sys/build.rs": needs}
    done = convert_files([source], BuildContext(mode=mode, rust=rust))
    return done.files[0].data.decode()


@pytest.mark.parametrize("mode", Mode)
def test_convert_when_the_linker_needs_symbols(mode: Mode) -> None:
    text = converted(LINKS, mode, Needs(symbols=True))
    assert text.count(SYMBOLS) == 1
    assert text.index(SYMBOLS) < text.index("dylib=amdhip64")
    assert text.rstrip().endswith(INCLUDE)
    if mode is Mode.COMPAT:
        before = text[: text.index(SYMBOLS)]
        assert "else" not in before[before.rindex("if gpu_build::is_rocm() {") :]


@pytest.mark.parametrize("mode", Mode)
def test_convert_when_bindgen_needs_names(mode: Mode) -> None:
    text = converted(BINDS, mode, Needs(bindings=True))
    for call in (".raw_line(rocm_build::bindings(", ".blocklist_item(rocm_build::bound_items("):
        assert text.count(call) == 1
    assert text.count("Builder::default()") == (2 if mode is Mode.COMPAT else 1)
    assert INCLUDE in text


@pytest.mark.parametrize("mode", Mode)
def test_convert_when_the_crate_needs_nothing(mode: Mode) -> None:
    assert "rocm_build" not in converted(LINKS, mode, None)


@pytest.mark.parametrize("mode", Mode)
def test_convert_when_it_was_done_before(mode: Mode) -> None:
    once = converted(LINKS, mode, Needs(symbols=True))
    assert converted(once, mode, Needs(symbols=True)) == once
