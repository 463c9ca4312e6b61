"""What a run does not touch: installed packages, and what is no file."""

import os
from pathlib import Path

import pytest

from porting.hipify_torch.copying import copy_project
from porting.hipify_torch.hipify_python import HipifyFinalResult, hipify

from .conftest import Project

_INSTALLED = {
    "virtual environment": (".venv/include/api.h", ".venv/pyvenv.cfg"),
    "conda environment": ("env/include/api.h", "env/conda-meta/history"),
    "packages of a python": ("python/site-packages/torch/include/api.h", "python/readme"),
    "packages of debian": ("python/dist-packages/torch/include/api.h", "python/readme"),
}


def _run(root: Path, include_dir: str, *, extra_only: bool) -> HipifyFinalResult:
    """Run as torch's CUDAExtension does."""
    return hipify(
        str(root),
        output_directory=str(root),
        header_include_dirs=(str(root / include_dir),),
        includes=(f"{root}/*",),
        extra_files=(str(root / "kernel.cu"),),
        is_pytorch_extension=True,
        hipify_extra_files_only=extra_only,
        show_progress=False,
    )


def _files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("header", "mark"), _INSTALLED.values(), ids=_INSTALLED)
@pytest.mark.parametrize("extra_only", [True, False])
def test_installed_packages_inside_the_project_are_read_alone(
    project: Project, header: str, mark: str, *, extra_only: bool
) -> None:
    root = project(
        {
            header: "#include <cuda_runtime.h>\nusing stream = cudaStream_t;\n",
            mark: "",
            "kernel.cu": "#include <api.h>\ncudaStream_t s;\n",
        }
    )
    before = _files(root)
    _run(root, os.path.dirname(header), extra_only=extra_only)  # noqa: PTH120 - a str is wanted
    made = {path for path, data in _files(root).items() if before.get(path) != data}
    assert made == {root / "kernel.hip"}
    assert "#include <api.h>\n" in (root / "kernel.hip").read_text(encoding="utf-8")


def test_a_project_in_an_environment_is_hipified(project: Project) -> None:
    root = project({"env/pyvenv.cfg": "", "env/src/kernel.cu": "cudaStream_t s;\n"}) / "env/src"
    _run(root, ".", extra_only=False)
    assert (root / "kernel.hip").exists()


def test_an_environment_is_no_part_of_a_copy(project: Project, tmp_path: Path) -> None:
    root = project({"kernel.cu": "cudaStream_t s;\n", ".venv/pyvenv.cfg": "", ".venv/x.h": ""})
    output = tmp_path / "output"
    hipify(str(root), output_directory=str(output), show_progress=False)
    assert not (output / ".venv").exists()
    assert (output / "kernel.cu").exists()


@pytest.mark.timeout(20)
@pytest.mark.parametrize("extra_only", [True, False])
def test_links_into_nothing_and_pipes_are_no_files(project: Project, *, extra_only: bool) -> None:
    root = project({"kernel.cu": '#include "pipe.h"\ncudaStream_t s;\n'})
    (root / ".#kernel.cu").symlink_to("someone@host.1234")  # an editor's lock
    os.mkfifo(root / "pipe.h")
    assert set(_run(root, ".", extra_only=extra_only)) == {str(root / "kernel.cu")}


def test_a_link_to_a_file_is_a_file(project: Project) -> None:
    root = project({"kernel.cu": "cudaStream_t s;\n"})
    (root / "other.cu").symlink_to("kernel.cu")
    _run(root, ".", extra_only=False)
    assert (root / "other.hip").read_bytes() == (root / "kernel.hip").read_bytes()
    assert not (root / "other.hip").is_symlink()


def test_a_copy_that_another_run_made_meanwhile_is_that_runs(
    project: Project, tmp_path: Path
) -> None:
    root = project({"kernel.cu": "cudaStream_t s;\n"})
    output = project({"theirs.cu": ""}, "output")
    copy_project(root, output)
    assert [path.name for path in output.iterdir()] == ["theirs.cu"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["output", "project"]
