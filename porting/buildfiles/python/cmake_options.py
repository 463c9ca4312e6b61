"""Where a Python file defines a variable of CUDA's for CMake: -DCMAKE_CUDA_ARCHITECTURES=80."""

import ast
import re
from collections.abc import Iterator

from porting.buildfiles.cmake_variables import CMAKE_VARIABLE
from porting.buildfiles.python.module import PythonModule

_OPTION = re.compile(rf"-D{CMAKE_VARIABLE}(?::\w+)?=(?!.*\s-D).*", re.DOTALL)


def cmake_options(module: PythonModule) -> Iterator[tuple[ast.Constant, ast.expr]]:
    """Yield the text that begins each such option, and the whole expression of the option."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if _OPTION.fullmatch(node.value):
            yield node, _whole(module, node)


def _whole(module: PythonModule, node: ast.expr) -> ast.expr:
    """Return the expression that a text is the beginning of."""
    while True:
        match module.parents.get(node):
            case ast.JoinedStr(values=[first, *_]) as around if first is node:
                node = around
            case ast.BinOp(left=first, op=ast.Add() | ast.Mod()) as around if first is node:
                node = around
            case ast.Attribute(attr="format") as method:
                call = module.parents.get(method)
                if not isinstance(call, ast.Call) or call.func is not method:
                    return node
                node = call
            case _:
                return node
