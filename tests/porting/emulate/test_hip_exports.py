"""What the emulated libamdhip64 exports: every function of the headers, at the right version."""

import json
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from porting.emulate import libraries
from porting.emulate.toolkits import Headers
from porting.toolkits.clang import find
from porting.toolkits.declarations import functions
from porting.toolkits.sysroot import Sysroot

pytestmark = pytest.mark.timeout(600)

# What a CPU cannot do, or no program of ours has needed: everything else is emulated.
_LEFT_OUT = re.compile(
    r"hip(Tex|BindTex|UnbindTex|GetTex|ModuleGetTexRef|DeviceGetTexture|Create(Texture|Surface)"
    r"|Destroy(Texture|Surface)|GetChannelDesc)\w*"
    r"|hip\w*(Array|Mipmap|External|Graphics)\w*|hipMemcpy(AtoD|DtoA|AtoA|AtoH\w*|HtoA\w*)"
    r"|hipLink\w+|hipGraph\w*BatchMemOp\w*|hipMemcpy3DBatchAsync"
    r"|hip(ConfigureCall|SetupArgument|LaunchByPtr|ApiName|ModuleGetFunctionCount"
    r"|LibraryGetKernelCount|StreamBeginCaptureToGraph|GraphExecChildGraphNodeSetParams"
    r"|ModuleLaunchCooperativeKernelMultiDevice)"
)


@pytest.fixture(scope="module")
def library(sysroot: Sysroot) -> Path:
    """Return the emulated library."""
    return libraries.build(Headers("rocm", sysroot.path, "7.1")) / "libamdhip64.so.7"


@pytest.fixture(scope="module")
def exported(library: Path) -> dict[str, str]:
    """Return the version node of each exported function, "" for none."""
    command = ["nm", "-D", "--defined-only", "--with-symbol-versions", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    names = (line.split()[-1].replace("@@", "@") for line in done.stdout.splitlines())
    return {name: version for name, _, version in (one.partition("@") for one in names)}


@pytest.fixture(scope="module")
def declared(sysroot: Sysroot) -> set[str]:
    """Return the functions that the runtime's header declares."""
    command = [str(find().path), "-E", "-P", "-x", "c", "-D__HIP_PLATFORM_AMD__=1", "-isystem"]
    command += [str(sysroot.include), "-include", "hip/hip_runtime_api.h", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return {one.name for one in functions(done.stdout) if one.name.startswith("hip")}


def test_functions_when_the_header_declares_them(
    exported: dict[str, str], declared: set[str]
) -> None:
    assert len(declared) > 450
    assert declared - exported.keys() == set()


def test_functions_when_a_version_is_known(exported: dict[str, str]) -> None:
    data = resources.files("porting.toolkits").joinpath("data/hip_symbol_versions.json")
    nodes = json.loads(data.read_text())["nodes"]
    wanted = {name: node for node, names in nodes.items() for name in names}
    found = {name: node for name, node in wanted.items() if exported.get(name) == node}
    assert len(found) > 100
    assert {name for name in wanted if name in exported} == found.keys()


def test_functions_when_they_are_not_emulated(library: Path, declared: set[str]) -> None:
    """What is left out is of families that are known; all the rest is emulated."""
    left = declared - _written_here(library)
    assert {name for name in left if not _LEFT_OUT.fullmatch(name)} == set()
    assert {name for name in declared - left if _LEFT_OUT.fullmatch(name)} == set()


def _written_here(library: Path) -> set[str]:
    """Return the functions that our sources define: generated ones have no lines."""
    command = ["nm", "-D", "--defined-only", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    places = {name.partition("@")[0]: address for address, _, name in rows}
    command = ["addr2line", "-e", str(library), *places.values()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    lines = zip(places, done.stdout.splitlines(), strict=True)
    return {name for name, line in lines if "/native/hip/" in line}
