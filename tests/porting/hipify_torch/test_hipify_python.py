"""hipify(): what is hipified, where it goes, what is said, and what is never lost."""

import os
from pathlib import Path
from typing import Any

import pytest

from porting.config import Target
from porting.errors import ConfigError, InputError, OutputError
from porting.hipify_torch.hipify_python import (
    HIPIFY_C_BREADCRUMB,
    CurrentState,
    GeneratedFileCleaner,
    HipifyFinalResult,
    hipify,
)

from .conftest import SOURCES, Project


def _run(root: Path, **more: Any) -> HipifyFinalResult:  # noqa: ANN401 - arguments of hipify
    arguments: dict[str, Any] = {
        "project_directory": str(root),
        "output_directory": str(root),
        "includes": [f"{root}/*"],
        "header_include_dirs": ["include"],
        "is_pytorch_extension": True,
        "show_progress": False,
    }
    return hipify(**{**arguments, **more})


def _seen(root: Path, result: HipifyFinalResult) -> dict[str, tuple[str | None, str]]:
    """Return results by paths below the root."""
    return {
        os.path.relpath(path, root): (
            outcome.hipified_path and os.path.relpath(outcome.hipified_path, root),
            outcome.status,
        )
        for path, outcome in result.items()
    }


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_files_of_an_extension_get_hipified_ones_beside_them(project: Project) -> None:
    root = project()
    before = {path: (root / path).read_bytes() for path in SOURCES}
    result = _run(root)
    assert _seen(root, result) == {
        "csrc/bind.cpp": ("csrc/bind_hip.cpp", "[ok]"),
        "csrc/cuda/common.cuh": ("csrc/hip/common.cuh", "[ok]"),
        "csrc/cuda/kernel.cu": ("csrc/hip/kernel.hip", "[ok]"),
        "include/api.h": ("include/api_hip.h", "[ok]"),
        "include/plain.h": ("include/plain.h", "[skipped, no changes]"),
    }
    assert all(outcome.current_state is CurrentState.DONE for outcome in result.values())
    assert {path: (root / path).read_bytes() for path in SOURCES} == before
    assert _text(root / "csrc/hip/kernel.hip") == HIPIFY_C_BREADCRUMB + (
        "#include <hip/hip_runtime.h>\n"
        '#include "common.cuh"\n'
        '#include "../cuda/table.inl"\n'  # it stays, so its moved includer says where
        "#include <api_hip.h>\n"
        "__global__ void kernel(float* x) { x[threadIdx.x] = next(x[threadIdx.x]); }\n"
        "void run(float* x, hipStream_t s) {\n"
        "  hipLaunchKernelGGL(kernel, dim3(1), dim3(32), 0, s, x);\n"
        "  hipStreamSynchronize(s);\n"
        "}\n"
    )
    assert _text(root / "csrc/bind_hip.cpp").splitlines()[1:3] == [
        '#include "api_hip.h"',
        '#include "hip/common.cuh"',
    ]


def test_a_second_run_changes_nothing_and_leaves_what_the_first_made(project: Project) -> None:
    root = project()
    _run(root)
    before = {p: p.stat().st_mtime_ns for p in root.rglob("*") if p.is_file()}
    seen = _seen(root, _run(root))
    assert seen["csrc/cuda/kernel.cu"] == ("csrc/hip/kernel.hip", "[skipped, already hipified]")
    assert seen["csrc/bind_hip.cpp"] == (None, "[ignored, input is hipified output]")
    assert {p: p.stat().st_mtime_ns for p in root.rglob("*") if p.is_file()} == before


def test_extra_files_only_brings_what_they_include_and_nothing_else(project: Project) -> None:
    root = project({**SOURCES, "csrc/other.cu": "int x = cudaSuccess;\n"})
    seen = _seen(
        root, _run(root, extra_files=["csrc/cuda/kernel.cu"], hipify_extra_files_only=True)
    )
    assert set(seen) == {"csrc/cuda/kernel.cu", "csrc/cuda/common.cuh", "include/api.h"}
    assert not (root / "csrc/other.hip").exists()


def test_headers_that_include_each_other_follow_each_other(project: Project) -> None:
    root = project(
        {
            "a.h": '#pragma once\n#include "b.h"\n',
            "b.h": '#pragma once\n#include "a.h"\n#include "c.h"\n',
            "c.h": "#pragma once\n#include <cuda_runtime.h>\n",
            "use.cpp": '#include "./a.h"\n',
        }
    )
    seen = _seen(root, _run(root))
    assert {path: new for path, (new, _) in seen.items()} == {
        "a.h": "a_hip.h",
        "b.h": "b_hip.h",
        "c.h": "c_hip.h",
        "use.cpp": "use_hip.cpp",
    }
    assert '#include "a_hip.h"\n#include "c_hip.h"\n' in _text(root / "b_hip.h")
    assert '#include "a_hip.h"\n' in _text(root / "use_hip.cpp")


def test_pytorchs_own_layout_has_a_folder_and_in_place_ones(project: Project) -> None:
    root = project(
        {"aten/k.cu": "#include <cuda_runtime.h>\n", "torch/csrc/a.cpp": "cudaStream_t s;\n"}
    )
    seen = _seen(root, _run(root, is_pytorch_extension=False))
    assert seen["aten/k.cu"] == ("aten/hip/k.hip", "[ok]")
    assert seen["torch/csrc/a.cpp"] == ("torch/csrc/a.cpp", "[ok]")
    assert "hipStream_t s;" in _text(root / "torch/csrc/a.cpp")


@pytest.mark.parametrize(("keep", "text"), [(True, "k<<<1, 2>>>();"), (False, "hipLaunchKernel")])
def test_launches_stay_only_where_that_is_asked(project: Project, keep: bool, text: str) -> None:  # noqa: FBT001
    root = project({"k.cu": "__global__ void k() {}\nvoid f() { k<<<1, 2>>>(); }\n"})
    _run(root, hip_clang_launch=keep)
    assert text in _text(root / "k.hip")


def test_an_output_directory_gets_a_copy_that_follows_the_project(project: Project) -> None:
    root = project()
    (root / ".git").mkdir()
    out = root / "made/hip"
    arguments: dict[str, Any] = {"output_directory": str(out), "includes": [f"{root}/*"]}
    assert _seen(out, _run(root, **arguments))["csrc/bind.cpp"] == ("csrc/bind_hip.cpp", "[ok]")
    assert not (root / "csrc/hip").exists()
    assert not (out / ".git").exists()
    assert not (out / "made/hip").exists()
    source = root / "csrc/bind.cpp"
    source.write_text("cudaError_t e;\n", encoding="utf-8")
    os.utime(source, (source.stat().st_atime + 10, source.stat().st_mtime + 10))
    _run(root, **arguments)
    assert "hipError_t e;" in _text(out / "csrc/bind_hip.cpp")


def test_without_an_output_directory_the_projects_name_gets_amd(project: Project) -> None:
    root = project()
    _run(root, output_directory="")
    assert (root.parent / "project_amd/csrc/hip/kernel.hip").is_file()


def test_what_a_person_has_to_decide_is_said_at_its_place(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project({"a.cu": "#include <cuda_runtime.h>\nint f() { return cudaNoSuchCall(); }\n"})
    result = _run(root, show_detailed=True)
    said = capfd.readouterr()
    assert f"{root}/a.cu:2:18: " in said.err
    assert "cudaNoSuchCall" in said.err
    assert "1 [ok]" in said.out
    (found,) = [d for d in result[f"{root}/a.cu"].diagnostics if d.symbol == "cudaNoSuchCall"]
    assert found.line == 2


def test_progress_is_printed_in_torchs_form(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project({"a.cu": "cudaStream_t s;\n"})
    _run(root, show_progress=True)
    assert capfd.readouterr().out == f"{root}/a.cu -> {root}/a.hip [ok]\n"


def test_a_file_of_the_users_own_is_not_overwritten(project: Project) -> None:
    root = project({"csrc/cuda/k.cu": "cudaStream_t s;\n", "csrc/hip/k.hip": "// by hand\n"})
    with pytest.raises(OutputError, match=r"csrc/cuda/k.cu becomes csrc/hip/k.hip.*not made by"):
        _run(root)
    assert _text(root / "csrc/hip/k.hip") == "// by hand\n"


def test_two_files_that_become_one_are_an_error(project: Project) -> None:
    root = project({"op_cuda.cpp": "cudaStream_t s;\n", "op.cpp": "cudaStream_t t;\n"})
    with pytest.raises(OutputError, match=r"both become op_hip.cpp"):
        _run(root)
    assert not (root / "op_hip.cpp").exists()


def test_bytes_survive_marks_line_ends_and_permissions(project: Project) -> None:
    root = project({"a.cu": b"\xef\xbb\xbf// \xff\r\ncudaStream_t s;\r\n"})
    (root / "a.cu").chmod(0o640)
    _run(root)
    data = (root / "a.hip").read_bytes()
    mark = HIPIFY_C_BREADCRUMB.strip().encode()
    assert data.startswith(b"\xef\xbb\xbf" + mark + b"\r\n")
    assert data.endswith(b"// \xff\r\nhipStream_t s;\r\n")
    assert (root / "a.hip").stat().st_mode & 0o777 == 0o640
    assert _run(root)[f"{root}/a.cu"].status == "[skipped, already hipified]"


def test_templates_and_suffixes_of_the_callers_are_hipified(project: Project) -> None:
    root = project(
        {
            "conf.h.in": "#define S cudaStream_t\n",
            "k.tpl": "cudaStream_t s;\n",
            "MANIFEST.in": "x\n",
        }
    )
    seen = _seen(root, _run(root, extra_extensions=(".tpl",)))
    assert seen["conf.h.in"] == ("conf.h_hip.in", "[ok]")
    assert seen["k.tpl"] == ("k_hip.tpl", "[ok]")
    assert seen["MANIFEST.in"] == ("MANIFEST.in", "[skipped, no changes]")
    assert _text(root / "k_hip.tpl") == "hipStream_t s;\n"


def test_build_files_and_scripts_are_not_taken_for_c(project: Project) -> None:
    root = project({"CMakeLists.txt": "find_package(CUDA)\n", "setup.py": "cudaStream_t = 1\n"})
    result = _run(root, extra_files=["CMakeLists.txt", "setup.py"])
    assert {o.status for o in result.values()} == {"[ignored, not C, C++ or CUDA]"}
    assert {o.hipified_path for o in result.values()} == {None}


def test_patterns_may_be_seen_from_the_output_directory(project: Project) -> None:
    root = project({"a/x.cu": "cudaStream_t s;\n", "b/x.cu": "cudaStream_t s;\n"})
    seen = _seen(root, _run(root, includes=["*.cu"], ignores=["b/*"], header_include_dirs=[]))
    assert set(seen) == {"a/x.cu"}


def test_patterns_that_match_nothing_are_told(
    project: Project, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project()
    assert _run(root, includes=["src/*"], header_include_dirs=[]) == {}
    assert f"no file below {root} matches `includes`" in capfd.readouterr().err


def test_relative_directories_work_as_torchs_do(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project()
    monkeypatch.chdir(root)
    done = hipify(
        project_directory=".",
        output_directory=".",
        includes=["./csrc/*"],
        is_pytorch_extension=True,
        show_progress=False,
    )
    assert f"{root}/csrc/cuda/kernel.cu" in done
    assert f"{root}/include/api.h" not in done


def test_builds_and_repositories_at_the_top_are_left_out(project: Project) -> None:
    files = (
        "build/a.cu",
        ".git/a.cu",
        "third_party/x/a.cu",
        "third_party/nvfuser/a.cu",
        "sub/build/a.cu",
    )
    root = project(dict.fromkeys(files, "cudaStream_t s;\n"))
    assert set(_seen(root, _run(root))) == {"third_party/nvfuser/a.cu", "sub/build/a.cu"}


def test_the_release_is_the_projects_or_the_callers(project: Project) -> None:
    text = "auto f = cudaEventRecordWithFlags;\n"  # HIP has it from ROCm 7
    root = project({"a.cu": text, "pyproject.toml": '[tool.porting]\nrocm = "6.2"\n'})
    _run(root)
    assert "cudaEventRecordWithFlags" in _text(root / "a.hip")
    _run(root, target=Target("7.1"))
    assert "hipEventRecordWithFlags" in _text(root / "a.hip")


def test_a_cleaner_removes_what_a_run_made_and_nothing_else(project: Project) -> None:
    root = project()
    before = set(root.rglob("*"))
    with GeneratedFileCleaner(keep_intermediates=False) as cleaner:
        _run(root, clean_ctx=cleaner)
        assert (root / "csrc/hip/kernel.hip").is_file()
    assert set(root.rglob("*")) == before


def test_a_kept_run_stays(project: Project) -> None:
    root = project()
    with GeneratedFileCleaner(keep_intermediates=True) as cleaner:
        _run(root, clean_ctx=cleaner)
    assert (root / "csrc/hip/kernel.hip").is_file()


def test_a_project_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        hipify(str(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_file_is_an_error_and_nothing_is_written(project: Project) -> None:
    root = project()
    with pytest.raises(InputError, match=r"gone.cu cannot be read"):
        _run(root, extra_files=["gone.cu"])
    assert not (root / "csrc/hip").exists()


def test_a_custom_map_comes_first(project: Project) -> None:
    root = project(
        {
            "a.cu": "my_cuMemCreate(); cudaFoo x; auto p = &T::cuMemMap_;\n",
            "custom_hipify_mappings.json": '{"custom_map": {"my_cuMem": "my_hipMem",'
            ' "cudaFoo": "hipFoo", "cuMemMap_": "hipMemMap_"}}',
        }
    )
    _run(root)
    expected = "my_hipMemCreate(); hipFoo x; auto p = &T::hipMemMap_;\n"
    assert _text(root / "a.hip").endswith(expected)


def test_a_named_custom_map_is_read_and_must_exist(project: Project) -> None:
    root = project({"a.cu": "ourThing x;\n", "m/map.json": '{"custom_map": {"ourThing": "other"}}'})
    _run(root, custom_map_list=str(root / "m/map.json"))
    assert _text(root / "a.hip").endswith("other x;\n")
    with pytest.raises(InputError, match=r"none.json is no file"):
        _run(root, custom_map_list="none.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no valid JSON"),
        ("[]", 'no table "custom_map"'),
        ('{"custom_map": {"a": 1}}', "maps 'a' to 1"),
        ('{"custom_map": {"": "b"}}', "maps '' to 'b'"),
        (r'{"custom_map": {"\ud800": "b"}}', "both of whole characters"),
    ],
)
def test_a_custom_map_of_another_shape_is_an_error(
    project: Project, text: str, message: str
) -> None:
    root = project({"a.cu": "cudaStream_t s;\n", "custom_hipify_mappings.json": text})
    with pytest.raises(ConfigError, match=message):
        _run(root)
    assert not (root / "a.hip").exists()
