"""`porting port` and `porting verify` with a real compiler, and without one."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Command = Callable[..., CompletedProcess[str]]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]

# The port adds a line to the top of this one: nvcc includes cuda_runtime.h by itself.
KERNEL = "// first\n__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
BROKEN = KERNEL + "int f() { return cudaDeviceSynchronize() + undeclared; }\n"
ONE_ARCH = ("--arch", "gfx942")


def _report(done: CompletedProcess[str]) -> Any:  # noqa: ANN401 - a JSON document
    assert done.stderr == ""
    return json.loads(done.stdout)


def _left(report: Any) -> list[tuple[str, int, str]]:  # noqa: ANN401
    return [
        (d["file"], d["line"], d["code"]) for d in report["diagnostics"] if d["severity"] != "note"
    ]


@pytest.fixture
def no_compiler(environment: dict[str, str]) -> None:
    """Take every compiler away from the command."""
    environment["ECLOSION_CLANG"] = "/nonexistent/clang++"


@pytest.mark.usefixtures("no_compiler")
def test_port_exits_2_and_still_writes_when_there_is_no_compiler(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src", "-o", "out", "--format", "json")
    assert done.returncode == 2
    stages = json.loads(done.stdout)["summary"]["stages"]
    assert done.stderr == f"porting: host syntax, device code: {stages['device code']['reason']}\n"
    assert stages["port"]["state"] == "ran"
    for name in ("host syntax", "device code"):
        assert stages[name]["state"] == "unavailable"
        assert "clang" in stages[name]["reason"]
    assert (tmp_path / "out/a.cu").is_file()


@pytest.mark.usefixtures("no_compiler")
def test_port_exits_0_without_a_compiler_when_told_not_to_verify(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL})
    assert command("port", "src", "-o", "out", "--no-verify").returncode == 0


@pytest.mark.usefixtures("no_compiler")
def test_verify_is_for_the_target_of_the_port_unless_told_otherwise(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL, "pyproject.toml": "[tool.porting]\narch = ['gfx90a']\n"})
    command("port", "src", "-o", "out", "--no-verify", "--rocm", "7.2", "--arch", "gfx1201")
    assert "for ROCm 7.2 on gfx1201\n" in command("verify", "out").stdout
    done = command("verify", "out", *ONE_ARCH)
    assert "for ROCm 7.2 on gfx942\n" in done.stdout
    assert "for ROCm 7.1 on gfx90a\n" in command("verify", "src", "--rocm", "7.1").stdout


@pytest.mark.usefixtures("no_compiler")
def test_verify_exits_2_when_there_is_no_compiler(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("verify", "src")
    assert done.returncode == 2
    assert "host syntax: unavailable: " in done.stdout


@pytest.mark.usefixtures("sysroot")
def test_port_exits_0_when_every_unit_compiles(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src", "-o", "out", "--format", "json")
    report = _report(done)
    assert done.returncode == report["exit_code"] == 0
    counts = {name: s["verified"] for name, s in report["summary"]["stages"].items()}
    assert counts == {"port": 1, "host syntax": 1, "device code": 3, "build": 0}
    assert report["summary"]["stages"]["build"]["state"] == "skipped"
    (file,) = report["files"]
    assert [(v["stage"], v["arch"], v["outcome"]) for v in file["verify"]] == [
        ("host syntax", "", "verified"),
        ("device code", "gfx90a", "verified"),
        ("device code", "gfx942", "verified"),
        ("device code", "gfx1100", "verified"),
    ]


@pytest.mark.usefixtures("sysroot")
def test_compile_error_is_at_the_inputs_line_now_and_later(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"sub/a.cu": BROKEN})
    done = command("port", "src", "-o", "out", *ONE_ARCH, "--format", "json")
    assert done.returncode == 1
    assert _left(_report(done)) == [("sub/a.cu", 3, "VER001")]
    written = (tmp_path / "out/sub/a.cu").read_text().splitlines()
    assert "undeclared" not in written[2], "the port was meant to add lines above the fault"
    done = command("verify", "out", *ONE_ARCH, "--format", "json")
    report = _report(done)
    assert done.returncode == 1
    assert _left(report) == [("sub/a.cu", 3, "VER001")]
    assert report["summary"]["stages"]["port"]["state"] == "skipped"
    assert "\nsub/a.cu:3:" in "\n" + command("verify", "out", *ONE_ARCH).stdout
    assert report["summary"]["stages"]["host syntax"]["failed"] == 1


@pytest.mark.usefixtures("sysroot")
def test_compilers_echo_of_an_error_is_told_once(command: Command, make_tree: MakeTree) -> None:
    call = "int f(cudaStream_t s) { return cudaStreamCopyAttributes(s, s); }\n"
    make_tree({"a.cu": KERNEL + call})
    words = ("port", "src", "-o", "out", *ONE_ARCH, "--format", "json")
    report = _report(command(*words))
    assert _left(report) == [("a.cu", 3, "NAM001")]
    assert report["summary"]["stages"]["host syntax"]["failed"] == 1
    make_tree({"pyproject.toml": '[tool.porting]\nignore = ["NAM001"]\n'})
    # An echo of what is not told is no echo.
    assert _left(_report(command(*words))) == [("a.cu", 3, "VER001")]


@pytest.mark.usefixtures("sysroot")
def test_compile_error_of_a_file_is_at_the_inputs_name_and_line(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": BROKEN})
    done = command("port", "src/a.cu", "-o", "b.cu", *ONE_ARCH, "--format", "json")
    report = _report(done)
    assert _left(report) == [("a.cu", 3, "VER001")]
    assert [(f["path"], f["output"]) for f in report["files"]] == [("a.cu", "b.cu")]
    assert report["files"][0]["verify"][0]["outcome"] == "failed"


@pytest.mark.usefixtures("sysroot")
def test_missing_header_is_not_verified_and_never_passed(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": '#include "nowhere.h"\n' + KERNEL})
    done = command("port", "src", "-o", "out", *ONE_ARCH, "--format", "json")
    report = _report(done)
    assert done.returncode == 1
    assert _left(report) == [("a.cu", 1, "VER002")]
    stages = report["summary"]["stages"]
    assert [stages[n]["not_verified"] for n in ("host syntax", "device code")] == [1, 1]
    assert [stages[n]["verified"] for n in ("host syntax", "device code")] == [0, 0]


@pytest.mark.usefixtures("sysroot")
def test_finding_of_the_compiler_can_be_suppressed_by_a_comment(
    command: Command, make_tree: MakeTree
) -> None:
    text = BROKEN.replace("int f", "// porting: ignore[VER001] mended by hand later\nint f")
    make_tree({"a.cu": text})
    done = command("port", "src", "-o", "out", *ONE_ARCH, "--format", "json")
    report = _report(done)
    assert done.returncode == 0
    assert [(d["line"], d["code"], d["by"]) for d in report["suppressed"]] == [
        (4, "VER001", "comment")
    ]
    assert "SUP002" not in {d["code"] for d in report["diagnostics"]}
    assert report["summary"]["stages"]["host syntax"]["suppressed"] == 1


@pytest.mark.usefixtures("sysroot")
def test_configuration_reaches_the_compiler(command: Command, make_tree: MakeTree) -> None:
    settings = '[tool.porting]\ninclude-dirs = ["inc"]\ndefines = ["N=4"]\n'
    kernel = "#include <mine.h>\n#if N != 4\n#error\n#endif\nmine use;\n" + KERNEL
    make_tree({"pyproject.toml": settings, "inc/mine.h": "typedef int mine;\n", "a.cu": kernel})
    assert command("port", "src", "-o", "out", *ONE_ARCH).returncode == 0


@pytest.mark.usefixtures("sysroot")
def test_damaged_compile_commands_make_the_stage_unavailable(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": KERNEL, "compile_commands.json": "[{]"})
    done = command("port", "src", "-o", "out", *ONE_ARCH)
    assert done.returncode == 2
    assert "is no compilation database" in done.stdout
    assert (tmp_path / "out/a.cu").is_file()


def test_verify_of_a_release_without_headers_is_not_verified(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src", "-o", "out", "--rocm", "6.4", *ONE_ARCH, "--format", "json")
    report = _report(done)
    assert done.returncode == 1
    (found,) = (d for d in report["diagnostics"] if d["code"] == "VER003")
    assert found["message"].startswith("not verified: no headers of ROCm 6.4 exist")
    assert _left(report) == [("a.cu", 1, "VER003")]


MAKEFILE = """\
CUDA_HOME ?= /usr/local/cuda
libscale.so: a.cu
\t$(CUDA_HOME)/bin/nvcc -arch=sm_80 -shared -Xcompiler -fPIC $< -o $@ \
\t  -L$(CUDA_HOME)/lib64 -lcudart_static
"""


@pytest.mark.usefixtures("sysroot")
def test_port_and_verify_build_when_asked(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL, "Makefile": MAKEFILE})
    ported = command("port", "src", "-o", "out", "--arch", "gfx942", "--build", "--format", "json")
    stages = _report(ported)["summary"]["stages"]
    assert (stages["rocm build"]["verified"], stages["rocm load"]["verified"]) == (1, 1)
    again = _report(command("verify", "out", "--build", "--format", "json"))["summary"]["stages"]
    assert again["rocm load"] == stages["rocm load"]
    files = {file["path"]: file for file in _report(ported)["files"]}
    details = [verdict["detail"] for verdict in files["Makefile"]["verify"]]
    assert details[0] == "libscale.so"
    assert "no device" in details[1]


def test_port_builds_nothing_when_it_is_not_to_verify(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src", "-o", "out", "--build", "--no-verify")
    assert done.returncode == 2
    assert "--build verifies more than --no-verify leaves out" in done.stderr


@pytest.mark.parametrize("words", [("port", "src", "-o", "out"), ("verify", "src")])
@pytest.mark.parametrize(
    "option", [("--build-platform", "rocm"), ("--build-timeout", "60")], ids=lambda words: words[0]
)
def test_options_of_building_when_nothing_is_built(
    command: Command, make_tree: MakeTree, words: tuple[str, ...], option: tuple[str, str]
) -> None:
    make_tree({"a.cu": KERNEL})
    done = command(*words, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"porting: error: {option[0]} says how --build builds; say --build too\n"
    )


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (("--build-timeout", "0"), "0 is not in the range 1<=x<="),
        (("--build-timeout", "soon"), "'soon' is not a valid integer range"),
        (("--build-timeout", "9" * 400), "is not in the range 1<=x<="),
        (("--build-platform", "hip"), "'hip' is not one of 'cuda', 'rocm'"),
    ],
)
def test_options_of_building_when_their_values_are_wrong(
    command: Command, make_tree: MakeTree, option: tuple[str, str], why: str
) -> None:
    make_tree({"a.cu": KERNEL})
    done = command("port", "src", "-o", "out", "--build", *option)
    assert done.returncode == 2
    assert why in done.stderr


def test_port_when_a_renamed_tree_is_to_be_built_for_cuda(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": KERNEL, "Makefile": MAKEFILE})
    why = (
        "porting: error: a renamed tree is for ROCm alone, so it cannot be built for cuda: its CUDA"
        " side is the input, which stays as it was; build that, or port with --mode compat\n"
    )
    done = command("port", "src", "-o", "out", "--build", "--build-platform", "cuda")
    assert (done.returncode, done.stderr) == (2, why)
    assert not (tmp_path / "out").exists(), "it is said before the work is done"
    assert command("port", "src", "-o", "out", "--no-verify").returncode == 0
    options = ("--build", "--build-platform", "rocm", "--build-platform", "cuda")
    again = command("verify", "out", *options)
    assert (again.returncode, again.stderr) == (2, why)


@pytest.mark.usefixtures("sysroot")
def test_port_when_a_build_repeats_what_is_told(command: Command, make_tree: MakeTree) -> None:
    """One fault counts once: what rules find, and then what compiling the unit finds."""
    call = "int f(cudaStream_t s) { return cudaStreamCopyAttributes(s, s); }\n"
    make_tree({"a.cu": BROKEN + call, "Makefile": MAKEFILE})
    words = ("port", "src", "-o", "out", *ONE_ARCH, "--build", "--format", "json")
    report = _report(command(*words))
    assert _left(report) == [("a.cu", 3, "VER001"), ("a.cu", 4, "NAM001")]
    assert report["summary"]["stages"]["rocm build"]["failed"] == 1
    again = _report(command("verify", "out", "--build", "--format", "json"))
    assert _left(again) == [("a.cu", 3, "VER001"), ("a.cu", 4, "VER001")]
    make_tree({"pyproject.toml": '[tool.porting]\nignore = ["NAM001", "VER001"]\n'})
    # An echo of what is not told is no echo.
    assert {code for _, _, code in _left(_report(command(*words)))} == {"BUI001"}


@pytest.mark.usefixtures("sysroot")
def test_port_when_a_compat_tree_is_built_for_one_platform(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL, "Makefile": MAKEFILE})
    words = ("port", "src", "-o", "out", "--mode", "compat", *ONE_ARCH, "--format", "json")
    done = command(*words, "--build", "--build-platform", "rocm")
    stages = _report(done)["summary"]["stages"]
    assert [name for name in stages if name.startswith(("rocm", "cuda"))] == [
        "rocm build",
        "rocm load",
    ]
    assert done.stderr == ""


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize("configured", [False, True])
def test_port_when_a_build_takes_too_long(
    command: Command, make_tree: MakeTree, *, configured: bool
) -> None:
    settings = "[tool.porting]\nbuild-timeout = 1\n" if configured else ""
    slow = "all:\n\tsleep 600\n"
    make_tree({"a.cu": KERNEL, "Makefile": slow, "pyproject.toml": settings})
    option = () if configured else ("--build-timeout", "1")
    done = command("port", "src", "-o", "out", *ONE_ARCH, "--build", *option, "--format", "json")
    (found,) = (d for d in _report(done)["diagnostics"] if d["code"].startswith("BUI"))
    assert (found["code"], found["message"]) == (
        "BUI002",
        "not built: Make build did not end in 1 s",
    )
    assert "--build-timeout" in found["help"]


LEFT = """\
app: a.o link.o
\tg++ $^ -o $@ -L$(CUDA_HOME)/lib64 -lcudart_static
link.o: a.o
\tnvcc -dlink $^ -o $@
%.o: %.cu
\tnvcc -dc $< -o $@
"""


@pytest.mark.usefixtures("sysroot")
@pytest.mark.parametrize("mode", ["rename", "compat"])
def test_port_when_a_build_file_is_left_to_a_person(
    command: Command, make_tree: MakeTree, mode: str
) -> None:
    """It would build for CUDA, or not at all; what keeps it is told once."""
    make_tree({"a.cu": KERNEL, "Makefile": LEFT, "lib/setup.py": "print('nothing')\n"})
    words = ("port", "src", "-o", "out", "--mode", mode, *ONE_ARCH, "--format", "json")
    report = _report(command(*words, "--build", "--build-platform", "rocm"))
    assert _left(report) == [("Makefile", 4, "BLD010"), ("lib/setup.py", 1, "BUI005")]
    files = {file["path"]: file for file in report["files"]}
    assert [(v["outcome"], v["detail"]) for v in files["Makefile"]["verify"]] == [
        ("not verified", "Makefile is left to a person")
    ]
    assert report["summary"]["stages"]["rocm build"]["not_verified"] == 2


def test_port_when_a_file_is_to_be_built(command: Command, make_tree: MakeTree) -> None:
    make_tree({"a.cu": KERNEL})
    for words in (("port", "src/a.cu", "-o", "out.cu"), ("verify", "src/a.cu")):
        done = command(*words, "--build")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "porting: error: src/a.cu is a file, and --build builds trees; name the folder with its"
            " build files\n"
        )


def test_verify_when_no_port_wrote_the_tree_that_is_to_be_built(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"a.cu": KERNEL, "Makefile": MAKEFILE})
    done = command("verify", "src", "--build")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "porting: error: src is no tree that a port wrote, so nobody knows how to build it; name"
        " the output of `porting port`\n"
    )


@pytest.mark.usefixtures("sysroot")
def test_verify_when_a_ported_tree_has_no_unit(command: Command, make_tree: MakeTree) -> None:
    """One of Rust alone: its build says whether it is right, and without that nothing is said."""
    make_tree({"Makefile": "all:\n\t@printf '!<arch>\\n' > made.a\n", "lib.rs": "fn f() {}\n"})
    assert command("port", "src", "-o", "out").returncode == 0
    for tree in ("out", "src"):
        done = command("verify", tree)
        assert (done.returncode, done.stderr) == (0, "")
        assert "0 suppressed; no unit of C, C++ or HIP is there to compile\n" in done.stdout
    built = command("verify", "out", "--build", "--format", "json")
    assert built.returncode == 0
    assert _report(built)["summary"]["stages"]["rocm build"]["verified"] == 1
