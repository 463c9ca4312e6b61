"""Meson projects are converted whole or stay as they are."""

import ctypes
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.sysroot import Sysroot

Convert = Callable[..., BuildFiles]

ROOT = """\
project('rip', 'cpp', 'cuda', version: '1.0',
  default_options: ['cpp_std=c++17', 'cuda_ccbindir=g++'])
cuda = import('unstable-cuda')
archs = cuda.nvcc_arch_flags(meson.get_compiler('cuda'), '8.0') # A100
cuda_dep = dependency('cuda', version: '>=12', modules: ['cudart', 'cufft'])
add_project_arguments('-lineinfo', '-DBOTH', language: 'cuda')
inc = include_directories('include')
subdir('src')
"""
SOURCE = """\
kernels = files('kernel.cu')
shared_library('rip', kernels, 'api.cpp',
  include_directories: inc,
  cuda_args: archs + ['--use_fast_math', '-Xcompiler', '-Wall'],
  link_language: 'cuda',
  dependencies: cuda_dep)
"""
FILES = {"meson.build": ROOT, "src/meson.build": SOURCE}


def test_project_is_rocms_in_rename_mode(convert: Convert) -> None:
    done = convert(FILES)
    root, source = (done.outputs[name].decode() for name in FILES)
    assert root.startswith("project('rip', 'cpp', version: '1.0',\n")
    assert "subdir('eclosion')\n" in root
    assert "archs = ['--offload-arch=gfx90a', '--offload-arch=gfx942'] # A100" in root
    assert "link_args: hip_link_args + ['-lamdhip64', '-lhipfft'])" in root
    assert "hip_args += ['-gline-tables-only', '-DBOTH']" in root
    assert "hip_objects.process(kernels, extra_args: hip_args + ['-ffast-math', '-Wall']" in source
    assert "meson.project_source_root() / '' / 'include'" not in source
    assert "link_language: 'cpp'" in source
    for gone in ("'cuda'", "nvcc", "cuda_args", "unstable", "ccbin"):
        assert gone not in root + source


def test_each_difference_is_a_choice_in_compat_mode(convert: Convert) -> None:
    done = convert(FILES, Mode.COMPAT)
    for name, before in FILES.items():
        new = done.outputs[name].decode()
        assert "(gpu_platform == 'rocm' ? " in new
        kept = re.sub(r"\(gpu_platform == 'rocm' \? .* : ([^:]*?)\)(?=[,\n )])", r"\1", new)
        assert kept.count("cuda") >= before.count("cuda") - 2
    assert "add_languages('cuda', native: false)" in done.generated["eclosion/meson.build"]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("given", "expected"), [("['cpp', 'cuda']", "['cpp']"), ("['cuda']", "['cpp']")]
)
def test_languages_in_a_list_are_without_cuda(
    convert: Convert, given: str, expected: str, mode: Mode
) -> None:
    done = convert({"meson.build": f"project('x', {given})\nlibrary('x', 'a.cu')\n"}, mode)
    new = done.outputs["meson.build"].decode()
    assert new.startswith(f"project('x', {expected})\nsubdir('eclosion')\n")


REFUSED = {
    "modules": ("d = dependency('cuda', modules: get_option('m'))\n", 2),
    "library": ("d = dependency('cuda', modules: ['nosuch'])\n", 2),
    "made": ("s = configure_file(input: 'a.cu', output: 'b.cu')\nlibrary('x', [s])\n", 3),
    "inside": ("d = declare_dependency(link_with: library('x', files('a.cu', 'b.cpp')))\n", 2),
    "custom": ("custom_target('p', command: ['nvcc', '-ptx'])\n", 2),
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", REFUSED)
def test_whole_project_stays_when_a_part_is_not_understood(
    convert: Convert, name: str, mode: Mode
) -> None:
    text, line = REFUSED[name]
    files = {"meson.build": f"project('x', 'cpp', 'cuda')\n{text}", "src/meson.build": SOURCE}
    done = convert(files, mode)
    assert done.outputs == {}
    assert done.generated == {}
    failed = [found for found in done.diagnostics if found.severity.value == "error"]
    assert ("meson.build", line) in [(found.file, found.line) for found in failed]


@pytest.mark.parametrize("mode", Mode)
def test_second_run_changes_nothing(convert: Convert, mode: Mode) -> None:
    once = convert(FILES, mode).outputs
    assert convert(once, mode).outputs == {}


def test_project_without_cuda_stays(convert: Convert) -> None:
    done = convert(
        {"meson.build": "project('x', 'cpp') # cuda\nexecutable('a', 'cuda_less.cpp')\n"}
    )
    assert done.outputs == {}


SOURCES = {
    "include/rip.h": "#pragma once\nint rip(int *out);\n",
    "src/kernel.cu": '#include "rip.h"\n#include <cuda_runtime.h>\n'
    "__global__ void one(int *out) { *out = 1; }\n"
    "int rip(int *out) { one<<<1, 1>>>(out); return cudaGetLastError(); }\n",
    "src/api.cpp": '#include "rip.h"\n#include <cuda_runtime.h>\n'
    'extern "C" int api() {\n  int count = -1;\n'
    "  return cudaGetDeviceCount(&count) == cudaErrorNoDevice ? rip(nullptr) : -1;\n}\n",
}


MIXED = """\
sources = ['api.cpp']
if true
  sources += 'kernel.cu'
endif
  shared_library('rip', sources, include_directories: inc, dependencies: cuda_dep)
"""
FORMS = {
    "lists": SOURCE,
    "a variable with both": MIXED,
    "files with both": MIXED.replace("'api.cpp'", "files('api.cpp')")
    .replace("'k", "files('k")
    .replace("cu'", "cu')"),
    "files in place": "library('rip', files('kernel.cu', 'api.cpp'), include_directories: inc,\n"
    "  dependencies: cuda_dep)\n",
    "a list with a variable": "more = ['kernel.cu']\nl = shared_library('rip', ['api.cpp', more],\n"
    "  include_directories: inc, dependencies: cuda_dep)\n",
    "a sum": "more = ['kernel.cu']\nshared_library('rip', sources: more + ['api.cpp'],\n"
    "  include_directories: inc, dependencies: cuda_dep)\n",
}


@pytest.mark.parametrize("folder", ["", "native/", "a/b/"])
@pytest.mark.parametrize("mode", Mode)
def test_each_project_reaches_a_folder_of_its_own(
    convert: Convert, folder: str, mode: Mode
) -> None:
    files = {f"{folder}{path}": text for path, text in FILES.items()}
    other = {"other/meson.build": "project('o', 'cuda')\nlibrary('o', 'o.cu')\n"}
    done = convert({**files, **other}, mode)
    assert done.outputs.keys() == {*files, *other}
    made = {
        f"{f}eclosion/{n}" for f in (folder, "other/") for n in ("meson.build", "gpu_detect.sh")
    }
    assert done.generated.keys() == made
    up = {"": "", "native/": "../../eclosion/", "a/b/": "../../../eclosion/"}[folder]
    text = done.generated[f"{folder}eclosion/meson.build"]
    assert (f"meson.current_source_dir() / '{up}cuda_to_hip.h'" in text) is (mode is Mode.COMPAT)
    again = convert(done.outputs, mode)
    assert again.outputs == {}


def test_file_of_no_project_stays_with_an_error(convert: Convert) -> None:
    done = convert({"src/meson.build": "library('x', 'a.cu')\n", "b/meson.build": "project('b')"})
    assert done.outputs == {}
    (found,) = done.diagnostics
    assert (found.file, found.code) == ("src/meson.build", "BLD010")
    assert found.message.startswith("no meson.build above this one has a project()")


@pytest.fixture
def build(
    rocm_environment: dict[str, str], program: Callable[[str], str]
) -> Callable[[Path], None]:
    """Return a function that builds a project with meson for ROCm."""
    meson, ninja = program("meson"), program("ninja")

    def built(tree: Path) -> None:
        for command in ([meson, "setup", "build"], [ninja, "-C", "build"]):
            done = subprocess.run(
                command,
                cwd=tree,
                env=rocm_environment,
                capture_output=True,
                text=True,
                timeout=200,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr

    return built


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("form", FORMS)
def test_project_builds_in_the_rocm_tree_and_finds_no_device(  # noqa: PLR0913, PLR0917
    make_tree: Callable[..., Path],
    tmp_path: Path,
    build: Callable[[Path], None],
    sysroot: Sysroot,
    form: str,
    mode: Mode,
) -> None:
    tree, target = tmp_path / "out", Target("7.1", ("gfx942",))
    below = "deep/native/" if form == "lists" else ""
    files = {**FILES, **SOURCES, "src/meson.build": FORMS[form]}
    source = make_tree({f"{below}{path}": text for path, text in files.items()})
    port(PortRequest(source, tree, target, verify=False, mode=mode))
    build(tree / below)
    library = tree / below / "build/src/librip.so"
    command = ["readelf", "-d", str(library)]
    read = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True).stdout
    assert "[libamdhip64.so.7]" in read
    assert f"{sysroot.path}/lib" in read
    assert b"gfx942" in library.read_bytes()
    assert ctypes.CDLL(str(library)).api() == 100
