"""Results as findings of the input: what the advice says."""

from pathlib import Path

import pytest

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.reports import Outcome
from porting.verify.findings import diagnostics
from porting.verify.messages import ClangError, Place
from porting.verify.results import HOST, Job, Result
from porting.verify.sources import Language, Unit


def _missing(header: str) -> Diagnostic:
    error = ClangError(f"'{header}' file not found", Place("/t/a.cu", 3))
    result = Result(Job(Unit("a.cu", Language.HIP), HOST), Outcome.NOT_VERIFIED, "", (error,))
    (found,) = diagnostics([result], Path("/t"), Target("7.1"), lambda file, line: (file, line))
    assert (found.code, found.line) == ("VER002", 3)
    return found


@pytest.mark.parametrize(
    "header", ["mma.h", "cuda_pipeline.h", "nvml.h"], ids=["wmma", "pipeline", "nvml"]
)
def test_cuda_header_that_rocm_lacks_is_no_matter_of_include_dirs(header: str) -> None:
    said = _missing(header).help
    assert "a header of CUDA, and ROCm 7.1 has none in its place" in said
    assert "include-dirs" not in said


def test_cuda_header_with_a_hip_one_in_its_place_says_that_the_text_is_not_ported() -> None:
    said = _missing("cuda_runtime.h").help
    assert "a header of CUDA, hip/hip_runtime.h in ROCm 7.1: this text is not ported" in said
    assert "include-dirs" not in said


def test_other_header_is_a_matter_of_include_dirs() -> None:
    assert "name its folder in include-dirs" in _missing("mine/own.h").help


@pytest.mark.parametrize("name", ["link", "tree/../tree", "tree"])
def test_place_is_the_errors_however_the_tree_was_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "link").symlink_to("tree")
    error = ClangError("no such thing", Place(str(tmp_path / "tree/a.cu"), 7))
    result = Result(Job(Unit("a.cu", Language.HIP), HOST), Outcome.FAILED, "", (error,))
    found = diagnostics([result], tmp_path / name, Target("7.1"), lambda file, line: (file, line))
    assert [(d.file, d.line) for d in found] == [("a.cu", 7)]
