"""The pipeline as a library."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.config import Target
from porting.errors import ConfigError, InputError, OutputError, UsageError
from porting.port import PortRequest, check_places, port
from porting.reports import Report, State, Status
from porting.settings import Settings, load_settings
from porting.tree import MANIFEST_NAME

MakeTree = Callable[[Mapping[str, str | bytes]], Path]

CUDA = "#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
HIP = "#include <hip/hip_runtime.h>\nint main() { return hipDeviceSynchronize(); }\n"
# There is no such call in any release, so a person must decide.
UNDECIDED = "#include <cuda_runtime.h>\nint f(cudaStream_t s) { return cudaNoSuchCall(s); }\n"


def _port(source: Path, output: Path | None, settings: Settings | None = None) -> Report:
    request = PortRequest(source, output, settings=settings or Settings(), verify=False)
    return port(request).report


def _snapshot(root: Path) -> dict[str, tuple[int, str | bytes]]:
    return {
        p.relative_to(root).as_posix(): (
            stat.S_IMODE(p.lstat().st_mode),
            str(p.readlink()) if p.is_symlink() else p.read_bytes() if p.is_file() else b"",
        )
        for p in sorted(root.rglob("*"))
        if p.name != MANIFEST_NAME
    }


def test_port_writes_a_mirrored_tree_and_leaves_the_input_alone(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    source = make_tree({"a.cu": CUDA, "sub/b.py": "x\r\n", "sub/plain.h": "int x;\n", ".git/x": ""})
    (source / "sub/b.py").chmod(0o750)
    (source / "a.cu").chmod(0o444)
    (source / "link.cu").symlink_to("a.cu")
    (source / "empty").mkdir()
    before = _snapshot(source)
    report = _port(source, tmp_path / "out")
    assert _snapshot(source) == before
    expected = {path: entry for path, entry in before.items() if not path.startswith(".git")}
    assert _snapshot(tmp_path / "out") == expected | {"a.cu": (0o444, HIP.encode())}
    assert {f.path: f.status for f in report.files} == {
        "a.cu": Status.CHANGED,
        "link.cu": Status.LINK,
        "sub/b.py": Status.COPIED,
        "sub/plain.h": Status.UNCHANGED,
    }
    assert [f.automatic for f in report.files] == [2, 0, 0, 0]
    assert report.exit_code == 0


def test_port_of_its_own_output_changes_nothing(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": CUDA, "b.h": CUDA})
    _port(source, tmp_path / "one")
    again = _port(tmp_path / "one", tmp_path / "two")
    assert _snapshot(tmp_path / "one") == _snapshot(tmp_path / "two")
    assert again.automatic == 0


def test_port_repeated_gives_the_same_bytes_manifest_included(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    source = make_tree({"a.cu": CUDA, "b.h": CUDA})
    _port(source, tmp_path / "one")
    _port(source, tmp_path / "two")
    _port(source, tmp_path / "two")
    manifests = {(tmp_path / out / MANIFEST_NAME).read_bytes() for out in ("one", "two")}
    assert len(manifests) == 1


def test_scan_writes_nothing(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": CUDA})
    report = _port(source, None)
    assert os.listdir(tmp_path) == ["src"]  # noqa: PTH208 - names are what matters
    assert report.output is None
    assert report.files[0].output is None
    assert (report.stages[1].state, report.stages[1].reason) == (
        State.SKIPPED,
        "nothing was written",
    )


def test_port_of_a_file_writes_a_file(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": CUDA}) / "a.cu"
    source.chmod(0o640)
    report = _port(source, tmp_path / "deep/b.cu")
    assert (tmp_path / "deep/b.cu").read_text() == HIP
    assert (tmp_path / "deep/b.cu").stat().st_mode & 0o777 == 0o640
    assert [(f.path, f.output) for f in report.files] == [("a.cu", str(tmp_path / "deep/b.cu"))]


def test_exit_code_is_1_when_a_person_must_decide(make_tree: MakeTree, tmp_path: Path) -> None:
    report = _port(make_tree({"a.cu": UNDECIDED}), tmp_path / "out")
    assert report.exit_code == 1
    (found,) = (d for d in report.diagnostics if d.severity != "note")
    assert (found.file, found.line, found.symbol) == ("a.cu", 2, "cudaNoSuchCall")
    assert report.files[0].manual == report.manual == 1


def test_ignored_finding_is_counted_and_shown(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": UNDECIDED, "b.cu": UNDECIDED})
    code = next(d.code for d in _port(source, None).diagnostics if d.severity != "note")
    settings = Settings(per_path_ignore={"a.cu": (code,)})
    report = _port(source, tmp_path / "out", settings)
    assert [(d.file, d.code) for d in report.ignored] == [("a.cu", code)]
    assert [d.file for d in report.diagnostics if d.code == code] == ["b.cu"]
    assert report.stages[0].suppressed == 1


def test_finding_suppressed_by_a_comment_is_counted_and_shown(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    source = make_tree({"a.cu": UNDECIDED})
    code = next(d.code for d in _port(source, None).diagnostics if d.severity != "note")
    text = UNDECIDED.replace("int f", f"// porting: ignore[{code}] we have our own\nint f")
    report = _port(make_tree({"a.cu": text}), tmp_path / "out")
    assert [d.code for d in report.suppressed] == [code]
    assert report.exit_code == 0
    assert report.stages[0].suppressed == 1


def test_unknown_ignored_code_is_an_error(make_tree: MakeTree, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"ignores XXX999, which is no code"):
        _port(make_tree({"a.cu": ""}), tmp_path / "out", Settings(ignore=("XXX999",)))
    assert not (tmp_path / "out").exists()


def test_code_of_the_verify_stage_can_be_ignored_without_it(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    root = make_tree({"a.h": ""})
    assert _port(root, tmp_path / "out", Settings(ignore=("VER001",))).exit_code == 0


def test_defines_of_the_settings_reach_the_rules(make_tree: MakeTree, tmp_path: Path) -> None:
    tree = make_tree({"a.cpp": "#include <cublas_v2.h>\nvoid f() { cublasGemmEx(h); }\n"})

    def codes(settings: Settings) -> set[str]:
        request = PortRequest(tree, None, Target("6.4"), settings, verify=False)
        return {found.code for found in port(request).report.diagnostics}

    assert "LIB009" in codes(Settings())
    assert "LIB009" not in codes(Settings(defines=("HIPBLAS_V2",)))


def test_exclude_and_verbatim_of_the_inputs_pyproject_are_followed(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    text = '[tool.porting]\nexclude = ["third_party"]\nverbatim = ["gen"]\n'
    source = make_tree(
        {"pyproject.toml": text, "third_party/a.cu": CUDA, "gen/b.cu": CUDA, "c.cu": CUDA}
    )
    _port(source, tmp_path / "out", load_settings(source))
    assert not (tmp_path / "out/third_party").exists()
    assert (tmp_path / "out/gen/b.cu").read_text() == CUDA
    assert (tmp_path / "out/c.cu").read_text() == HIP


def test_binary_source_is_copied_and_counts_as_failed(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cu": b"\0\1\2", "b.cu": CUDA})
    report = _port(source, tmp_path / "out")
    assert (tmp_path / "out/a.cu").read_bytes() == b"\0\1\2"
    stage = report.stages[0]
    assert (stage.verified, stage.failed) == (1, 1)
    assert report.exit_code == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.cu", b"\xff\xfei\0n\0t\0", r"is no text \(it has NUL bytes\), so it cannot be ported"),
        ("a.txt", b"int x;", r"is no C, C\+\+ or CUDA source by its name"),
    ],
)
def test_single_file_that_cannot_be_ported_is_an_error(
    make_tree: MakeTree, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    source = make_tree({name: content}) / name
    with pytest.raises(InputError, match=message):
        _port(source, tmp_path / "out.cu")
    assert not (tmp_path / "out.cu").exists()


def test_build_folder_is_left_out_and_said(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"a.cpp": CUDA, "build/CMakeCache.txt": "", "build/made.cu": UNDECIDED})
    report = _port(source, tmp_path / "out")
    assert [(d.code, d.file) for d in report.diagnostics] == [("TRE006", "build")]
    assert not (tmp_path / "out/build").exists()


def test_excerpts_hold_the_lines_around_what_is_left(make_tree: MakeTree) -> None:
    text = "// Andr\u00e9 0\n// 1\n// 2\n" + UNDECIDED + "// 6\n// 7\n// 8\n"
    report = _port(make_tree({"a.cu": text}), None)
    assert sorted(report.excerpts["a.cu"]) == [3, 4, 5, 6, 7]
    assert report.excerpts["a.cu"][5].startswith("int f(")


def test_excerpt_of_an_endless_line_is_cut(make_tree: MakeTree) -> None:
    report = _port(make_tree({"a.cu": UNDECIDED[:-1] + "/*" + "x" * 200_000 + "*/\n"}), None)
    assert max(map(len, report.excerpts["a.cu"].values())) < 250


def test_places_are_refused_when_one_holds_the_other(make_tree: MakeTree, tmp_path: Path) -> None:
    source = make_tree({"sub/a.cu": CUDA})
    (tmp_path / "alias").symlink_to("src")
    for output, message in (
        (source, "is the input itself"),
        (tmp_path / "alias", "is the input itself"),
        (source / "out", "is inside the input"),
        (tmp_path / "alias/sub/out", "is inside the input"),
        (tmp_path, "the input .* is inside"),
    ):
        with pytest.raises(UsageError, match=message):
            check_places(source, output)
    with pytest.raises(
        UsageError, match=r"is a folder; the output of a file is a file; name one, like .*/a\.cu$"
    ):
        check_places(source / "sub/a.cu", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="is a file; the output of a folder is a folder"):
        check_places(source, tmp_path / "file")


def test_folders_made_for_an_output_go_when_it_cannot_be_written(
    make_tree: MakeTree, tmp_path: Path
) -> None:
    source = make_tree({"a.cu": CUDA}) / "a.cu"
    with pytest.raises(OutputError, match="file name too long"):
        _port(source, tmp_path / "new/er" / ("x" * 300))
    assert os.listdir(tmp_path) == ["src"]  # noqa: PTH208 - names are what matters
