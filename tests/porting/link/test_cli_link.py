"""`porting link` as a process: output, schema, exit codes."""

import ast
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

if TYPE_CHECKING:
    from tests.porting.link.conftest import Bench

Command = Callable[..., "subprocess.CompletedProcess[str]"]
MakeTree = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(scope="module")
def schema() -> Any:  # noqa: ANN401 - a JSON document
    return json.loads((resources.files("porting.link") / "audit.schema.json").read_text())


def test_audit_when_nothing_is_wrong(command: Command, bench: "Bench") -> None:
    path = bench.hip_user(runpath="/opt/rocm/lib:$ORIGIN/rocm/lib")
    done = command("link", "audit", path, "--platform", "rocm")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"{path}: shared library, x86-64, follows rocm"
    assert f"  needs    libamdhip64.so.7 => {bench.rocm}/libamdhip64.so.7" in lines
    assert lines[-1] == "1 file"


def test_audit_when_it_is_said_where_the_libraries_are(command: Command, bench: "Bench") -> None:
    path = bench.hip_user(runpath="$ORIGIN/../rocm/lib:/sw/rocm/lib")
    assert command("link", "audit", path).returncode == 1
    words = ("--runpath", "/sw/rocm/lib", "--runpath", "$ORIGIN/../rocm/lib")
    done = command("link", "audit", path, "--platform", "rocm", *words)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 file, 1 note")


def test_audit_when_something_is_wrong(command: Command, bench: "Bench") -> None:
    path = bench.hip_user(runpath=None)
    done = command("link", "audit", path, "--rocm", "6.4")
    assert done.returncode == 1
    assert (
        "  LNK007 error: libamdhip64.so.7 is needed; ROCm 6.4 has libamdhip64.so.6" in done.stdout
    )
    assert "    help: link with -Wl,--enable-new-dtags,-rpath," in done.stdout
    assert done.stdout.splitlines()[-1] == "1 file, 1 error, 1 warning, 1 note"


def test_audit_when_a_file_is_no_binary(command: Command, bench: "Bench") -> None:
    text = bench.root / "notes.txt"
    text.write_text("#!/bin/sh\n")
    done = command("link", "audit", text, bench.static_cuda_user())
    assert done.returncode == 2
    assert done.stderr.startswith(f"porting: error: {text} is no ELF file: it begins with b'#!/bin")
    assert done.stdout.splitlines()[-1] == "1 file, 1 not read"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing.so",), "nothing.so does not exist; check the path"),
        ((), "missing argument 'BINARY...'"),
        (("a.so", "--rocm", "5.7"), "ROCm 5.7 is too old to be a target; 6.2 or newer is needed"),
        (("a.so", "--platform", "metal"), "'metal' is not one of 'cuda', 'rocm'"),
        (("a.so", "--runpath", "lib"), "--runpath 'lib' is no folder that a file can rely on"),
        (("a.so", "--runpath", ""), "--runpath '' is no folder"),
        (("a.so", "--runpath", "/a:b"), "--runpath '/a:b' is no folder"),
        (("a.so", "--runpath", "$ORIGINAL/a"), "--runpath '$ORIGINAL/a' is no folder"),
    ],
)
def test_audit_when_used_wrongly(command: Command, words: tuple[str, ...], message: str) -> None:
    done = command("link", "audit", *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_json_when_compared_with_its_schema(
    command: Command,
    bench: "Bench",
    schema: Any,  # noqa: ANN401 - a JSON document
) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    paths = [bench.hip_user(runpath=None), bench.static_cuda_user(), bench.cuda_user("c.so")]
    paths.append(
        bench.build("o.o", "extern int x; int f(void){return x;}", "-c", "-fno-pic", shared=False)
    )
    (bench.root / "bad").write_bytes(b"\x7fELF")
    words = ("--format", "json", "--arch", "gfx942,80", "--rocm", "7.0")
    done = command("link", "audit", *paths, bench.root / "bad", *words)
    assert done.returncode == 2
    told = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema).validate(told)
    assert [file["path"] for file in told["files"]] == [str(path) for path in paths]
    assert told["target"] == {"platform": None, "rocm": "7.0", "archs": ["gfx942", "80"]}
    assert {file["follows"] for file in told["files"]} == {
        "rocm",
        "cuda-static",
        "cuda-shared",
        "none",
    }
    assert told["unreadable"][0]["path"] == str(bench.root / "bad")
    assert not told["files"][3]["position_independent"]


def test_json_when_it_has_more_than_its_schema(schema: Any) -> None:  # noqa: ANN401
    told = {"schema_version": 1, "surprise": True}
    assert not jsonschema.Draft202012Validator(schema).is_valid(told)


def test_plan_when_of_a_tree(command: Command, make_tree: MakeTree) -> None:
    tree = make_tree(
        {"a.cu": "#include <cublas_v2.h>\n", "b.cpp": 'void *h = dlopen("libnccl.so.2", 2);\n'}
    )
    done = command("link", "plan", tree, "--platform", "rocm", "--rocm", "7.1")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split()[:3] for line in done.stdout.splitlines()[1:4]]
    assert rows == [
        ["cudart", "shared", "libamdhip64.so.7"],
        ["cublas", "shared", "libhipblas.so.3"],
        ["nccl", "dlopen", "librccl.so.1"],
    ]
    assert "RUNPATH: <rocm>/lib" in done.stdout


def test_plan_when_as_json(command: Command, make_tree: MakeTree) -> None:
    tree = make_tree({"a.cu": "#include <cublas_v2.h>\n"})
    words = ("--platform", "cuda", "--for", "make", "--arch", "80,90", "--format", "json")
    told = json.loads(command("link", "plan", tree, *words).stdout)
    assert [item["cmake_target"] for item in told["libraries"]] == [
        "CUDA::cudart_static",
        "CUDA::cublas",
    ]
    assert told["libraries"][1]["used_in"] == {"file": "a.cu", "name": "<cublas_v2.h>"}
    assert told["archs"] == ["80", "90"]
    assert "GPU_LDLIBS := -lcudart_static -lcublas -lrt -lpthread -ldl\n" in told["fragment"]


def test_plan_when_a_fragment_names_the_command_that_made_it(
    command: Command, make_tree: MakeTree
) -> None:
    tree = make_tree({"a.cu": ""})
    words = ("link", "plan", tree.name, "--platform", "rocm", "--for", "cmake", "--arch", "gfx942")
    first = command(*words).stdout
    line = first.splitlines()[1].removeprefix("# porting ")
    assert line == "link plan src --platform rocm --for cmake --rocm 7.1 --arch gfx942"
    assert command(*line.split()).stdout == first


def test_plan_when_libraries_are_named(command: Command) -> None:
    done = command("link", "plan", "--platform", "rocm", "--for", "make", "--library", "cufft,nccl")
    assert "GPU_LDLIBS := -lamdhip64 -lhipfft -ldl\n" in done.stdout
    wrong = command("link", "plan", "--platform", "rocm", "--library", "fftw")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("porting: error: 'fftw' is no library of the link plan")


def test_explain_when_asked_about_a_code_of_the_audit(command: Command) -> None:
    done = command("explain", "LNK014")
    assert done.stdout.startswith("LNK014: two HIP runtimes in one process\n")
    codes = command("explain", "--codes").stdout
    assert codes.count("\nLNK0") == 22


@pytest.mark.parametrize("name", ["a\nevil = 1", 'a"""b', "a\\N{b", "a\x1bb"])
def test_plan_when_the_name_of_the_tree_would_be_code(
    command: Command, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.cu").write_text("__global__ void k() {}\n")
    words = ("link", "plan", name, "--platform", "rocm", "--for", "setuptools")
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "porting link plan PATH --platform rocm" in done.stdout
    ast.parse(done.stdout)


@pytest.mark.parametrize("arch", ["gfx942", "foo", "80;90", "sm_"])
def test_plan_when_an_architecture_is_none_of_cudas(command: Command, arch: str) -> None:
    done = command("link", "plan", "--platform", "cuda", "--for", "make", "--arch", arch)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"porting: error: '{arch}' is not a CUDA architecture; write it like 80 or 90a\n"
    )


def test_audit_when_an_architecture_is_no_ones(command: Command, bench: "Bench") -> None:
    done = command("link", "audit", bench.hip_user(), "--arch", "gfx942,zz")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'zz' is no GPU architecture; write it like gfx942 or 80" in done.stderr


@pytest.mark.parametrize("arch", ["80", "90a", "sm_80", "compute_120f", "gfx90a:xnack-"])
def test_audit_when_an_architecture_is_well_written(
    command: Command, bench: "Bench", arch: str
) -> None:
    assert command("link", "audit", bench.hip_user(), "--arch", arch).returncode in (0, 1)


def test_audit_when_a_folder_has_nothing_to_audit(command: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing was built")
    done = command("link", "audit", tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path} has no program, library, object or archive in it" in done.stderr


def test_audit_when_a_path_is_no_file(command: Command, tmp_path: Path) -> None:
    """A pipe that nobody writes to is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    done = command("link", "audit", tmp_path / "pipe")
    assert done.returncode == 2
    assert f"{tmp_path / 'pipe'} is neither a file nor a folder" in done.stderr


NOT_EXAMINED = "LNK022 note: not examined, it is"


@pytest.fixture
def nested(bench: "Bench") -> Path:
    """Return an archive with an archive in it, bitcode, and an object."""
    (bench.root / "code.bc").write_bytes(b"BC\xc0\xde")
    (bench.root / "lib.rmeta").write_bytes(b"rust")
    (bench.root / "a.c").write_text("int a(void) { return 1; }")
    members = ("inner.a", "a.o", "code.bc", "lib.rmeta")
    for words in (
        ("gcc", "-c", "-fPIC", "a.c"),
        ("ar", "rcs", "inner.a", "a.o"),
        ("ar", "rcs", "outer.a", *members),
        ("ar", "rcs", "no_object.a", "inner.a"),
    ):
        subprocess.run(words, cwd=bench.root, check=True, timeout=50)
    return bench.root / "outer.a"


def test_audit_when_an_archive_holds_what_no_linker_takes(command: Command, nested: Path) -> None:
    done = command("link", "audit", nested)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{nested}(a.o): object, x86-64, follows none",
        "",
        f"{nested}(inner.a): {NOT_EXAMINED} an archive; linkers do not look into it",
        "    help: put its members into the outer archive, or link both",
        f"{nested}(code.bc): {NOT_EXAMINED} LLVM bitcode",
        "    help: audit what is linked from it",
        "",
        "1 file, 2 notes",
    ]


def test_audit_json_when_members_are_not_examined(
    command: Command,
    nested: Path,
    schema: Any,  # noqa: ANN401 - a JSON document
) -> None:
    done = command("link", "audit", nested, "--format", "json")
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema)
    assert [item["path"] for item in report["not_examined"]] == [
        f"{nested}(inner.a)",
        f"{nested}(code.bc)",
    ]
    assert report["summary"]["note"] == 2


@pytest.mark.parametrize("name", ["no_object.a", "empty.a"])
def test_audit_when_an_archive_has_no_object(command: Command, nested: Path, name: str) -> None:
    """Success would say that one was examined."""
    (nested.parent / "empty.a").write_bytes(b"!<arch>\n")
    path = nested.parent / name
    done = command("link", "audit", path)
    assert done.returncode == 2
    assert done.stderr == (
        f"porting: error: {path} has no object that can be examined; build it, or check the path\n"
    )
    assert command("link", "audit", path, nested).returncode == 0


def test_audit_when_names_of_files_are_odd(command: Command, bench: "Bench") -> None:
    """A name takes no line of its own, and no control of the terminal."""
    path = bench.hip_user(runpath=None).rename(bench.root / "a\nLNK001 error\x1b[31m.so")
    short = bench.root / "short\n.so"
    short.write_bytes(path.read_bytes()[:100])
    done = command("link", "audit", path, short)
    assert done.stdout.startswith(f"{bench.root}/a\\nLNK001 error\\x1b[31m.so: shared library")
    assert done.stderr.count("\n") == 1
    assert f"{bench.root}/short\\n.so is damaged" in done.stderr


def test_audit_when_a_folder_has_what_cannot_be_read(command: Command, bench: "Bench") -> None:
    """The rest is audited; a path may be too long to be listed, or the user may not read it."""
    folder = bench.static_cuda_user("build/a(1).so").parent
    deep = "for i in $(seq 450); do mkdir aaaaaaaaaa; cd -P aaaaaaaaaa; done"
    subprocess.run(["sh", "-c", deep], cwd=folder, check=True, timeout=50)
    done = command("link", "audit", folder)
    assert done.returncode == 2
    assert done.stdout.startswith(f"{folder}/a(1).so: shared library, x86-64, follows cuda-static")
    assert done.stdout.splitlines()[-1].endswith("1 not read")
    assert "cannot be read: file name too long; check the path" in done.stderr


def test_audit_when_a_link_leads_nowhere(command: Command, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = command("link", "audit", "loop")
    assert done.stderr == (
        "porting: error: loop is a link that leads nowhere; check where it leads\n"
    )


def test_audit_when_names_have_parentheses(command: Command, bench: "Bench") -> None:
    """Files are told in the order in which they were named."""
    names = ("x.so", "y.so", "a(1).so")
    paths = [bench.static_cuda_user(name) for name in names]
    done = command("link", "audit", *paths, "--separate")
    told = [line for line in done.stdout.splitlines() if ": shared library" in line]
    assert [line.partition(": shared")[0] for line in told] == list(map(str, paths))
