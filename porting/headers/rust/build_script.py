"""The generated rocm_build.rs: what build scripts call for the Rust side of a ROCm build."""

from collections.abc import Mapping, Sequence
from typing import Final

# `include!`d by build scripts, hence no inner attributes; std only.
TEXT: Final = """\
/// The Rust side of a ROCm build, for build scripts.
mod rocm_build {
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::{env, fs};

    /// HIP's handles that are integers in CUDA, of the same size.
    #[allow(dead_code)]
    const HANDLES: &[(&str, &str)] = &[@HANDLES@];

    /// Gives the linker CUDA's symbols: rocm_symbols.rs, compiled into a static library.
    ///
    /// `folder` holds the generated files, as the script sees it. Call this before the lines that
    /// link ROCm's libraries.
    #[allow(dead_code)]
    pub fn link_symbols(folder: &str) {
        let source = Path::new(folder).join("rocm_symbols.rs");
        for file in ["rocm_symbols.rs", "rocm_compat.rs"] {
            println!("cargo:rerun-if-changed={folder}/{file}");
        }
        let object = out("rocm_symbols.o");
        let library = out("librocm_symbols.a");
        let _ = fs::remove_file(&library);
        run(Command::new(variable("RUSTC"))
            .args(["--crate-name", "rocm_symbols", "--crate-type", "lib"])
            .args(["--edition", "2021", "--emit", "obj", "--target"])
            .arg(variable("TARGET"))
            .args(["-O", "-C", "panic=abort", "-C", "codegen-units=1"])
            .args(["-C", "relocation-model=pic", "-o"])
            .args([&object, &source]));
        let ar = env::var("AR").unwrap_or_else(|_| "ar".into());
        run(Command::new(ar).arg("crs").args([&library, &object]));
        // A #[link] attribute in the sources asks for CUDA's library by its name.
        for name in [@STAND_INS@] {
            let copy = out(&format!("lib{name}.a"));
            fs::copy(&library, copy).expect("OUT_DIR takes a copy of librocm_symbols.a");
        }
        println!("cargo:rustc-link-search=native={}", variable("OUT_DIR"));
        println!("cargo:rustc-link-lib=static=rocm_symbols");
    }

    /// The text that gives bindings CUDA's names: for `bindgen::Builder::raw_line`.
    #[allow(dead_code)]
    pub fn bindings(folder: &str) -> String {
        let module = Path::new(folder).join("rocm_compat.rs");
        println!("cargo:rerun-if-changed={}", module.display());
        let module = fs::canonicalize(&module).expect("rocm_compat.rs is beside this file");
        let mut text = format!("include!({module:?});\\n");
        text += "#[allow(unused_imports)]\\nuse self::hip_sys::*;";
        // The crate's own structs and functions have CUDA's integers too, not HIP's pointers.
        for (handle, integer) in HANDLES {
            text += &format!("\\npub type {handle} = {integer};");
        }
        text
    }

    /// What `bindings` gives: for `bindgen::Builder::blocklist_item`.
    #[allow(dead_code)]
    pub fn bound_items(folder: &str) -> String {
        let module = Path::new(folder).join("rocm_compat.rs");
        let text = fs::read_to_string(module).expect("rocm_compat.rs is beside this file");
        let mut names: Vec<&str> = HANDLES.iter().map(|(handle, _)| *handle).collect();
        for line in text.lines() {
            let mut words = line.trim().split([' ', ';', '(', ':', '<']);
            if words.next() != Some("pub") {
                continue;
            }
            if let Some("const" | "fn" | "struct" | "type" | "union") = words.next() {
                names.extend(words.next());
            }
        }
        names.join("|")
    }

    fn out(name: &str) -> PathBuf {
        Path::new(&variable("OUT_DIR")).join(name)
    }

    fn variable(name: &str) -> String {
        env::var(name).unwrap_or_else(|_| panic!("cargo sets {name} for build scripts"))
    }

    fn run(command: &mut Command) {
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => panic!("{command:?} failed with {status}"),
            Err(error) => panic!("{command:?} did not start: {error}"),
        }
    }
}
"""


def build_text(stand_ins: Sequence[str], handles: Mapping[str, str]) -> str:
    """Return the file without its head.

    `stand_ins`: the libraries that #[link] names.  `handles`: HIP's pointers that are integers in
    CUDA, with the integer.
    """
    shown = ", ".join(f'"{name}"' for name in stand_ins)
    text = TEXT.replace("@STAND_INS@", shown)
    pairs = [f'("{handle}", "{integer}")' for handle, integer in sorted(handles.items())]
    text = text.replace("&[@HANDLES@]", _array(pairs))
    if not stand_ins:
        start = text.index("        // A #[link] attribute")
        end = text.index('        println!("cargo:rustc-link-search')
        text = text[:start] + text[end:]
    return text


def _array(items: Sequence[str]) -> str:
    """Write an array, an item a line where there are several."""
    if len(items) == 1:
        return f"&[{items[0]}]"
    return "&[\n" + "".join(f"        {item},\n" for item in items) + "    ]"
