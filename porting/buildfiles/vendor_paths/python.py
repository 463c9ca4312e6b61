"""Find what only NVIDIA's software answers in Python code that is no build script."""

import ast
from collections.abc import Iterator

from porting.buildfiles.flags import is_of_nvcc
from porting.buildfiles.python.commands import RUNNERS
from porting.buildfiles.python.module import PythonModule
from porting.buildfiles.vendor_paths.codes import TORCH_GUARD, VENDOR_FLAG, VENDOR_TOOL
from porting.buildfiles.vendor_paths.table import (
    ROCM,
    Found,
    file_in,
    library_in,
    tool,
    variable,
)
from porting.diagnostics import Diagnostic
from porting.rules.strings.machine import PROGRAMS

_SEARCHES = frozenset(("shutil.which", "distutils.spawn.find_executable"))
_JIT = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline")


def findings(module: PythonModule) -> Iterator[Diagnostic]:
    """Yield the findings in a module, outside of code that speaks of AMD too."""
    for node in ast.walk(module.tree):
        for found in _found(module, node):
            if isinstance(node, (ast.expr, ast.stmt)) and not _is_neutral(module, node):
                line, column = module.source.position(module.span(node).start)
                yield found.code.at(
                    module.source.path,
                    found.message,
                    found.help,
                    line=line,
                    column=column,
                    symbol=found.word,
                )


def _found(module: PythonModule, node: ast.AST) -> Iterator[Found]:
    match node:
        case ast.Constant(value=str(text)) if _does_something(module, node):
            yield from filter(None, (_text(text),))
        case ast.Call():
            yield from _call(module, node)
        case ast.Compare() | ast.If() | ast.IfExp() | ast.Assert() | ast.BoolOp():
            yield from _condition(module, node)
        case ast.Import(names=names):
            for alias in names:
                if alias.name in ("pynvml", "cupy", "pycuda"):
                    yield _import(alias.name)
        case ast.ImportFrom(module=str(name)) if name.split(".")[0] in ("pynvml", "pycuda"):
            yield _import(name.split(".")[0])
        case _:
            pass


def _does_something(module: PythonModule, node: ast.AST) -> bool:
    """Whether a string is more than documentation or a message."""
    for above in module.above(node):
        if isinstance(above, (ast.Raise, ast.JoinedStr)):
            return False
        if isinstance(above, ast.Expr) and isinstance(above.value, ast.Constant):
            return False
        if isinstance(above, ast.Call):
            name = module.dotted(above.func).rpartition(".")[2]
            return name not in _SPEAKERS and not name.endswith(("Error", "Exception", "Exit"))
    return True


_SPEAKERS = frozenset(
    """print warn warning info debug error exception critical log echo add_argument format skip
    skipif fail xfail description""".split()
)


def _text(text: str) -> Found | None:
    if len(text) > 200 or "\n" in text:  # noqa: PLR2004 - a template or a help text
        return None
    return variable(text) or file_in(text) or library_in(text)


def _call(module: PythonModule, node: ast.Call) -> Iterator[Found]:
    name = module.dotted(node.func)
    first = node.args[0] if node.args else None
    if name in RUNNERS or name in _SEARCHES:
        words = _first_words(first)
        known = next((found for word in words if (found := tool(word))), None)
        if known:
            yield known
    elif name.endswith("find_library") and isinstance(first, ast.Constant):
        known = library_in(f"lib{first.value!s}")
        if known:
            yield known
    elif name in _JIT:
        for keyword in node.keywords:
            if keyword.arg == "extra_cuda_cflags":
                yield from _flags(keyword.value)


def _first_words(node: ast.expr | None) -> list[str]:
    """Return the programs that a command runs: the first word, or each of a shell's line."""
    match node:
        case ast.List(elts=[ast.Constant(value=str(word)), *_]):
            return [word]
        case ast.Constant(value=str(text)):
            return [part.split()[0] for part in text.replace("|", ";").split(";") if part.split()]
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text.split()[:1]
        case _:
            return []


def _flags(node: ast.expr) -> Iterator[Found]:
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and is_of_nvcc(part.value)
        ):
            message = f"{part.value} goes to hipcc as it is, which does not know it"
            yield Found(VENDOR_FLAG, part.value, message, "give it where torch.version.hip is None")
            return


def _condition(module: PythonModule, node: ast.AST) -> Iterator[Found]:
    """Yield what a condition asks of torch that only an NVIDIA GPU answers as meant."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            parts = [test.operand if isinstance(test, ast.UnaryOp) else test]
        case ast.Compare(left=left, comparators=right):
            parts = [left, *right]
        case ast.BoolOp(values=values):
            parts = list(values)
        case _:
            parts = []
    for part in parts:
        name = module.dotted(part.func) if isinstance(part, ast.Call) else module.dotted(part)
        if name == "torch.version.cuda":
            message = "torch.version.cuda is None in a torch for ROCm, so this is a test for CUDA"
            yield Found(TORCH_GUARD, name, message, "test torch.version.hip as well")
        elif name.endswith("get_device_capability"):
            message = "on AMD GPUs the compute capability is the architecture: (9, 4) on gfx942"
            help_text = "ask for a capability only where torch.version.hip is None"
            yield Found(TORCH_GUARD, "get_device_capability", message, help_text)


def _import(name: str) -> Found:
    instead = {"pynvml": "amdsmi", "cupy": "cupy built for ROCm", "pycuda": "hip-python"}[name]
    message = f"{name} works with NVIDIA's driver; ROCm has {instead}"
    return Found(VENDOR_TOOL, name, message, "import it only where it is used for NVIDIA GPUs")


def _is_neutral(module: PythonModule, node: ast.AST) -> bool:
    """Whether the function, or the statement of the module, around a place speaks of AMD too."""
    around: ast.AST = node
    for above in module.above(node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _mentions_rocm(above)
        if not isinstance(above, ast.Module):
            around = above
    return isinstance(around, (ast.expr, ast.stmt)) and _mentions_rocm(around)


def _mentions_rocm(node: ast.expr | ast.stmt) -> bool:
    for part in ast.walk(node):
        match part:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.alias(name=word):
                pass
            case ast.Constant(value=str(word)) if word not in PROGRAMS:
                pass
            case _:
                continue
        if ROCM.search(word):
            return True
    return False
