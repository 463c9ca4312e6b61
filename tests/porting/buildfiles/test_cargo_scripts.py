"""Cargo build scripts: rewritten whole for ROCm or both vendors, or left alone with an error."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.buildfiles import BuildFiles
from porting.buildfiles.cargo.generate import WATCHED
from porting.config import Mode
from porting.toolkits.platforms import CUDA, ROCM

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

LINKS = r"""// Links CUDA's runtime; "cudart" in a comment stays.
use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=CUDA_PATH");
    let root = env::var("CUDA_PATH").unwrap_or_else(|_| "/usr/local/cuda-12.4".into());
    let folder = PathBuf::from(&root).join("lib64");
    if cfg!(feature = "cuda") && env::var("CARGO_FEATURE_CUDA").is_ok() {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }
    println!("cargo:rustc-link-search=native=/usr/lib");
    println!(r#"cargo:rustc-link-lib=static=cudart_static"#);
    println!("cargo:rustc-link-lib=dylib=cuda");
    println!("cargo:rustc-link-lib=cublas");
    println!("cargo:rustc-link-lib=stdc++");
}
"""
ROCM_LINKS = r"""// Links CUDA's runtime; "cudart" in a comment stays.
use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=ROCM_PATH");
    let root = env::var("ROCM_PATH").unwrap_or_else(|_| "/opt/rocm".into());
    let folder = PathBuf::from(&root).join("lib");
    if cfg!(feature = "cuda") && env::var("CARGO_FEATURE_CUDA").is_ok() {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
    println!("cargo:rustc-link-search=native=/usr/lib");
    println!("cargo:rustc-link-lib=dylib=amdhip64");
    println!("cargo:rustc-link-lib=dylib=hipblas");
    println!("cargo:rustc-link-lib=stdc++");
}
"""


def test_links_are_rocms_in_rename_mode(convert: Convert) -> None:
    done = convert({"build.rs": LINKS})
    assert done.outputs["build.rs"].decode() == ROCM_LINKS
    assert done.generated == {}


@pytest.fixture
def lines(tmp_path: Path, program: Callable[[str], str]) -> Callable[..., list[str]]:
    """Return a function that compiles a build script and returns what it tells cargo."""
    compiler = program("rustc")

    def told(script: Path, **environment: str) -> list[str]:
        built = tmp_path / f"script-{len(list(tmp_path.iterdir()))}"
        build = [compiler, "--edition", "2021", "-D", "warnings", "-A", "unexpected_cfgs"]
        for command in ([*build, "-o", str(built), str(script)], [str(built)]):
            done = subprocess.run(
                command,
                env={"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), **environment},
                capture_output=True,
                text=True,
                timeout=55,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return told


def home(folder: Path, files: tuple[str, ...]) -> Path:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_compat_script_tells_cargo_what_it_told_before_or_rocms(
    convert: Convert, write: Write, tmp_path: Path, lines: Callable[..., list[str]]
) -> None:
    files = {"crate/build.rs": LINKS}
    script = write(files, convert(files, Mode.COMPAT)) / "crate/build.rs"
    before = tmp_path / "before.rs"
    before.write_text(LINKS)
    cuda = home(tmp_path / "cuda", (CUDA.headers[0], CUDA.libraries[0]))
    rocm = home(tmp_path / "rocm", (ROCM.headers[0], ROCM.libraries[0]))
    old = lines(before, CUDA_PATH=str(cuda), CARGO_FEATURE_CUDA="1")
    new = lines(script, CUDA_PATH=str(cuda), CARGO_FEATURE_CUDA="1", GPU_PLATFORM="cuda")
    watched = [f"cargo:rerun-if-env-changed={name}" for name in WATCHED]
    check = "cargo:rustc-check-cfg=cfg(gpu_rocm)"
    assert [line for line in new if line not in watched] == [
        *(line for line in old[:1] if line not in watched),
        check,
        *(line for line in old[1:] if line not in watched),
    ]
    assert set(watched) <= set(new)
    assert {"GPU_PLATFORM", "PATH", *ROCM.variables, *CUDA.variables} <= set(WATCHED)
    hip = lines(script, ROCM_PATH=str(rocm), GPU_PLATFORM="rocm")
    assert [line for line in hip if "cfg" in line] == [check, "cargo:rustc-cfg=gpu_rocm"]
    assert [line for line in hip if "link-lib" in line] == [
        "cargo:rustc-link-lib=dylib=amdhip64",
        "cargo:rustc-link-lib=dylib=hipblas",
        "cargo:rustc-link-lib=stdc++",
    ]


BUILD = """\
use std::env;
fn main() {
    let arch = env::var("ARCH").unwrap();
    let mut build = cc::Build::new();
    build.cuda(true);
    build.cudart("static");
    build.flag("-gencode").flag(&format!("arch=compute_{arch},code=sm_{arch}"));
    build.flag("-O3");
    build.flag("--use_fast_math");
    build.flag("--extended-lambda");
    build.file("a.cu").compile("a");
    std::process::Command::new("nvcc").args(["-arch=sm_80", "-c", "-lineinfo", "b.cu"]).status();
    bindgen::builder().allowlist_function("cudaMalloc|cuMem.*").allowlist_type("cudaStream_t");
}
"""


def test_calls_are_those_of_hip_in_rename_mode(convert: Convert) -> None:
    new = convert({"build.rs": BUILD}).outputs["build.rs"].decode()
    assert '.compiler(std::env::var("HIPCC").unwrap_or("hipcc".into()))' in new
    assert new.count("--offload-arch=gfx90a") == 1
    assert 'build.flag("-ffast-math");\n    build.file("a.cu")' in new
    assert '.args(["-c", "-gline-tables-only", "b.cu"])' in new
    assert 'Command::new("hipcc")' in new
    assert 'allowlist_function("hipMalloc|hipMem.*").allowlist_type("hipStream_t")' in new
    for gone in ("cudart", "gencode", "lambda", "sm_", "nvcc", ".cuda("):
        assert gone not in new


REFUSED = {
    "constant": 'const ROOT: &str = "/usr/local/cuda";\nfn main() { println!("{ROOT}"); }\n',
    "library": 'fn main() {\n    println!("cargo:rustc-link-lib=dylib=cudnn_cnn_train");\n}\n',
    "condition": "fn main() {\n    let on = true;\n    cc::Build::new().cuda(on);\n}\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_script_stays_with_an_error_when_a_part_is_not_understood(
    convert: Convert, name: str
) -> None:
    mode = Mode.COMPAT if name == "constant" else Mode.RENAME
    done = convert({"build.rs": REFUSED[name]}, mode)
    assert done.outputs == {}
    assert done.generated == {}
    failed = [found for found in done.diagnostics if found.severity.value == "error"]
    assert failed
    assert {found.topic for found in failed} == {"build-system"}


@pytest.mark.parametrize("mode", Mode)
def test_second_run_changes_nothing(convert: Convert, mode: Mode) -> None:
    for text in (LINKS, BUILD):
        once = convert({"build.rs": text}, mode).outputs["build.rs"]
        assert convert({"build.rs": once}, mode).outputs == {}


def test_script_that_knows_rocm_stays(convert: Convert) -> None:
    done = convert({"build.rs": LINKS.replace('"cargo:rustc-link-lib=stdc++"', '"hipcc"')})
    assert done.outputs == {}
    assert [found.code for found in done.diagnostics] == ["BLD011"]


def test_script_without_cuda_stays(convert: Convert) -> None:
    done = convert({"build.rs": 'fn main() { println!("cargo:rustc-link-lib=z"); } // cuda\n'})
    assert done.outputs == {}
    assert done.diagnostics == ()


def test_generated_file_is_formatted(
    convert: Convert, tmp_path: Path, program: Callable[[str], str]
) -> None:
    formatter = program("rustfmt")
    text = convert({"build.rs": LINKS}, Mode.COMPAT).generated["eclosion/gpu_build.rs"]
    file = tmp_path / "gpu_build.rs"
    file.write_text(text)
    done = subprocess.run(
        [formatter, "--check", "--edition", "2021", str(file)],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stdout


COMMAND = r"""fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    std::process::Command::new("nvcc")
        .args(["-lib", "-O3", "-o"])
        .arg(format!("{out}/libk.a"))
        .arg("k.cu");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=dylib=cudart");
}
"""


def test_folder_of_the_build_is_no_run_path_of_rocm(convert: Convert) -> None:
    new = convert({"build.rs": COMMAND}).outputs["build.rs"].decode()
    assert '["--emit-static-lib", "-O3", "-o"]' in new
    assert "-Wl,-rpath,{out}" not in new
    assert new.count("-Wl,-rpath,{rocm_lib}") == 1


DEPENDENCIES = {
    "path": ({}, '[package]\n[dependencies]\nk = { path = "../k" }\n'),
    "tests": ({}, '[package]\n[dev-dependencies]\nk = { path = "../k" }\n'),
    "target": ({}, '[package]\n[target."cfg(unix)".dependencies]\nk = { path = "../k/." }\n'),
    "workspace": (
        {"Cargo.toml": '[workspace]\n[workspace.dependencies]\nk = { path = "k" }\n'},
        "[package]\n[dependencies]\nk = { workspace = true }\n",
    ),
    "through": (
        {"mid/Cargo.toml": '[package]\n[dependencies]\nk = { path = "../k" }\n'},
        '[package]\n[dependencies]\nmid = { path = "../mid" }\n',
    ),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("how", DEPENDENCIES)
def test_crate_that_depends_gets_a_script_with_the_run_path(
    convert: Convert, how: str, mode: Mode
) -> None:
    files, manifest = DEPENDENCIES[how]
    crates = {"k/Cargo.toml": "[package]\n", "x/Cargo.toml": "[package]\n", **files}
    done = convert({"k/build.rs": COMMAND, "app/Cargo.toml": manifest, **crates}, mode)
    made = {path for path in done.generated if path.endswith("build.rs")} - {
        "eclosion/gpu_build.rs"
    }
    assert made == {"app/build.rs", *(["mid/build.rs"] if how == "through" else [])}
    assert "cargo:rustc-link-arg=-Wl,-rpath," in done.generated["app/build.rs"]
    assert "Generated by porting" in done.generated["app/build.rs"]
    assert [one.code for one in done.diagnostics if one.severity.value == "warning"] == []


MANIFEST = '[package]\n{}[dependencies]\nk = {{ path = "../k" }}\n'
SCRIPT = "fn main() {\n    let x = 1;\n}\n"


def test_script_of_a_crate_that_depends_is_extended(convert: Convert) -> None:
    files = {"k/build.rs": COMMAND, "k/Cargo.toml": "[package]\n", "app/build.rs": SCRIPT}
    done = convert({**files, "app/Cargo.toml": MANIFEST.format("")})
    assert done.outputs["app/build.rs"].decode() == SCRIPT.replace(
        "{\n",
        """{
    let rocm = std::env::var("ROCM_PATH").unwrap_or("/opt/rocm".into());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{rocm}/lib");
    println!("cargo:rerun-if-env-changed=ROCM_PATH");
""",
        1,
    )


@pytest.mark.parametrize(
    ("build", "script"),
    [
        ('build = "make.rs"\n', None),
        ("build = false\n", None),
        ("", "fn main() {\n"),
        ("", COMMAND.replace("nvcc", "cudnn")),
        ("", "#[tokio::main]\nasync fn start() {}\n"),
    ],
)
def test_crates_that_get_no_run_path_are_named(
    convert: Convert, build: str, script: str | None
) -> None:
    files = {"k/build.rs": COMMAND, "k/Cargo.toml": "[package]\n"}
    if script is not None:
        files["app/build.rs"] = script
    done = convert({**files, "app/Cargo.toml": MANIFEST.format(build)})
    (found,) = (one for one in done.diagnostics if one.code == "BLD021")
    assert (found.file, found.line) == ("k/build.rs", 8)
    assert found.message == "what app links gets no run path from this script"
    assert "app/build.rs" not in {*done.outputs, *done.generated}


WATCHING = 'fn main() {\n    println!("cargo:rustc-link-lib=cudart");\n}\n'


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("line", "is_added"),
    [
        ("let x = 1;", True),
        ('println!("cargo:rerun-if-changed=src");', False),
        ('cc::Build::new().file("a.c").compile("a");', False),
    ],
)
def test_files_of_the_package_are_watched_as_before(
    convert: Convert, line: str, mode: Mode, *, is_added: bool
) -> None:
    text = WATCHING.replace("{\n", f"{{\n    {line}\n", 1)
    new = convert({"build.rs": text}, mode).outputs["build.rs"].decode()
    assert ('std::fs::read_dir(".")' in new) is is_added


def test_command_of_hipcc_knows_cudas_names_in_compat_mode(convert: Convert) -> None:
    new = convert({"build.rs": COMMAND}, Mode.COMPAT).outputs["build.rs"].decode()
    assert 'Command::new(format!("{}/bin/hipcc", gpu_build::home()))' in new
    assert '.args(gpu_build::compat_flags("eclosion"))' in new
    assert 'let rocm_lib = gpu_build::home() + "/lib";' in new


@pytest.mark.parametrize("mode", Mode)
def test_command_that_links_gets_a_run_path(convert: Convert, mode: Mode) -> None:
    text = COMMAND.replace('"-lib"', '"-shared", "-Xcompiler", "-fPIC"')
    new = convert({"build.rs": text}, mode).outputs["build.rs"].decode()
    assert new.count('.arg(format!("-Wl,-rpath,{}/lib", ') == 1


TWICE = r"""use std::env;
use std::path::PathBuf;

fn home() -> PathBuf {
    env::var("CUDA_HOME")
        .or_else(|_| env::var("CUDA_PATH"))
        .or_else(|_| env::var("TOOLKIT"))
        .map(PathBuf::from)
        .unwrap_or_else(|_| PathBuf::from("/usr/local/cuda"))
}

fn main() {
    let home = home();
    println!("cargo:rustc-link-search=native={}/lib64", home.display());
    println!("cargo:rustc-link-search=native={}/lib64/stubs", home.display());
    println!("cargo:rustc-link-lib=dylib=cuda");
    println!("cargo:rustc-link-lib=static=cudart_static");
}
"""
ONCE = r"""use std::env;
use std::path::PathBuf;

fn home() -> PathBuf {
    env::var("ROCM_PATH")
        .or_else(|_| env::var("TOOLKIT"))
        .map(PathBuf::from)
        .unwrap_or_else(|_| PathBuf::from("/opt/rocm"))
}

fn main() {
    let home = home();
    println!("cargo:rustc-link-search=native={}/lib", home.display());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}/lib", home.display());
    println!("cargo:rustc-link-lib=dylib=amdhip64");
}
"""


def test_what_is_one_thing_for_rocm_is_said_once(convert: Convert) -> None:
    assert convert({"build.rs": TWICE}).outputs["build.rs"].decode() == ONCE


def test_what_is_one_thing_for_rocm_is_said_once_beside_cudas(convert: Convert) -> None:
    text = convert({"build.rs": TWICE}, Mode.COMPAT).outputs["build.rs"].decode()
    assert text.count("ROCM_PATH") == 1
    assert text.count("-Wl,-rpath,") == 1
    assert text.count("/lib64/stubs") == text.count('"CUDA_PATH"') == 1
