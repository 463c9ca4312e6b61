"""The plan as a module of a Cargo build script: gpu_build::link()."""

from porting.link.fragments.text import MadeBy, commented, heading, home
from porting.link.libraries import How
from porting.link.plan import LinkPlan

_HEAD = """\

use std::env;
{use_path}
{archs}/// Tell Cargo how to link the crate.  The flags hold for its own programs and cdylibs.
pub fn link() {{
    println!("cargo:rerun-if-env-changed={variable}");
    let home = env::var("{variable}").unwrap_or_else(|_| "{default}".to_string());
"""
_CUDA_FOLDERS = """\
    for folder in ["lib64", "lib"] {
        if Path::new(&home).join(folder).is_dir() {
            println!("cargo:rustc-link-search=native={home}/{folder}");
        }
    }
"""
_ROCM_FOLDER = '    println!("cargo:rustc-link-search=native={home}/lib");\n'


def render(plan: LinkPlan, made_by: MadeBy) -> str:
    """Return the module."""
    place = home(plan)
    archs = " ".join(plan.archs)
    told = f'/// Processors of the device code.\npub const ARCHITECTURES: &str = "{archs}";\n\n'
    head = _HEAD.format(
        use_path="use std::path::Path;\n" if plan.platform == "cuda" else "",
        archs=told if archs else "",
        variable=place.variable,
        default=place.default,
    )
    what = "Call link() in build.rs."
    lines = [commented(heading(plan, made_by, what), "//!"), head]
    lines.append(_CUDA_FOLDERS if plan.platform == "cuda" else _ROCM_FOLDER)
    for item in plan.linked(How.STATIC, How.SHARED):
        kind = "static" if item.how is How.STATIC else "dylib"
        lines.append(f'    println!("cargo:rustc-link-lib={kind}={item.name}");\n')
    lines += [f'    println!("cargo:rustc-link-lib=dylib={name}");\n' for name in plan.system]
    for folder in plan.runpath:
        flags = f"-Wl,--enable-new-dtags,-rpath,{{home}}/{folder}"
        lines.append(f'    println!("cargo:rustc-link-arg={flags}");\n')
    return "".join([*lines, "}\n"])
