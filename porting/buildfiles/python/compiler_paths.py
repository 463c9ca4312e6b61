"""Where a Python file puts paths of CUDA's together: nvcc, files, the folder of libraries."""

import ast
import re
from collections.abc import Iterator

from porting.buildfiles.python.commands import mentions_nvcc
from porting.buildfiles.python.module import PythonModule
from porting.buildfiles.python.script.tables import RUNTIME_FILES

_NVCC = re.compile(r"(?:.*/)?nvcc")
_LIBRARIES = re.compile(r"(?:.*/)?lib64(?:/stubs)?")
# What shows that the runtime is installed, in `RUNTIME_FILES` of the generated script's tables.
_FILE = re.compile(rf"(?:.*/)?(?:{'|'.join(map(re.escape, RUNTIME_FILES))})")
_TAKES_PATH = frozenset(("os.path.exists", "os.path.isfile", "pathlib.Path"))
_SETTERS = frozenset(("set_executable", "set_executables"))


def executables(module: PythonModule) -> Iterator[ast.expr]:
    """Yield what a file hands to setuptools as a compiler, where that is nvcc."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="set_executable"), args=[key, value]):
                keys = [(getattr(key, "value", ""), value)]
            case ast.Call(func=ast.Attribute(attr="set_executables"), keywords=keywords):
                keys = [(keyword.arg, keyword.value) for keyword in keywords]
            case _:
                continue
        for name, given in keys:
            if "linker" not in str(name) and mentions_nvcc(module, given):
                yield given


def compiler_paths(module: PythonModule) -> Iterator[ast.expr]:
    """Yield the expressions that are the path of nvcc, in no order."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _SETTERS:
                given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
                yield from (value for value in given if _is_text(value, _NVCC, ""))
    yield from _paths(module, _NVCC)


def library_folders(module: PythonModule) -> Iterator[ast.expr]:
    """Yield the expressions that are a folder of libraries by CUDA's name for it, lib64."""
    yield from _paths(module, _LIBRARIES)


def runtime_files(module: PythonModule) -> Iterator[ast.expr]:
    """Yield the expressions that are the path of a header or library of CUDA's runtime."""
    yield from _paths(module, _FILE)
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=func, args=[ast.Constant() as path]):
                if module.dotted(func) in _TAKES_PATH and _is_text(path, _FILE, "/"):
                    yield path
            case _:
                pass


def _paths(module: PythonModule, pattern: re.Pattern[str]) -> Iterator[ast.expr]:
    """Yield the paths that are put together and end with a name."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=func, args=[_, *_, last]):
                if module.dotted(func) == "os.path.join" and _is_text(last, pattern, ""):
                    yield node
            case ast.BinOp(op=ast.Add(), right=last):
                if _is_text(last, pattern, "/"):
                    yield node
            case ast.BinOp(op=ast.Div(), right=last):
                if pattern is not _NVCC and _is_text(last, pattern, ""):
                    yield node
            case ast.JoinedStr(values=[first, *_, last]):
                if _is_text(last, pattern, "/") and not _is_option(first):
                    yield node
            case _:
                pass


def _is_option(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).startswith("-")


def _is_text(node: ast.expr, pattern: re.Pattern[str], before: str) -> bool:
    """Whether an expression is a text that a pattern matches, with `before` where it is a part."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return pattern.fullmatch(node.value) is not None and before in node.value
