"""Bazel files are told and never changed."""

from collections.abc import Callable

import pytest

from porting.buildfiles import BuildFiles

Convert = Callable[..., BuildFiles]


BUILD = """\
load("@rules_cuda//cuda:defs.bzl", "cuda_library")

cuda_library(
    name = "k",
    copts = ["-Xcompiler=-Wall"],
    deps = ["@cuda//:cudart_static"],
)
"""


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("MODULE.bazel", '# rules_cuda\nbazel_dep(name = "rules_cuda", version = "0.2")\n', [2]),
        (
            "a/BUILD",
            BUILD,
            [1, 3, 5, 6],
        ),
        (".bazelrc", "build --config=x\nbuild --@rules_cuda//cuda:archs=sm_80\n", [2]),
    ],
)
def test_each_line_that_needs_cuda_is_an_error(
    convert: Convert, path: str, text: str, lines: list[int]
) -> None:
    done = convert({path: text})
    assert done.outputs == {}
    found = done.diagnostics
    assert [one.line for one in found] == lines
    assert {(one.severity.value, one.topic) for one in found} == {("error", "build-system")}


@pytest.mark.parametrize(
    "text",
    [
        'cc_library(name = "cuda_free", srcs = ["a.cc"])\n',
        'load("@rules_cuda//cuda:defs.bzl", "cuda_library")\nload("@rules_rocm//:d.bzl", "x")\n',
    ],
)
def test_file_is_no_error_when_it_needs_no_cuda_or_knows_rocm(convert: Convert, text: str) -> None:
    found = convert({"BUILD.bazel": text}).diagnostics
    assert [one for one in found if one.severity.value == "error"] == []
