"""A loadable libamdhip64 without a GPU behind it, so that ported programs link and load.

Every function the headers declare is there, and each answers what the real library answers on a
machine without a GPU: hipErrorNoDevice.  It runs nothing; running is what the emulator is for.
"""

import json
from importlib import resources
from pathlib import Path

from porting.toolkits.clang import Clang
from porting.toolkits.compiling import run_compiler
from porting.toolkits.declarations import Function, enumerators, functions

_HEADER = "hip/hip_runtime_api.h"
# What compiled host code calls at start-up; no header declares these.
# Source: clang's host code generation for HIP (lib/CodeGen/CGCUDANV.cpp).
_COMPILER_ENTRIES = {
    "__hipRegisterFatBinary": "static void *handle; return &handle;",
    "__hipUnregisterFatBinary": "",
    "__hipRegisterFunction": "return 0;",
    "__hipRegisterVar": "",
    "__hipRegisterManagedVar": "",
    "__hipRegisterSurface": "",
    "__hipRegisterTexture": "",
}
_RESULTS = {
    "__hipRegisterFatBinary": "void **",
    "__hipRegisterFunction": "int",
}
# The old struct's entry points stay exported beside their R0600 successors, so that dlsym of the
# plain name finds something, as with the real library.
_UNDECLARED = ("hipGetDeviceProperties", "hipChooseDevice")
# Calls that answer without a device; {0}, {1} are the parameters' names.
_ANSWERS = {
    "hipGetDeviceCount": "if ({0}) *{0} = 0; return failed(hipErrorNoDevice);",
    "hipRuntimeGetVersion": "if (!{0}) return failed(hipErrorInvalidValue);"
    " *{0} = HIP_VERSION; return hipSuccess;",
    "hipGetLastError": "hipError_t e = last_error; last_error = hipSuccess; return e;",
    "hipExtGetLastError": "hipError_t e = last_error; last_error = hipSuccess; return e;",
    "hipPeekAtLastError": "return last_error;",
    "hipGetErrorName": "return name_of({0});",
    "hipGetErrorString": "return name_of({0});",
    "hipDrvGetErrorName": "*{1} = name_of({0}); return hipSuccess;",
    "hipDrvGetErrorString": "*{1} = name_of({0}); return hipSuccess;",
    "hipCreateChannelDesc": "struct hipChannelFormatDesc d = {{{0}, {1}, {2}, {3}, {4}}};"
    " return d;",
    "__hipPushCallConfiguration": "return hipSuccess;",
}
_PREAMBLE = """\
#include <hip/hip_runtime_api.h>
#undef hipGetDeviceProperties
#undef hipChooseDevice
static _Thread_local hipError_t last_error;
static hipError_t failed(hipError_t error) { last_error = error; return error; }
static const struct { int value; const char *name; } names[] = {
%s};
static const char *name_of(int error) {
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].value == error) return names[i].name;
  return "hipErrorUnknown";
}
"""


def write_library(clang: Clang, include: Path, lib: Path, hip_version: str) -> Path:
    """Compile libamdhip64 into `lib` with its links; return the file.

    `hip_version` is major.minor.patch; the SONAME carries the major.  Raises ToolchainError.
    """
    soname = f"libamdhip64.so.{hip_version.partition('.')[0]}"
    output = lib / f"libamdhip64.so.{hip_version}"
    preprocess = [str(clang.path), *_flags(include), "-E", "-P", "-include", _HEADER, "-"]
    header = run_compiler(preprocess, "", output)
    script = lib / ".versions.map"
    script.write_text(version_script(exported(header)))
    command: list[str | Path] = [clang.path, *_flags(include), "-O1", "-shared", "-fPIC"]
    command += ["-nostdlib", "-fno-builtin"]
    command += [f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}", "-", "-o", output]
    if linker := clang.tool("ld.lld"):
        command.append(f"--ld-path={linker}")
    run_compiler(command, source(header), output)
    script.unlink()
    (lib / soname).symlink_to(output.name)
    (lib / "libamdhip64.so").symlink_to(soname)
    return output


def exported(header: str) -> set[str]:
    """Return the names of all functions of the library."""
    declared = {f.name for f in functions(header) if f.name.startswith(("hip", "__hip"))}
    return declared | set(_COMPILER_ENTRIES) | set(_UNDECLARED)


def source(header: str) -> str:
    """Return the library's C source for a preprocessed hip_runtime_api.h."""
    names = enumerators(header, "hipError_t")
    lines = [_PREAMBLE % "".join(f'  {{{name}, "{name}"}},\n' for name in names)]
    seen: set[str] = set()
    for function in functions(header):
        if function.name.startswith(("hip", "__hip")) and function.name not in seen:
            seen.add(function.name)
            lines.append(
                f"{function.result} {function.name}({function.parameters}) {{ {_body(function)} }}"
            )
    lines += [
        f"{_RESULTS.get(name, 'void')} {name}() {{ {body} }}"
        for name, body in _COMPILER_ENTRIES.items()
    ]
    lines += [f"hipError_t {name}() {{ return failed(hipErrorNoDevice); }}" for name in _UNDECLARED]
    return "\n".join(lines) + "\n"


def version_script(names: set[str]) -> str:
    """Return a linker version script: the version nodes measured on real binaries.

    A name without a known node stays unversioned, so a program linked against this library binds
    to whatever node the real one has.
    """
    table = json.loads(
        resources.files("porting.toolkits").joinpath("data/hip_symbol_versions.json").read_text()
    )
    nodes = []
    before = ""
    for node, symbols in table["nodes"].items():
        present = sorted(names.intersection(symbols))
        if present:
            nodes.append(
                f"{node} {{ global: {' '.join(f'{name};' for name in present)} }}{before};"
            )
            before = f" {node}"
    return "\n".join(nodes) + "\n"


def _body(function: Function) -> str:
    if answer := _ANSWERS.get(function.name):
        return answer.format(*function.parameter_names)
    if function.result == "hipError_t":
        return "return failed(hipErrorNoDevice);"
    if "char" in function.result:
        return 'return "";'
    if "*" in function.result:
        return "return 0;"
    return "" if function.result == "void" else "return -1;"


def _flags(include: Path) -> tuple[str, ...]:
    return ("-x", "c", "-std=gnu11", "-w", "-D__HIP_PLATFORM_AMD__", "-isystem", str(include))
