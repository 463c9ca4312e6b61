"""Build scripts in Python choose the vendor when they run."""

import ast
import json
import subprocess
import sys
import tarfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode
from porting.toolkits.platforms import ROCM

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

# A torch and a setuptools that only write down what they are given.
_RUN = textwrap.dedent(
    """
    import json, runpy, sys, types
    vendor, script = sys.argv[1:]
    made = []
    class Kind:
        def __init__(self, name, sources=(), **options):
            self.name, self.sources, self.options = name, list(sources), options
            made.append(self)
    def module(name, **names):
        found = types.ModuleType(name)
        vars(found).update(names)
        sys.modules[name] = found
        return found
    rocm = vendor == "rocm"
    version = module("torch.version", hip="7.1" if rocm else None, cuda=None if rocm else "13.0")
    extension = module("torch.utils.cpp_extension", CUDAExtension=Kind, CppExtension=Kind,
                       BuildExtension=object, CUDA_HOME=None if rocm else "/opt/nv",
                       ROCM_HOME="/opt/rocm" if rocm else None)
    utils = module("torch.utils", cpp_extension=extension)
    module("torch", version=version, utils=utils, __version__="2.9")
    module("setuptools", setup=lambda **_: None, Extension=Kind, find_packages=lambda: [])
    runpy.run_path(script, run_name="__main__")
    print(json.dumps([{"sources": e.sources, **e.options} for e in made]))
    """
)


def made_by(script: Path, vendor: str) -> list[dict[str, Any]]:
    """Return the extensions that a script makes under a torch of a vendor."""
    command = [sys.executable, "-c", _RUN, vendor, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


HEAD = """\
import os
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension, CUDA_HOME
"""
FORMS = {
    "literal": HEAD
    + """
setup(ext_modules=[CUDAExtension("x", ["a.cu"], libraries=["cudart", "cufft"],
    extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O3", "-lineinfo", "-gencode",
        "arch=compute_80,code=sm_80"]})])
""",
    "appended": HEAD
    + """
flags = ["-O3"]
flags += ["-lineinfo"]
flags.append("-gencode=arch=compute_80,code=sm_80")
libraries = ["cudart"]
libraries.extend(["cufft"])
kind = CUDAExtension
setup(ext_modules=[kind("x", ["a.cu"], libraries=libraries,
    extra_compile_args={"cxx": ["-O2"], "nvcc": flags})])
""",
    "function": HEAD
    + """
def archs():
    listed = os.environ.get("TORCH_CUDA_ARCH_LIST", "8.0").replace(".", "").split()
    return [f"-gencode=arch=compute_{a},code=sm_{a}" for a in listed]
def options():
    return dict(libraries=["cudart", "cufft"],
                extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O3", "-lineinfo"] + archs()})
setup(ext_modules=[CUDAExtension("x", ["a.cu"], **options())])
""",
    "star": """\
import os
from setuptools import setup
from torch.utils.cpp_extension import *
if CUDA_HOME is None:
    raise SystemExit("no CUDA")
setup(ext_modules=[CUDAExtension("x", ["a.cu"], libraries=["cudart", "cufft"],
    extra_compile_args={"cxx": ["-O2"], "nvcc": ["-O3", "-lineinfo"]})])
""",
    "module": """\
import os
import setuptools
import torch.utils.cpp_extension as cpp
assert cpp.CUDA_HOME is not None
setuptools.setup(ext_modules=[cpp.CUDAExtension(name="x", sources=["a.cu"],
    libraries=["cudart", "cufft"], extra_compile_args={"cxx": ["-O2"], "nvcc": [
        "-O3", "-lineinfo", "-gencode", "arch=compute_80,code=sm_80"]})])
""",
}


@pytest.mark.parametrize("mode", Mode)
def test_the_projects_macros_keep_their_names_where_torch_writes_hip_for_cuda(
    convert: Convert, write: Write, mode: Mode
) -> None:
    flags = ["-DX_CUDA_N=2", "-U__CUDA_NO_HALF_OPERATORS__", "-UX_CUDA", "-DY=1"]
    options = f"extra_compile_args={{'nvcc': {flags}}}"
    files = {"setup.py": f"{HEAD}setup(ext_modules=[CUDAExtension('x', ['a.cu'], {options})])\n"}
    (rocm,) = made_by(write(files, convert(files, mode)) / "setup.py", "rocm")
    nvcc = rocm["extra_compile_args"]["nvcc"]
    # What torch's BuildExtension changes: a word that begins with a hyphen and has CUDA in it.
    assert not [word for word in nvcc if word.startswith("-") and "CUDA" in word]
    kept = ["-D", "X_CUDA_N=2", "-U__HIP_NO_HALF_OPERATORS__", "-U", "X_CUDA", "-DY=1"]
    assert nvcc[: len(kept)] == kept


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("form", FORMS)
def test_extension_keeps_its_arguments_for_cuda_and_gets_rocms_when_torch_is_for_rocm(
    convert: Convert, write: Write, form: str, mode: Mode
) -> None:
    files = {"setup.py": FORMS[form]}
    tree = write(files, convert(files, mode))
    before = tree / "before.py"
    before.write_text(FORMS[form])
    assert made_by(tree / "setup.py", "cuda") == made_by(before, "cuda")
    (rocm,) = made_by(tree / "setup.py", "rocm")
    assert rocm["sources"] == ["a.cu"]
    assert rocm["libraries"] == ["amdhip64", "hipfft"]
    assert rocm["extra_link_args"] == ["-Wl,-rpath,/opt/rocm/lib"]
    nvcc = rocm["extra_compile_args"]["nvcc"]
    assert nvcc[:2] == ["-O3", "-gline-tables-only"]
    assert ("-include" in nvcc) == (mode is Mode.COMPAT)
    own = str(tree / "eclosion/include")  # before torch's, which has headers of CUDA's names too
    assert own not in nvcc
    assert rocm.get("include_dirs", [""])[0] == (own if mode is Mode.COMPAT else "")
    assert "-gencode" not in " ".join(nvcc)


GUARDS = {
    "home": "if CUDA_HOME is None:\n    raise SystemExit('no CUDA')",
    "variable": "home = os.environ['CUDA_HOME']",
    "question": "if 'CUDA_HOME' not in os.environ:\n    raise SystemExit('no CUDA')",
    "version": "import torch\nif torch.version.cuda is None:\n    raise SystemExit('no CUDA')",
    "number": "import torch\nif int(torch.version.cuda.split('.')[0]) < 11:\n    raise SystemExit",
    "bare metal": "import subprocess\n"
    "text = subprocess.check_output([CUDA_HOME + '/bin/nvcc', '-V'], universal_newlines=True)\n"
    "words = text.split()\n"
    "release = words[words.index('release') + 1].split('.')\n"
    "if int(release[0]) < 11:\n    raise SystemExit('too old')",
}


@pytest.mark.parametrize("guard", GUARDS)
def test_guard_lets_a_rocm_build_pass(convert: Convert, write: Write, guard: str) -> None:
    script = f"{HEAD}{GUARDS[guard]}\nsetup(ext_modules=[CUDAExtension('x', ['a.cu'])])\n"
    files = {"setup.py": script}
    done = convert(files)
    assert len(made_by(write(files, done) / "setup.py", "rocm")) == 1


def test_folders_of_cuda_become_rocms(convert: Convert, write: Write) -> None:
    script = f"""{HEAD}
lib = os.path.join(CUDA_HOME, "lib64")
setup(ext_modules=[CUDAExtension("x", ["a.cu"], library_dirs=[lib, lib + "/stubs"],
    include_dirs=[CUDA_HOME + "/include", "/usr/local/cuda-12.4/include", "include"],
    extra_link_args=["-L" + lib, f"-Wl,-rpath,{{lib}}", "-lcudart"])])
"""
    files = {"setup.py": script}
    (rocm,) = made_by(write(files, convert(files)) / "setup.py", "rocm")
    assert rocm["library_dirs"] == ["/opt/rocm/lib"]
    assert rocm["include_dirs"] == ["/opt/rocm/include", "include"]
    links = ["-L/opt/rocm/lib", "-Wl,-rpath,/opt/rocm/lib", "-lamdhip64"]
    assert rocm["extra_link_args"] == links


def test_script_below_the_root_finds_the_module(convert: Convert, write: Write) -> None:
    files = {"python/setup.py": FORMS["literal"]}
    tree = write(files, convert(files))
    assert len(made_by(tree / "python/setup.py", "rocm")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "IS_ROCM = torch.version.hip is not None",
        "from torch.utils.cpp_extension import ROCM_HOME",
        "compiler = 'hipcc'",
    ],
)
def test_script_stays_when_it_knows_rocm(convert: Convert, line: str) -> None:
    done = convert({"setup.py": f"import torch\n{line}\n{FORMS['literal']}"})
    assert done.outputs == {}
    assert done.generated == {}
    assert [found.code for found in done.diagnostics] == ["BLD011"]


def test_script_changes_when_only_a_comment_or_a_message_knows_rocm(convert: Convert) -> None:
    script = f"# no hipcc here\n{FORMS['literal']}print('ROCm is not supported: no hipcc')\n"
    assert "setup.py" in convert({"setup.py": script}).outputs


def test_script_is_known_by_what_it_does_and_a_module_of_a_package_is_none(
    convert: Convert,
) -> None:
    files = {"tools/make_ops.py": FORMS["literal"]}
    assert "tools/make_ops.py" in convert(files).outputs
    assert convert({**files, "tools/__init__.py": ""}).outputs == {}


def test_script_stays_when_it_does_not_name_cuda(convert: Convert) -> None:
    done = convert({"setup.py": "from setuptools import setup\nsetup(name='x')\n"})
    assert done.outputs == {}
    assert done.diagnostics == ()


@pytest.mark.parametrize("form", FORMS)
def test_second_run_changes_nothing(convert: Convert, form: str) -> None:
    once = convert({"setup.py": FORMS[form]}).outputs["setup.py"]
    assert convert({"setup.py": once}).outputs == {}


def test_bytes_that_no_edit_touches_stay(convert: Convert) -> None:
    text = FORMS["literal"].replace("import os", "# -*- coding: latin-1 -*-\n# caf\xe9\nimport os")
    data = text.replace("\n", "\r\n").encode("latin-1")
    new = convert({"setup.py": data}).outputs["setup.py"]
    assert b"# caf\xe9\r\n" in new
    assert b"\n" not in new.replace(b"\r\n", b"")
    ast.parse(new)


def test_place_is_right_behind_letters_of_several_bytes(convert: Convert) -> None:
    head = HEAD.replace("import os", "import os; naïve = 'é'; home = os.environ.get('CUDA_HOME')")
    new = convert({"setup.py": head}).outputs["setup.py"].decode()
    assert "naïve = 'é'; home = gpu_build.home(os.environ.get('CUDA_HOME'))" in new


def test_flag_is_told_at_its_line(convert: Convert) -> None:
    found = convert({"setup.py": FORMS["literal"]}).diagnostics
    assert [(one.line, one.code, one.symbol) for one in found] == [(6, "BLD012", "-gencode")]


def test_python_2_is_an_error_when_it_names_cuda(convert: Convert) -> None:
    done = convert({"setup.py": "print 'nvcc'\nimport x\n"})
    assert done.outputs == {}
    assert [(found.code, found.line) for found in done.diagnostics] == [("BLD101", 1)]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("graft csrc\n", "graft csrc\ngraft eclosion\n"),
        ("graft csrc", "graft csrc\ngraft eclosion\n"),
        ("a\r\nb\r\n", "a\r\nb\r\ngraft eclosion\r\n"),
        ("include a \\", "include a \\\n\ngraft eclosion\n"),
        ("", "graft eclosion\n"),
    ],
)
def test_manifest_takes_the_generated_folder(
    convert: Convert, before: str, after: str, mode: Mode
) -> None:
    done = convert({"setup.py": FORMS["literal"], "MANIFEST.in": before}, mode)
    assert done.outputs["MANIFEST.in"].decode() == after
    assert "MANIFEST.in" not in done.generated
    assert [found.file for found in done.diagnostics if found.code == "BLD108"] == ["MANIFEST.in"]
    again = convert({"setup.py": done.outputs["setup.py"], "MANIFEST.in": after}, mode)
    assert again.outputs == {}


@pytest.mark.parametrize("line", ["graft eclosion", "recursive-include eclosion *"])
def test_manifest_stays_when_it_takes_the_folder(convert: Convert, line: str) -> None:
    done = convert({"setup.py": FORMS["literal"], "MANIFEST.in": f"graft csrc\n{line}\n"})
    assert "MANIFEST.in" not in done.outputs
    assert "BLD108" not in [found.code for found in done.diagnostics]


@pytest.mark.parametrize("files", [{"MANIFEST.in": "graft csrc\n"}, {}])
def test_manifest_is_neither_made_nor_changed_without_need(
    convert: Convert, files: dict[str, str]
) -> None:
    for scripts in ({"setup.py": "from setuptools import setup\nsetup()\n"}, {"a.py": "x = 1\n"}):
        done = convert({**scripts, **files})
        assert (done.outputs, done.generated) == ({}, {})


def test_sdist_below_the_root_is_told_that_it_lacks_the_folder(convert: Convert) -> None:
    done = convert({"python/setup.py": FORMS["literal"], "python/MANIFEST.in": "graft csrc\n"})
    assert "python/MANIFEST.in" not in done.outputs
    (found,) = (found for found in done.diagnostics if found.code == "BLD109")
    assert found.message == "an sdist of python cannot hold eclosion, which lies above it"


SDIST = """\
from setuptools import Extension, setup
setup(name="x", version="1", ext_modules=[Extension("x", ["x.c"], libraries=["cudart"])])
"""


@pytest.mark.parametrize("mode", Mode)
def test_sdist_holds_what_its_script_imports(convert: Convert, write: Write, mode: Mode) -> None:
    files = {"setup.py": SDIST, "x.c": "int x;\n"}
    done = convert(files, mode)
    assert done.generated["MANIFEST.in"].splitlines()[-1] == "graft eclosion"
    tree = write(files, done)
    command = [sys.executable, "setup.py", "-q", "sdist"]
    environment = {"PATH": "/usr/bin:/bin", "GPU_PLATFORM": "none"}
    if mode is Mode.RENAME:
        environment = {"PATH": "/usr/bin:/bin", "ROCM_PATH": str(home(tree.parent / "rocm"))}
    made = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, timeout=50, check=False
    )
    assert made.returncode == 0, made.stderr
    with tarfile.open(next((tree / "dist").iterdir())) as archive:
        assert "x-1/eclosion/gpu_build.py" in archive.getnames()


def home(folder: Path) -> Path:
    """Make what the rule takes for ROCm's folder."""
    for name in (ROCM.headers[0], ROCM.libraries[0]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder
