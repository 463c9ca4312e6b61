"""The interface beside that of torch.utils.hipify: signature, layout, results, output."""

import contextlib
import inspect
import io
import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.real_trees.convert import load_peer
from porting.hipify_torch import hipify_python

from .conftest import SOURCES, Project

pytestmark = pytest.mark.soak

FOLDERS = ("", "csrc/", "csrc/cuda/", "CUDA/THC/", "torch/csrc/", "caffe2/core/", "ops/hip/")
STEMS = ("a", "a_cuda", "CUDAHelper", "THCTensor", "cuda.cuda", "gpu", ".hidden")
SUFFIXES = (".cu", ".cuh", ".cpp", ".h", ".h.in", "")


@pytest.fixture(scope="module")
def torchs() -> Any:  # noqa: ANN401 - it has no types
    """Return torch's module, as it is in the wheel."""
    return load_peer()


def test_the_parameters_are_torchs_in_their_order_with_their_defaults(torchs: Any) -> None:  # noqa: ANN401
    theirs = inspect.signature(torchs.hipify).parameters
    ours = inspect.signature(hipify_python.hipify).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default, name
        assert ours[name].kind is parameter.kind, name


@pytest.mark.parametrize("extension", [True, False])
def test_every_path_is_torchs(torchs: Any, extension: bool) -> None:  # noqa: ANN401, FBT001
    for parts in itertools.product(FOLDERS, STEMS, SUFFIXES):
        path = "".join(parts)
        theirs = torchs.get_hip_file_path(path, is_pytorch_extension=extension)
        assert hipify_python.get_hip_file_path(path, is_pytorch_extension=extension) == theirs


def _results(hipify: Callable[..., Any], root: Path) -> dict[str, str | None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        done = hipify(
            project_directory=str(root),
            output_directory=str(root),
            includes=[f"{root}/*"],
            header_include_dirs=["include"],
            extra_files=[f"{root}/csrc/cuda/kernel.cu", f"{root}/csrc/bind.cpp"],
            is_pytorch_extension=True,
            hipify_extra_files_only=True,
        )
    return {
        os.path.relpath(path, root): result.hipified_path
        and os.path.relpath(result.hipified_path, root)
        for path, result in done.items()
    }


def test_results_are_torchs(torchs: Any, project: Project) -> None:  # noqa: ANN401
    roots = [project(name=name) for name in ("ours", "theirs")]
    ours = _results(hipify_python.hipify, roots[0])
    torchs.HIPIFY_FINAL_RESULT.clear()
    assert ours == _results(torchs.hipify, roots[1])
    files = [{str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()} for root in roots]
    assert files[0] == files[1]


def test_each_takes_the_others_output_for_output(torchs: Any, project: Project) -> None:  # noqa: ANN401
    root = project(SOURCES)
    _results(hipify_python.hipify, root)
    made = root / "csrc/hip/kernel.hip"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        torchs.HIPIFY_FINAL_RESULT.clear()
        (result,) = torchs.hipify(
            project_directory=str(root),
            output_directory=str(root),
            includes=[],
            extra_files=[str(made)],
            is_pytorch_extension=True,
        ).values()
        assert result.status == "[ignored, input is hipified output]"
        shutil.rmtree(root)
        _results(torchs.hipify, project(SOURCES))
        (own,) = hipify_python.hipify(
            project_directory=str(root),
            output_directory=str(root),
            includes=[],
            extra_files=[str(made)],
            is_pytorch_extension=True,
        ).values()
    assert own.status == "[ignored, input is hipified output]"
