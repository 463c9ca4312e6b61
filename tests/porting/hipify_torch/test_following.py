"""Includes of headers that move: each is followed, none is lost, and the right one is meant."""

from pathlib import Path

import pytest

from porting.hipify_torch.hipify_python import hipify

from .conftest import Project

_STREAM = "#pragma once\nusing stream = cudaStream_t;\n"


def _hipified(root: Path, path: str, include_dirs: tuple[str, ...] = ()) -> str:
    result = hipify(
        str(root),
        output_directory=str(root),
        header_include_dirs=include_dirs,
        is_pytorch_extension=True,
        show_progress=False,
    )
    hipified = result[str(root / path)].hipified_path
    assert hipified is not None
    return Path(hipified).read_text(encoding="utf-8")


def test_a_list_that_is_included_twice_stays_included_twice(project: Project) -> None:
    """Such a list means something else each time, as its macro does."""
    root = project(
        {
            "calls.h": "CALL(cudaMalloc)\n",
            "use.cu": (
                "#define CALL(x) int a_##x;\n"
                '#include "calls.h"\n'
                "#undef CALL\n"
                "#define CALL(x) int b_##x;\n"
                '#include "calls.h"\n'
            ),
        }
    )
    assert _hipified(root, "use.cu").count('#include "calls_hip.h"\n') == 2


@pytest.mark.parametrize(
    ("folders", "included"), [(("plain", "moved"), "api.cuh"), (("moved", "plain"), "api_hip.cuh")]
)
def test_the_first_include_folder_that_has_a_header_is_meant(
    project: Project, folders: tuple[str, ...], included: str
) -> None:
    root = project(
        {"plain/api.cuh": "int answer;\n", "moved/api.cuh": _STREAM, "a.cu": '#include "api.cuh"\n'}
    )
    assert f'#include "{included}"\n' in _hipified(root, "a.cu", folders)


@pytest.mark.parametrize("form", ['"{}"', "<{}>"])
def test_an_include_by_a_macro_is_followed(project: Project, form: str) -> None:
    root = project(
        {
            "cuda/api.cuh": _STREAM,
            "a.cpp": f"#define API {form.format('cuda/api.cuh')}\n#include API\n",
        }
    )
    text = _hipified(root, "a.cpp", (".",))
    assert f"#define API {form.format('hip/api.cuh')}\n#include API\n" in text


def test_a_macro_of_another_file_is_followed_where_it_is_defined(project: Project) -> None:
    root = project(
        {
            "api.cuh": _STREAM,
            "config.h": '#define API "api.cuh"\n',
            "a.cpp": '#include "config.h"\n#include API\n',
        }
    )
    assert '#include "config_hip.h"\n#include API\n' in _hipified(root, "a.cpp")
    assert (root / "config_hip.h").read_text(encoding="utf-8").endswith('"api_hip.cuh"\n')


def test_sources_that_are_named_through_a_link_bring_their_headers(
    project: Project, tmp_path: Path
) -> None:
    root = project({"csrc/kernel.cu": '#include "api.cuh"\n', "csrc/api.cuh": _STREAM})
    link = tmp_path / "link"
    link.symlink_to(root)
    result = hipify(
        str(root),
        output_directory=str(root),
        includes=(f"{root}/*",),
        extra_files=(str(link / "csrc/kernel.cu"),),
        is_pytorch_extension=True,
        hipify_extra_files_only=True,
        show_progress=False,
    )
    assert result[str(link / "csrc/kernel.cu")].hipified_path == str(link / "csrc/kernel.hip")
    text = (root / "csrc/kernel.hip").read_text(encoding="utf-8")
    assert '#include "api_hip.cuh"\n' in text
    assert "hipStream_t" in (root / "csrc/api_hip.cuh").read_text(encoding="utf-8")
