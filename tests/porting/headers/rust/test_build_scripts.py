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


def told(script: str, needs: Needs) -> list[tuple[str, str]]:
    source = SourceFile("sys/build.rs", script.encode())
    done = convert_files([source], BuildContext(rust={"sys/build.rs": needs}))
    assert done.outputs == {}
    return [(found.code, found.help) for found in done.diagnostics if found.code != "BLD011"]


# Looks for ROCm by itself.
OWN = """\
fn main() {
    if std::env::var("ROCM_PATH").is_ok() {
        println!("cargo:rustc-link-lib=dylib=amdhip64");
    } else {
        println!("cargo:rustc-link-lib=dylib=cudart");
    }
}
"""


@pytest.mark.parametrize(
    ("needs", "lines"),
    [
        (Needs(cfg=True), ('println!("cargo:rustc-cfg=gpu_rocm");',)),
        (Needs(symbols=True, libraries=("nccl",)), (SYMBOLS, INCLUDE, "dylib=rccl")),
        (Needs(bindings=True), ('.raw_line(rocm_build::bindings("../eclosion"))', INCLUDE)),
    ],
)
def test_script_that_looks_for_rocm_itself_is_told_what_its_crate_needs(
    needs: Needs, lines: tuple[str, ...]
) -> None:
    ((code, advice),) = told(OWN, needs)
    assert code == "BLD022"
    assert all(line in advice for line in lines)


@pytest.mark.parametrize("mode", Mode)
def test_script_that_was_ported_lacks_nothing(mode: Mode) -> None:
    needs = Needs(symbols=True, bindings=True, cfg=True, libraries=("runtime",))
    assert told(converted(BINDS, mode, needs), needs) == []


def test_script_that_sets_the_cfg_itself_lacks_nothing() -> None:
    link = 'println!("cargo:rustc-link-lib=dylib=amdhip64");'
    script = OWN.replace(link, f'{link} println!("cargo:rustc-cfg=gpu_rocm");')
    assert told(script, Needs(cfg=True)) == []


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


NOTHING = ("fn main() {}\n", "fn main() {\n    // nothing yet\n    other();\n}\nfn other() {}\n")
LINKING = (
    "cargo:rustc-link-search=native={rocm_lib}",
    "cargo:rustc-link-arg=-Wl,-rpath,{rocm_lib}",
    "rocm_build::link_symbols",
    "cargo:rustc-link-lib=dylib=hipblas",
    "cargo:rustc-link-lib=dylib=amdhip64",
)


@pytest.mark.parametrize("script", NOTHING)
@pytest.mark.parametrize("mode", Mode)
def test_convert_when_the_script_says_nothing_of_cuda(mode: Mode, script: str) -> None:
    needs = Needs(symbols=True, libraries=("cublas", "driver", "runtime"))
    text = converted(script, mode, needs)
    places = [text.index(line) for line in LINKING]
    assert places == sorted(places)
    assert all(text.count(line) == 1 for line in LINKING)
    assert ("if gpu_build::is_rocm() {" in text) is (mode is Mode.COMPAT)
    assert INCLUDE in text
    assert converted(text, mode, needs) == text


@pytest.mark.parametrize("needs", [Needs(symbols=True), Needs(bindings=True), Needs(cfg=True)])
def test_convert_when_a_rocm_build_tells_its_sources(needs: Needs) -> None:
    text = converted(BINDS, Mode.RENAME, needs)
    assert text.count('println!("cargo:rustc-cfg=gpu_rocm");') == 1
    assert text.count('println!("cargo:rustc-check-cfg=cfg(gpu_rocm)");') == 1


def test_convert_when_sources_of_both_vendors_ask() -> None:
    script = 'fn main() { println!("cargo:rerun-if-changed=a"); }\n'
    text = converted(script, Mode.COMPAT, Needs(cfg=True))
    call = "gpu_build::is_rocm(); // sets cfg(gpu_rocm)"
    assert text.startswith(f"fn main() {{\n    {call}\n {script.removeprefix('fn main() {')[1:]}")


def test_convert_when_the_script_sets_the_cfg_itself() -> None:
    script = LINKS.replace("cargo:rerun-if-changed=wrapper.h", "cargo:rustc-cfg=gpu_rocm")
    assert converted(script, Mode.RENAME, Needs(cfg=True)).count("gpu_rocm") == 1
