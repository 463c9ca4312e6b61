//! Tells the linker where libtidepool and the CUDA runtime are.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=CUDA_HOME");
    println!("cargo:rerun-if-env-changed=TIDEPOOL_LIB_DIR");
    let cuda = env::var("CUDA_HOME").unwrap_or_else(|_| "/usr/local/cuda".into());
    let cuda_lib = PathBuf::from(cuda).join("lib64");
    println!("cargo:rustc-link-search=native={}", cuda_lib.display());
    println!("cargo:rustc-link-lib=static=cudart_static");
    if env::var_os("CARGO_FEATURE_DRIVER").is_some() {
        println!("cargo:rustc-link-lib=dylib=cuda");
    }
    println!("cargo:rustc-link-lib=dylib=rt");
    println!("cargo:rustc-link-lib=dylib=dl");
    if let Ok(directory) = env::var("TIDEPOOL_LIB_DIR") {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:rustc-link-lib=dylib=tidepool");
    }
}
