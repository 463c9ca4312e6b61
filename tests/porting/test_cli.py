"""The command as tools and people call it."""

import ast
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import metadata, resources
from pathlib import Path

import click
import jsonschema
import pytest

OnATerminal = Callable[..., tuple[bytes, bytes]]
Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]

CUDA = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
HIP = "#include <hip/hip_runtime.h>\nint main() { return hipDeviceSynchronize(); }\n"
UNDECIDED = "#include <cuda_runtime.h>\nint f(cudaStream_t s) { return cudaNoSuchCall(s); }\n"


def test_port_prints_the_report_and_exits_0_when_nothing_is_left(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    done = command("port", "src", "-o", "out", "--no-verify")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "for ROCm 7.1 on gfx90a, gfx942, gfx1100\n"
        "output: out\n"
        "1 file: 1 changed\n"
        "rewritten automatically: 2 places; left for a person: 0 lines\n"
        "port: 1 ported, 0 not ported, 0 suppressed\n"
        "verify: skipped: --no-verify\n"
        "0 errors, 0 warnings, 0 notes, 0 suppressed\n"
    )
    assert (tmp_path / "out/a.cu").read_text() == HIP


def test_port_exits_1_and_names_the_place_when_something_is_left(
    command: Command, make_tree: MakeTree
) -> None:
    make_tree({"sub/a.cu": UNDECIDED})
    done = command("port", "src", "-o", "out", "--no-verify")
    assert done.returncode == 1
    assert done.stdout.startswith("src/sub/a.cu:2:")
    assert "warning: " in done.stdout.splitlines()[0]


def test_port_writes_the_report_to_a_file_and_a_summary_to_stdout(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": UNDECIDED})
    words = ("port", "src", "-o", "out", "--no-verify", "--format", "json", "--report", "r.json")
    done = command(*words, "--rocm", "6.4", "--arch", "gfx90a,gfx942", "--arch", "gfx1100")
    assert done.stdout.endswith("report: r.json\n")
    assert "src/a.cu:" not in done.stdout
    report = json.loads((tmp_path / "r.json").read_text())
    schema = json.loads((resources.files("porting.reports") / "report.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(report)
    assert report["target"] == {"rocm": "6.4", "archs": ["gfx90a", "gfx942", "gfx1100"]}
    assert (report["source"], report["output"]) == ("src", "out")
    assert [(d["file"], d["line"]) for d in report["diagnostics"]] == [("a.cu", 2)]
    assert report["exit_code"] == done.returncode == 1


@pytest.mark.parametrize("form", ["json", "sarif", "html", "github"])
def test_port_prints_the_form_alone_when_no_file_is_named(
    command: Command, make_tree: MakeTree, form: str
) -> None:
    make_tree({"a.cu": UNDECIDED})
    done = command("port", "src", "-o", "out", "--no-verify", "--format", form)
    assert done.stderr == ""
    if form in ("json", "sarif"):
        json.loads(done.stdout)
    assert done.stdout.startswith(
        {"html": "<!doctype html>", "github": "::warning "}.get(form, "{")
    )


def test_port_of_a_file_writes_a_file(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    done = command("port", "src/a.cu", "-o", "b.cu", "--no-verify")
    assert done.returncode == 0
    assert (tmp_path / "b.cu").read_text() == HIP


def test_scan_reports_and_writes_nothing(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    crate = 'extern "C" { fn f(x: CUdeviceptr); }'
    make_tree({"a.cu": UNDECIDED, "configure.ac": "AC_CHECK_LIB(cuda)\n", "l.rs": crate})
    done = command("scan", "src")
    assert done.returncode == 1
    assert "verify: skipped: nothing was written\n" in done.stdout
    assert "configure.ac is a build file of a kind that is not ported" in done.stdout
    assert "copied" not in done.stdout.split("for ROCm")[0]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["src"]


def test_command_line_wins_over_the_configuration(command: Command, make_tree: MakeTree) -> None:
    settings = '[tool.porting]\nrocm = "6.2"\narch = ["gfx90a"]\n'
    make_tree({"a.cu": CUDA, "pyproject.toml": settings})
    said = json.loads(command("scan", "src", "--format", "json").stdout)["target"]
    assert said == {"rocm": "6.2", "archs": ["gfx90a"]}
    done = command("scan", "src", "--format", "json", "--rocm", "7.0", "--arch", "gfx1100")
    assert json.loads(done.stdout)["target"] == {"rocm": "7.0", "archs": ["gfx1100"]}


def test_output_is_the_same_whatever_jobs_says(
    command: Command, make_tree: MakeTree, tmp_path: Path
) -> None:
    big = "#include <cuda_runtime.h>\n" + "// filler\n" * 60_000
    make_tree({f"{n}.cu": big + f"int f{n}() {{ return cudaNoSuchCall(); }}\n" for n in range(4)})
    one = command("port", "src", "-o", "one", "--no-verify", "--jobs", "1")
    two = command("port", "src", "-o", "two", "--no-verify", "--jobs", "2")
    assert one.stdout == two.stdout.replace("output: two", "output: one")
    assert subprocess.run(["diff", "-r", "one", "two"], cwd=tmp_path, check=False).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--help",),
        ("-h",),
        *((name, "--help") for name in ("port", "scan", "hipify", "verify", "explain", "doctor")),
        ("sysroot", "create", "--help"),
        ("sysroot", "list", "-h"),
    ],
)
def test_help_is_there_for_every_command(command: Command, words: tuple[str, ...]) -> None:
    done = command(*words)
    assert "Usage: porting" in done.stdout + done.stderr
    assert done.returncode == (0 if words else 2)


def test_help_imports_no_pipeline_and_nothing_slow(environment: dict[str, str]) -> None:
    code = (
        "import sys; from porting.cli import main; main(['--help']); "
        "print(sorted(m for m in sys.modules if m.startswith(('porting', 'rich', 'jinja2'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    loaded = ast.literal_eval(done.stdout.splitlines()[-1])
    assert loaded == ["porting", "porting.cli", "porting.cli.group", "porting.stopping"]


def test_port_without_verify_imports_only_click_besides_the_standard_library(
    make_tree: MakeTree, environment: dict[str, str], tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    code = (
        "import sys; from porting.cli import main; "
        "main(['port', 'src', '-o', 'out', '--no-verify']); "
        "import json; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[1:1] = {sys.path!r}; {code}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    foreign = {name for name in loaded - sys.stdlib_module_names if not name.startswith("_")}
    assert foreign == {"click", "porting"}


def test_version_is_that_of_the_distribution(command: Command) -> None:
    assert command("--version").stdout == f"porting, version {metadata.version('eclosion')}\n"


def test_explain_gives_pages_lists_and_counts(command: Command) -> None:
    assert command("explain", "TRE001").stdout.startswith("TRE001: a source file that is no text\n")
    assert "hipMalloc\n" in command("explain", "cudaMalloc").stdout
    codes = command("explain", "--codes").stdout.splitlines()
    assert codes == sorted(codes)
    assert {"TRE001", "VER001"} <= {line.split()[0] for line in codes}
    assert "total" in command("explain", "--libraries", "--rocm", "6.2").stdout


def test_doctor_prints_rows_as_text_and_json(command: Command) -> None:
    rows = json.loads(command("doctor", "--format", "json").stdout)
    assert {"name", "state", "detail", "help"} == set(rows[0])
    text = command("doctor").stdout
    assert all(row["name"] in text for row in rows)


def test_sysroot_list_names_every_release(command: Command) -> None:
    rows = json.loads(command("sysroot", "list", "--format", "json").stdout)
    assert {"7.1", "6.2"} <= {row["rocm"] for row in rows}
    assert all(row["path"] or row["reason"] for row in rows)


def test_sysroot_find_prints_the_home_that_a_build_uses(
    command: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    home = tmp_path / "cuda"
    for file in ("include/cuda_runtime.h", "lib64/libcudart_static.a"):
        (home / file).parent.mkdir(parents=True)
        (home / file).touch()
    (home / "include/cuda.h").write_text("#define CUDA_VERSION 13000\n", encoding="utf-8")
    environment["CUDA_HOME"] = str(home)
    done = command("sysroot", "find", "--platform", "cuda", "--format", "json")
    assert json.loads(done.stdout) == {
        "schema_version": 1,
        "platform": "cuda",
        "path": str(home),
        "release": "13.0",
        "note": "",
    }
    assert command("sysroot", "find", "--platform", "cuda").stdout == f"{home}\n"
    wrong = command("sysroot", "find", "--platform", "cuda", "--rocm", "7.1")
    assert wrong.returncode == 2
    assert "--rocm 7.1 names a ROCm release" in wrong.stderr
    wrong = command("sysroot", "find", "--platform", "cuda", "--oldest", "7.0")
    assert "--oldest 7.0 names a ROCm release" in wrong.stderr


@pytest.mark.parametrize(
    ("version", "options", "expected"),
    [
        ("7.2.1", (), "7.2"),
        ("6.2.0", (), "6.2"),
        ("7.2.1", ("--rocm", "7.2.0"), "7.2"),
        ("6.1.0", (), "rocm 6.1 found at {home}, 6.2 or newer is needed; set ROCM_PATH"),
        ("6.4.0", ("--oldest", "7.0"), "rocm 6.4 found at {home}, 7.0 or newer is needed; set"),
        ("", (), "the ROCm at {home} says its release in none of .info/version, include/hip/hip"),
    ],
)
def test_sysroot_find_takes_the_installed_rocm(  # noqa: PLR0913, PLR0917
    command: Command,
    environment: dict[str, str],
    tmp_path: Path,
    version: str,
    options: tuple[str, ...],
    expected: str,
) -> None:
    home = tmp_path / "rocm"
    files = {
        "include/hip/hip_runtime_api.h": "",
        "lib/libamdhip64.so": "",
        ".info/version": version,
    }
    for file, text in files.items():
        (home / file).parent.mkdir(parents=True)
        (home / file).write_text(text, encoding="utf-8")
    environment |= {"ROCM_PATH": str(home), "ROCM_HOME": ""}
    done = command("sysroot", "find", "--platform", "rocm", "--format", "json", *options)
    if done.returncode == 0:
        found = json.loads(done.stdout)
        assert (found["path"], found["release"]) == (str(home), expected)
    else:
        assert expected.format(home=home) in done.stderr


@pytest.mark.toolchain
@pytest.mark.usefixtures("sysroot")
def test_sysroot_create_prints_what_tools_rely_on(command: Command) -> None:
    found = json.loads(command("sysroot", "create", "--format", "json").stdout)
    assert (Path(found["include"]) / "hip/hip_runtime.h").is_file()
    assert Path(found["include"]).is_relative_to(found["path"])
    assert found["version"].startswith("7.1.")


@pytest.fixture
def on_a_terminal(environment: dict[str, str], tmp_path: Path) -> OnATerminal:
    """Return a function that runs a command with stderr on a terminal and gives what it drew."""

    def run(*arguments: str) -> tuple[bytes, bytes]:
        ours, theirs = pty.openpty()
        done = subprocess.run(
            arguments,
            cwd=tmp_path,
            env={**environment, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=30,
            check=False,
        )
        os.write(theirs, b"|")  # an empty terminal cannot be read
        drawn = os.read(ours, 65536)
        os.close(theirs)
        os.close(ours)
        return done.stdout, drawn.removesuffix(b"|")

    return run


def test_progress_is_drawn_on_a_terminal_only(
    make_tree: MakeTree, arguments: list[str], on_a_terminal: OnATerminal
) -> None:
    make_tree({"a.cu": CUDA})
    printed, drawn = on_a_terminal(*arguments, "scan", "src")
    assert b"scanning" in drawn
    assert printed.startswith(b"for ROCm")


def test_progress_is_left_out_when_only_click_is_installed(
    make_tree: MakeTree, on_a_terminal: OnATerminal, environment: dict[str, str], tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/click").symlink_to(Path(click.__file__).parent)
    environment["PYTHONPATH"] += f":{tmp_path}/packages"
    printed, drawn = on_a_terminal(sys.executable, "-S", "-m", "porting", "scan", "src")
    assert (printed[:6], drawn) == (b"for RO", b"")


def test_reader_that_goes_away_ends_the_command_quietly(
    make_tree: MakeTree, arguments: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    make_tree({f"{n}.cu": UNDECIDED * 50 for n in range(40)})
    process = subprocess.Popen(
        [*arguments, "scan", "src"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(30) == 141


def test_defect_of_the_tool_is_told_apart_from_findings(
    make_tree: MakeTree, environment: dict[str, str], tmp_path: Path
) -> None:
    make_tree({"a.cu": CUDA})
    code = (
        "import sys, porting.port.pipeline as p; p.read_tree = None; "
        "from porting.cli import main; sys.exit(main(['scan', 'src']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "porting: error: this is a defect of porting, please report it: TypeError("
    )
    assert "Traceback" in done.stderr
