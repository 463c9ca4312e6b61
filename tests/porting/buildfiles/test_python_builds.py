"""setup.py in the shapes of known projects: ported, built for ROCm with setuptools, imported."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode, Target
from porting.port import PortRequest, port
from porting.toolkits.sysroot import Sysroot

Convert = Callable[..., BuildFiles]

KERNEL = """\
#include <cuda_runtime.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
extern "C" int run_scale(float* x) {
  scale<<<1, 32>>>(x);
  return cudaGetLastError();
}
"""
MODULE = """\
#include <Python.h>
#include <cuda_runtime.h>
extern "C" int run_scale(float* x);
static PyObject* statuses(PyObject*, PyObject*) {
  int count = 0;
  return Py_BuildValue("ii", (int)cudaGetDeviceCount(&count), run_scale(nullptr));
}
static PyMethodDef methods[] = {
    {"statuses", statuses, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_x", "", -1, methods};
PyMODINIT_FUNC PyInit__x() { return PyModule_Create(&module); }
"""
# nvcc is looked for, its folders are checked, and the compiler is exchanged for kernels.
EXCHANGED = """\
import os
from os.path import join as pjoin
from setuptools import setup, Extension
from setuptools.command.build_ext import build_ext


def find_in_path(name, path):
    for folder in path.split(os.pathsep):
        if os.path.exists(pjoin(folder, name)):
            return os.path.abspath(pjoin(folder, name))
    return None


def locate_cuda():
    if 'CUDAHOME' in os.environ:
        home = os.environ['CUDAHOME']
        nvcc = pjoin(home, 'bin', 'nvcc')
    else:
        nvcc = find_in_path('nvcc', os.environ['PATH'])
        if nvcc is None:
            raise EnvironmentError('nvcc is not on PATH')
        home = os.path.dirname(os.path.dirname(nvcc))
    found = {'home': home, 'nvcc': nvcc, 'include': pjoin(home, 'include'),
             'lib64': pjoin(home, 'lib64')}
    for name, path in found.items():
        if not os.path.exists(path):
            raise EnvironmentError('no %s at %s' % (name, path))
    return found


class custom_build_ext(build_ext):
    def build_extensions(self):
        compiler = self.compiler
        compiler.src_extensions.append('.cu')
        host, compile = compiler.compiler_so, compiler._compile

        def _compile(obj, src, ext, cc_args, postargs, pp_opts):
            kind = 'nvcc' if ext == '.cu' else 'gcc'
            if kind == 'nvcc':
                compiler.set_executable('compiler_so', CUDA['nvcc'])
            compile(obj, src, ext, cc_args, postargs[kind], pp_opts)
            compiler.compiler_so = host

        compiler._compile = _compile
        build_ext.build_extensions(self)


CUDA = locate_cuda()
setup(name='x', ext_modules=[
    Extension('_x', sources=['k.cu', 'module.cpp'], language='c++',
              libraries=['cudart'], library_dirs=[CUDA['lib64']],
              runtime_library_dirs=[CUDA['lib64']], include_dirs=[CUDA['include']],
              extra_compile_args={'gcc': [], 'nvcc': ['-arch=sm_80', '--ptxas-options=-v', '-c',
                                                      '--compiler-options', "'-fPIC'"]})],
      cmdclass={'build_ext': custom_build_ext})
"""
# nvcc is run by hand; the host's compiler needs HIP's headers and the platform's macro.
BY_HAND = """\
import os
import subprocess
from setuptools import setup, Extension
from setuptools.command.build_ext import build_ext as _build_ext

home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
nvcc = os.path.join(home, "bin", "nvcc")


class build_ext(_build_ext):
    def build_extension(self, ext):
        os.makedirs(self.build_temp, exist_ok=True)
        made = os.path.join(self.build_temp, "k.o")
        subprocess.check_call([nvcc, "-O3", "-gencode", "arch=compute_80,code=sm_80",
                               "-Xcompiler", "-fPIC", "-c", "k.cu", "-o", made])
        ext.extra_objects.append(made)
        super().build_extension(ext)


setup(name="x", cmdclass={"build_ext": build_ext}, ext_modules=[
    Extension("_x", sources=["module.cpp"], define_macros=[("USE_CUDA", None)],
              library_dirs=[home + "/lib64"], libraries=["cudart"], language="c++")])
"""
# CMake is given CUDA's variables.
BY_CMAKE = """\
import os
import subprocess
import sys
from setuptools import setup, Extension
from setuptools.command.build_ext import build_ext


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        out = os.path.abspath(os.path.dirname(self.get_ext_fullpath(ext.name)))
        options = [
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={out}",
            "-DPython_EXECUTABLE=" + sys.executable,
            "-DCMAKE_CUDA_ARCHITECTURES=80",
            "-DCMAKE_CUDA_FLAGS=-lineinfo --use_fast_math",
        ]
        if "CUDA_HOME" in os.environ:
            options += [f"-DCMAKE_CUDA_COMPILER={os.environ['CUDA_HOME']}/bin/nvcc"]
        os.makedirs(self.build_temp, exist_ok=True)
        here = os.path.dirname(os.path.abspath(__file__))
        subprocess.check_call(["cmake", here] + options, cwd=self.build_temp)
        subprocess.check_call(["cmake", "--build", "."], cwd=self.build_temp)


setup(name="x", ext_modules=[Extension("_x", sources=[])], cmdclass={"build_ext": CMakeBuild})
"""
LISTS = """\
cmake_minimum_required(VERSION 3.18)
project(x LANGUAGES CXX CUDA)
find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)
find_package(CUDAToolkit REQUIRED)
Python_add_library(_x MODULE module.cpp k.cu WITH_SOABI)
target_link_libraries(_x PRIVATE CUDA::cudart)
"""
SCRIPTS = {"exchanged": EXCHANGED, "by hand": BY_HAND, "by cmake": BY_CMAKE}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("script", SCRIPTS)
def test_script_builds_for_rocm_and_its_module_finds_no_device(  # noqa: PLR0913, PLR0917
    make_tree: Callable[..., Path],
    tmp_path: Path,
    sysroot: Sysroot,
    rocm_environment: dict[str, str],
    program: Callable[[str], str],
    script: str,
    mode: Mode,
) -> None:
    files = {"k.cu": KERNEL, "module.cpp": MODULE, "setup.py": SCRIPTS[script]}
    if script == "by cmake":
        files["CMakeLists.txt"] = LISTS
    tree = tmp_path / "out"
    source, target = make_tree(files), Target("7.1", ("gfx942",))
    port(PortRequest(source, tree, target, verify=False, mode=mode))
    path = f"{Path(program('cmake')).parent}:{rocm_environment['PATH']}"
    rocm = {**rocm_environment, "HIPCC": str(sysroot.path / "bin/hipcc"), "CC": "clang-19"}
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=tree,
        env={**rocm, "PATH": path},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    asked = [sys.executable, "-c", "import _x; print(*_x.statuses())"]
    ran = subprocess.run(
        asked, cwd=tree, env={}, capture_output=True, text=True, timeout=50, check=False
    )
    assert (ran.stdout, ran.stderr) == ("100 100\n", "")


def test_option_for_cmake_is_told_only_when_it_is_not_converted(convert: Convert) -> None:
    text = f"{BY_CMAKE}spoken = dict(CMAKE_CUDA_FLAGS='-O3')\nx = ['CMAKE_CUDA_FLAGS=-O3']\n"
    done = convert({"setup.py": text})
    told = [found.line for found in done.diagnostics if found.code == "BLD107"]
    assert told == [text.count("\n")]
