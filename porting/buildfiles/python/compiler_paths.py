"""Where a Python file puts the path of nvcc together, or hands it to setuptools as a compiler."""

import ast
import re
from collections.abc import Iterator

from porting.buildfiles.python.module import PythonModule

_NVCC = re.compile(r"(?:.*/)?nvcc")
_SETTERS = frozenset(("set_executable", "set_executables"))


def compiler_paths(module: PythonModule) -> Iterator[ast.expr]:
    """Yield the expressions that are the path of nvcc, in no order."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in _SETTERS:
                given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
                yield from (value for value in given if _is_nvcc(value, ""))
            case ast.Call(func=func, args=[_, *_, last]):
                if module.dotted(func) == "os.path.join" and _is_nvcc(last, ""):
                    yield node
            case ast.BinOp(op=ast.Add(), right=last) | ast.JoinedStr(values=[_, *_, last]):
                if _is_nvcc(last, "/"):
                    yield node
            case _:
                pass


def _is_nvcc(node: ast.expr, before: str) -> bool:
    """Whether an expression is a text that is nvcc, or ends with it after `before`."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return bool(_NVCC.fullmatch(node.value)) and node.value.endswith(f"{before}nvcc")
