"""Build small CUDA programs with nvcc, and run them on the emulated libraries.

A program's source is a list of cases, `CASE(name) { ... }`; a run names one.  In a case,
`T(call)` prints the name of what a call of the runtime returns, `D(call)` of the driver, `V(value)`
a number, each on its line.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from porting.emulate import libraries, sidecar
from porting.emulate.frontend import Platform
from porting.emulate.launch import Machine
from porting.emulate.toolkits import Headers
from porting.emulate.units import Unit
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.hip_programs import Program

RELEASE = "13.0"
_SECONDS = 300
_ARCH = "sm_90"
_PRELUDE = r"""
#include <cuda.h>
#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
static const char* name_of(CUresult code) {
  const char* name = "?";
  cuGetErrorName(code, &name);
  return name;
}
#define T(call) std::printf("%s\n", cudaGetErrorName(call))
#define D(call) std::printf("%s\n", name_of(call))
#define V(value) std::printf("%lld\n", static_cast<long long>(value))
struct Case {
  inline static std::vector<Case> all;
  std::string name;
  void (*run)();
  static bool add(const char* name, void (*run)()) { all.push_back({name, run}); return true; }
};
#define CASE(name) \
  static void name(); \
  static const bool name##_added = Case::add(#name, name); \
  static void name()
#line 1 "program"
"""
_MAIN = r"""
int main(int, char** arguments) {
  for (const Case& one : Case::all)
    if (one.name == arguments[1]) { one.run(); std::fflush(stdout); return 0; }
  return 9;
}
"""


def build(home: CudaHome, folder: Path, cases: str, options: Sequence[str] = ()) -> Program:
    """Build a program of cases, and the sidecar of its kernels; `options` are nvcc's."""
    source = folder / "program.cu"
    source.write_text(_PRELUDE + cases + _MAIN)
    path = folder / "program"
    command = [str(home.nvcc), "-std=c++17", "-w", f"-arch={_ARCH}", "-g", "-cudart", "shared"]
    command += [*options, str(source), "-o", str(path), f"-L{home.stubs}", "-lcuda"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert done.returncode == 0, done.stderr
    headers = Headers("cuda", home.path, RELEASE)
    built = libraries.build(headers)
    library = folder / "sidecar.so"
    unit = Unit(source, folder, "cuda", ("-std=c++17",))
    platform = Platform(headers, _ARCH, 32)
    sidecar.link([unit], sidecar.objects_of([unit], platform), platform, built, library)
    return Program(path, Machine(built, (library,), _ARCH, RELEASE, 32))
