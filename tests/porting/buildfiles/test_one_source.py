"""What NVIDIA's software has on a machine stands once: sources, build files and scripts agree."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import porting
from porting.buildfiles import BuildFiles
from porting.buildfiles.cmake_variables import SAME_FOR_HIP
from porting.buildfiles.python.script.options import rocm_cmake_option
from porting.config import Target
from porting.generated import FOLDER
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules.strings import machine, sonames
from porting.source import SourceFile
from porting.toolkits.platforms import CUDA, ROCM

Convert = Callable[..., BuildFiles]

TARGET = Target("7.1")
NAMES = Names.load("7.1")
PACKAGE = Path(porting.__file__).parent
BY_HAND = re.compile(rf"{ROCM.defaults[0]}|{CUDA.defaults[0]}|(?<![\w.]){FOLDER}/")
VARIABLES = (*CUDA.variables, *machine._VARIABLES)


@pytest.mark.parametrize("folder", ["buildfiles", "rules"])
def test_homes_and_the_generated_folder_are_written_by_hand_nowhere(folder: str) -> None:
    found = []
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        tree = ast.parse(path.read_text())
        documents = {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }  # docstrings may show an example
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and node not in documents and BY_HAND.search(str(node.value)):  # type: ignore[attr-defined]
                found.append(f"{path.relative_to(PACKAGE)}: {ast.unparse(node)}")
    assert found == []


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_gets_the_same_words_in_sources_and_scripts(convert: Convert, name: str) -> None:
    known = machine.variable(name)
    assert known is not None
    source = SourceFile("a.cpp", f'const char* v = getenv("{name}");\n'.encode())
    (in_source,) = (d for d in hipify(source, TARGET, NAMES).diagnostics if d.code == "STR008")
    assert in_source.help == known.advice
    assert in_source.severity.value == ("note" if known.is_read else "warning")
    files = {"t.py": f"import os\nv = os.environ['{name}']\n", "t.sh": f"export {name}=1\n"}
    said = [d.message for d in convert(files).diagnostics]
    assert said == [f"{name}: {known.advice}"] * 2


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_of_cmakes_environment_becomes_rocms(convert: Convert, name: str) -> None:
    known = machine.variable(name)
    assert known is not None
    text = f"find_package(CUDAToolkit)\nset(X $ENV{{{name}}})\n"
    done = convert({"CMakeLists.txt": text})
    new = done.outputs["CMakeLists.txt"].decode()
    assert f"set(X $ENV{{{known.rocm or name}}})" in new


@pytest.mark.parametrize("path", machine.FILES)
def test_a_file_gets_the_same_words_in_sources_and_scripts(convert: Convert, path: str) -> None:
    source = SourceFile("a.cpp", f'int f = open("{path}/x", 0);\n'.encode())
    (in_source,) = (d for d in hipify(source, TARGET, NAMES).diagnostics if d.code == "STR008")
    (in_script,) = convert({"t.sh": f"ls {path}/x\n"}).diagnostics
    assert in_source.help == in_script.help == f"on an AMD machine look at {machine.FILES[path]}"


@pytest.mark.parametrize("name", [*sonames.DROP_INS, *sonames.NO_DROP_INS])
def test_a_library_is_known_to_sources_and_scripts(convert: Convert, name: str) -> None:
    file = f"lib{name}.so"
    source = SourceFile("a.cpp", f'void* l = dlopen("{file}", 1);\n'.encode())
    found = {d.code: d for d in hipify(source, TARGET, NAMES).diagnostics}
    python = f"from ctypes.util import find_library\na = find_library('{name}')\n"
    said = convert({"t.sh": f"ls /usr/lib/{file}\n", "t.py": python}).diagnostics
    assert [d.code for d in said] == ["BLD162"] * 2
    if name in sonames.DROP_INS:
        ours = f"lib{sonames.DROP_INS[name].rocm.name}.so"
        assert ours in found["STR001"].edits[0].replacement
        assert {d.message.rpartition(" ")[2] for d in said} == {ours}
    else:
        assert {found["STR002"].help} == {d.help for d in said}


@pytest.mark.parametrize("name", machine.PROGRAMS)
def test_a_program_gets_the_same_words_in_sources_and_scripts(convert: Convert, name: str) -> None:
    source = SourceFile("a.cpp", f'int s = system("{name} --help");\n'.encode())
    (in_source,) = hipify(source, TARGET, NAMES).diagnostics
    python = f"import subprocess\nsubprocess.run(['{name}'])\n"
    said = convert({"t.sh": f"{name} --help\n", "t.py": python}).diagnostics
    assert in_source.help == f"on an AMD machine use {machine.PROGRAMS[name]}"
    assert [d.help for d in said] == [f"use {machine.PROGRAMS[name]} there"] * 2


@pytest.mark.parametrize("family", machine.FAMILIES)
def test_an_unknown_variable_of_cudas_is_told_in_sources(family: str) -> None:
    source = SourceFile("a.cpp", f'const char* v = getenv("{family}_NOVEL");\n'.encode())
    (found,) = hipify(source, TARGET, NAMES).diagnostics
    assert (found.code, found.symbol) == ("STR008", f"{family}_NOVEL")


HOMES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAHOME", "CUDA_DIR", "CUDA_INSTALL_PATH")


@pytest.mark.parametrize("folder", machine.CUDA_HOMES)
@pytest.mark.parametrize("name", HOMES)
def test_every_build_system_knows_the_names_of_cudas_folder(
    convert: Convert, name: str, folder: str
) -> None:
    files = {
        "Makefile": f"{name} ?= {folder}-12.4\na: a.cu\n\t$({name})/bin/nvcc -c a.cu\n",
        "setup.py": f"import os\nc = os.environ.get('{name}', '{folder}')\n",
        "build.rs": f"""\
fn main() {{
    let home = std::env::var("{name}").unwrap_or("{folder}-12.4".into());
    println!("cargo:rustc-link-search=native={{home}}/lib64");
    println!("cargo:rustc-link-lib=cudart");
}}
""",
        "CMakeLists.txt": f"link_directories({folder}-12.4/lib64 ${{{name}}}/lib64)\n",
    }
    done = convert(files)
    texts = {path: data.decode() for path, data in done.outputs.items()}
    assert texts.keys() == files.keys()
    assert "ROCM_PATH ?= /opt/rocm\n" in texts["Makefile"]
    assert "gpu_build.home(os.environ.get(" in texts["setup.py"]
    assert 'std::env::var("ROCM_PATH").unwrap_or("/opt/rocm".into())' in texts["build.rs"]
    root = "${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib"
    assert texts["CMakeLists.txt"] == f"link_directories({root} {root})\n"


@pytest.mark.parametrize("name", SAME_FOR_HIP)
def test_a_definition_for_cmake_becomes_hips_wherever_it_is_made(
    convert: Convert, name: str
) -> None:
    presets = f'{{"configurePresets": [{{"cacheVariables": {{"CMAKE_CUDA_{name}": "x"}}}}]}}\n'
    texts = {
        "CMakePresets.json": presets,
        "CMakeLists.txt": f"add_library(a a.cu)\nset(CMAKE_CUDA_{name} x)\n",
    }
    done = convert(texts)
    for path in texts:
        assert f"CMAKE_HIP_{name}" in done.outputs[path].decode()
    assert rocm_cmake_option(f"-DCMAKE_CUDA_{name}:STRING=x") == f"-DCMAKE_HIP_{name}=x"
