"""Where a Python file runs nvcc, and whether it asks for its version."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from porting.buildfiles.python.module import PythonModule

_NVCC = re.compile(r"\bnvcc\b")
_NVCC_NAME = re.compile(r"(?i)(?:^|_)nvcc(?:_(?:path|bin|exe|compiler|cmd))?$")
RUNNERS = frozenset(
    (
        *(f"subprocess.{n}" for n in ("run", "call", "check_call", "check_output", "Popen")),
        *("subprocess.getoutput", "subprocess.getstatusoutput", "os.system", "os.popen"),
        *("distutils.spawn.spawn", "setuptools.distutils.spawn.spawn"),
    )
)
_METHODS = frozenset(("spawn",))
_DEPTH = 4


@dataclass(frozen=True)
class NvccCommand:
    """An expression that is a command line of nvcc; `is_text` for one string with all words."""

    node: ast.expr
    is_text: bool
    asks_version: bool


def nvcc_commands(module: PythonModule) -> Iterator[NvccCommand]:
    """Yield the command lines of nvcc that a file runs, or hands to a function of its own."""
    own = {n.name for n in ast.walk(module.tree) if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        runs = module.dotted(node.func) in RUNNERS or (
            isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
        )
        if runs:
            argument = _command_argument(node)
            if argument is not None and _starts_with_nvcc(module, argument):
                yield _command(argument)
        elif _called(node) in own:
            for argument in node.args:
                if isinstance(argument, ast.List) and _starts_with_nvcc(module, argument):
                    yield _command(argument)


def mentions_nvcc(module: PythonModule, node: ast.AST, depth: int = _DEPTH) -> bool:
    """Whether an expression has nvcc in it: in a string, or in what a name in it was assigned."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if _NVCC.search(part.value):
                return True
        elif isinstance(part, ast.Name):
            if _NVCC_NAME.search(part.id):
                return True
            values = module.values(part) if depth else []
            if any(mentions_nvcc(module, value, depth - 1) for value in values):
                return True
        elif isinstance(part, ast.Attribute) and _NVCC_NAME.search(part.attr):
            return True
    return False


def _command_argument(node: ast.Call) -> ast.expr | None:
    if node.args:
        return node.args[0]
    return next((k.value for k in node.keywords if k.arg in ("args", "cmd", "command")), None)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return ""


def _starts_with_nvcc(  # noqa: PLR0911 - a form of expression per case
    module: PythonModule, node: ast.expr, depth: int = _DEPTH
) -> bool:
    """Whether the first word of a command line is nvcc, as far as the file shows it."""
    match node:
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return mentions_nvcc(module, first)
        case ast.BinOp(left=first) | ast.Call(func=ast.Attribute(value=first, attr="format")):
            return _starts_with_nvcc(module, first, depth)
        case ast.Call(func=ast.Attribute(value=first, attr="split")):
            return _starts_with_nvcc(module, first, depth)
        case ast.Constant(value=str(text)):
            return bool(_NVCC.search(text.partition(" ")[0]))
        case ast.JoinedStr(values=[*parts]):
            return _text_starts_with_nvcc(module, parts)
        case ast.Name(id=name):
            values = module.values(node)[:1] if depth else []
            known = any(_starts_with_nvcc(module, value, depth - 1) for value in values)
            return known or bool(_NVCC_NAME.search(name))
        case ast.Call(args=[first, *_]):  # str(path), " ".join(words), os.path.join(...)
            return _starts_with_nvcc(module, first, depth) or mentions_nvcc(module, node)
        case _:
            return False


def _text_starts_with_nvcc(module: PythonModule, parts: list[ast.expr]) -> bool:
    """Whether nvcc is in the first word of an f-string."""
    for part in parts:
        if isinstance(part, ast.FormattedValue) and mentions_nvcc(module, part.value):
            return True
        if isinstance(part, ast.Constant):
            first, space, _ = str(part.value).partition(" ")
            if space or _NVCC.search(first):
                return bool(_NVCC.search(first))
    return False


def _command(node: ast.expr) -> NvccCommand:
    constants = [p.value for p in ast.walk(node) if isinstance(p, ast.Constant)]
    words = [word for text in constants if isinstance(text, str) for word in text.split()]
    asks = "-V" in words or "--version" in words
    return NvccCommand(node, not isinstance(node, (ast.List, ast.Tuple)), asks)
