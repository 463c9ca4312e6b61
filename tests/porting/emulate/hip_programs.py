"""Build small HIP programs against the ROCm tree, and run them on the emulated library.

A program's source is a list of cases, `CASE(name) { ... }`; a run names one.  In a case,
`T(call)` prints the name of what a call of HIP returns, `V(value)` a number, each on its line.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from porting.emulate import libraries, sidecar
from porting.emulate.frontend import Platform
from porting.emulate.launch import Machine, environment_of, findings_of
from porting.emulate.toolkits import Headers, compiler
from porting.emulate.units import Unit
from porting.toolkits.sysroot import Sysroot

_SECONDS = 120
_ARCH = "gfx942"
_PRELUDE = r"""
#include <hip/hip_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#define T(call) std::printf("%s\n", hipGetErrorName(call))
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


@dataclass(frozen=True)
class Ran:
    """How a case went."""

    lines: list[str]
    status: int
    errors: str
    findings: list[Mapping[str, Any]]


@dataclass(frozen=True)
class Program:
    """A built program and the machine that it runs on."""

    path: Path
    machine: Machine
    environment: Mapping[str, str] = field(default_factory=dict)

    def on(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        release: str = "7.1",
        devices: int = 1,
        memory: str = "",
        faults: str = "",
    ) -> "Program":
        """Return the program on another machine."""
        changed = replace(
            self.machine, release=release, devices=devices, memory=memory, faults=faults
        )
        return replace(self, machine=changed, environment=environment or {})

    def run(self, case: str, *, succeeds: bool = True) -> Ran:
        """Run a case to its end."""
        report = self.path.with_name(f"{self.path.name}-{case}-{os.getpid()}.json")
        report.unlink(missing_ok=True)
        before = {k: v for k, v in os.environ.items() if not k.endswith("_VISIBLE_DEVICES")}
        environment = {**environment_of(self.machine, report, before), **self.environment}
        done = subprocess.run(
            [str(self.path), case],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        if succeeds:
            assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        findings = list(findings_of(report))
        return Ran(done.stdout.split("\n")[:-1], done.returncode, done.stderr, findings)


def build(sysroot: Sysroot, folder: Path, cases: str, *flags: str) -> Program:
    """Build a program of cases, with flags for its host code, and the sidecar of its kernels."""
    headers = Headers("rocm", sysroot.path, "7.1")
    source = folder / "program.hip"
    source.write_text(_PRELUDE + cases + _MAIN)
    path = folder / "program"
    command = [str(compiler().path), "-x", "hip", f"--offload-arch={_ARCH}", "-std=c++17"]
    command += [f"--rocm-path={sysroot.path}", "-isystem", str(sysroot.include), "-O1", "-g", "-w"]
    command += flags
    command += [str(source), "-x", "none", "-o", str(path), "-lstdc++", "-lm", "-pthread"]
    command += [f"-L{sysroot.path / 'lib'}", "-lamdhip64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert done.returncode == 0, done.stderr
    built = libraries.build(headers)
    library = folder / "sidecar.so"
    unit = Unit(source, folder, "hip", ("-std=c++17",))
    platform = Platform(headers, _ARCH, 64)
    sidecar.link([unit], sidecar.objects_of([unit], platform), platform, built, library)
    return Program(path, Machine(built, (library,), _ARCH, "7.1", 64))
