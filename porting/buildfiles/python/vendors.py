"""Whether a Python file speaks of CUDA, of ROCm, or of both: by its tokens, not by its comments."""

import ast
import re
from collections.abc import Iterator

from porting.buildfiles.python.module import PythonModule
from porting.rules.strings.machine import ROCM_HOME

_CUDA = re.compile(r"(?i)cuda|nvcc|\bcudnn|\bcublas|\bnvrtc|\bnccl")
_ROCM_NAME = re.compile(r"(?i)rocm|hipcc|hipify|(?:^|_)hip(?:_|$)|^gpu_build$")
_ROCM_TEXT = re.compile(
    rf"\bhipcc\b|\bamdhip64\b|{ROCM_HOME}|\bROCM_(?:HOME|PATH|VERSION)\b|\bHIP_(?:PATH|HOME)\b|"
    r"\bPYTORCH_ROCM_ARCH\b|\brocm-smi\b|\brocminfo\b|--offload-arch|\bUSE_ROCM\b|/dev/kfd"
)
_NO_CODE = (ast.Raise, ast.Assert)


def names_cuda(module: PythonModule) -> bool:
    """Whether the code names CUDA or one of its tools."""
    return any(_CUDA.search(word) for _, word in words(module))


def knows_rocm(module: PythonModule) -> bool:
    """Whether the code already asks for ROCm: such a file is somebody's port, and is left alone."""
    return any(
        _ROCM_TEXT.search(word) if isinstance(node, ast.Constant) else _ROCM_NAME.search(word)
        for node, word in words(module)
    )


def words(module: PythonModule) -> Iterator[tuple[ast.AST, str]]:
    """Yield each name and each string that does something, with its node.

    Docstrings, and the texts of errors and of what is printed, say nothing about the code.
    """
    todo: list[ast.AST] = [module.tree]
    while todo:
        node = todo.pop()
        match node:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Call(func=ast.Name(id="print")) | ast.Raise() | ast.Assert(msg=None):
                continue
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.keyword(arg=str(word)):
                yield node, word
            case ast.alias(name=word) | ast.FunctionDef(name=word) | ast.ClassDef(name=word):
                yield node, word
            case ast.Constant(value=str(word)):
                yield node, word
            case _:
                pass
        todo.extend(ast.iter_child_nodes(node))
