"""Rewrite a build script so that it builds for both vendors: calls of gpu_build at the places."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from porting.buildfiles.python.cmake_options import cmake_options
from porting.buildfiles.python.commands import nvcc_commands
from porting.buildfiles.python.compiler_paths import (
    compiler_paths,
    executables,
    library_folders,
    runtime_files,
)
from porting.buildfiles.python.module import PythonModule, Span
from porting.edits import Edit
from porting.rules.strings.machine import is_home

_TORCH = "torch.utils.cpp_extension"
_ENVIRONMENT = "os.environ"
_SEARCHES = ("which", "find_executable")
_QUESTIONS = ("os.environ.get", "os.getenv")
_SEARCH_NAME = re.compile(r"(?i)find|locate|search|which|lookup")
# By full name; a name alone comes from an import of everything.
_TORCH_EXTENSIONS = frozenset(
    f"{prefix}{name}" for prefix in (f"{_TORCH}.", "") for name in ("CUDAExtension", "CppExtension")
)
_CUDA_WORD = re.compile(r"(?i)cuda|nvcc|cublas|cudnn|nvrtc|nvidia")


@dataclass(frozen=True)
class Wrap:
    """Text to put before and after a range of the file."""

    span: Span
    before: str
    after: str = ")"


def rewrite(module: PythonModule) -> list[Edit]:
    """Return what makes a script ask gpu_build wherever its vendor matters, sorted."""
    wraps: list[Wrap] = []
    edits: list[Edit] = []
    for node in ast.walk(module.tree):
        wraps += _homes(module, node)
        wraps += _releases(module, node)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            edits += _extensions(module, node)
    commands = [command.node for command in nvcc_commands(module)]
    wraps += (Wrap(module.span(node), "gpu_build.command(") for node in commands)
    options = [whole for _, whole in cmake_options(module)]
    compilers = list(executables(module))
    within = {part for node in (*commands, *options, *compilers) for part in ast.walk(node)}
    paths = (node for node in compiler_paths(module) if node not in within)
    folders = (node for node in library_folders(module) if node not in within)
    files = (node for node in runtime_files(module) if node not in within)
    for name, nodes in (
        ("file", files),
        ("cmake_option", options),
        ("executable", compilers),
        ("program", paths),
        ("folder", folders),
    ):
        wraps += (Wrap(module.span(node), f"gpu_build.{name}(") for node in nodes)
    return sorted([*_inserts(wraps), *edits], key=lambda edit: (edit.start, edit.end))


def _inserts(wraps: list[Wrap]) -> Iterator[Edit]:
    """Yield insertions for wraps that may be nested, in the order that nests them right."""
    inserts: list[tuple[int, int, int, str]] = []
    for wrap in dict.fromkeys(wraps):
        start, end = wrap.span
        inserts.append((start, 1, -end, wrap.before))
        if wrap.after:
            inserts.append((end, 0, -start, wrap.after))
    for at, _, _, text in sorted(inserts):
        yield Edit(at, at, text)


def _homes(module: PythonModule, node: ast.AST) -> Iterator[Wrap]:
    """Yield what finds CUDA's folder: torch's CUDA_HOME, the environment, nvcc on PATH."""
    match node:
        case ast.ImportFrom(module=str(name), names=names) if name == _TORCH:
            for alias in names:
                if alias.name in ("CUDA_HOME", "*"):
                    yield _rebind(module, node, alias.asname or "CUDA_HOME")
        case ast.Attribute(attr="CUDA_HOME", ctx=ast.Load()):
            if module.dotted(node) == f"{_TORCH}.CUDA_HOME":
                yield Wrap(module.span(node), "gpu_build.home(")
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]):
            asked = module.dotted(func)
            if is_home(name) and asked in _QUESTIONS and not _is_fallback(module, node):
                yield Wrap(module.span(node), "gpu_build.home(")
            elif name == "nvcc" and _searches(module, asked):
                yield Wrap(module.span(node), "gpu_build.program(")
        case ast.Subscript() | ast.Compare():
            yield from _environment(module, node)
        case _:
            pass


def _searches(module: PythonModule, function: str) -> bool:
    """Whether a function looks for a program: one that is known for it, or the script's own."""
    name = function.rpartition(".")[2]
    return name in _SEARCHES or (name in module.functions and bool(_SEARCH_NAME.search(name)))


def _environment(module: PythonModule, node: ast.Subscript | ast.Compare) -> Iterator[Wrap]:
    """Yield what reads a variable of CUDA's as if it were always set, or asks whether it is."""
    match node:
        case ast.Subscript(value=where, slice=ast.Constant(value=str(name)), ctx=ast.Load()):
            before = "(gpu_build.home() if gpu_build.is_rocm() else "
        case ast.Compare(left=ast.Constant(value=str(name)), ops=[ast.In()], comparators=[where]):
            before = "(gpu_build.is_rocm() or "
        case ast.Compare(left=ast.Constant(value=str(name)), ops=[_], comparators=[where]):
            before = "(not gpu_build.is_rocm() and "
        case _:
            return
    if is_home(name) and module.dotted(where) == _ENVIRONMENT:
        yield Wrap(module.span(node), before)


def _is_fallback(module: PythonModule, node: ast.AST) -> bool:
    """Whether a question for a folder is inside another one's arguments, which is wrapped."""
    return any(
        isinstance(above, ast.Call)
        and module.dotted(above.func) in _QUESTIONS
        and isinstance(above.args[0], ast.Constant)
        and is_home(str(above.args[0].value))
        for above in module.above(node)
    )


def _rebind(module: PythonModule, node: ast.stmt, name: str) -> Wrap:
    """Bind the name of torch's CUDA folder to the platform's folder, on a line of its own."""
    leading = _leading_imports(module.tree.body)
    end = module.span(leading[-1] if node in leading else node).end  # after that of gpu_build
    line = f"{module.source.newline}{' ' * node.col_offset}{name} = gpu_build.home({name})"
    return Wrap(Span(end, end), line, "")


def _releases(module: PythonModule, node: ast.AST) -> Iterator[Wrap]:
    if isinstance(node, ast.Attribute) and module.dotted(node) == "torch.version.cuda":
        yield Wrap(module.span(node), "gpu_build.cuda_release(")


def _extensions(module: PythonModule, node: ast.Name | ast.Attribute) -> Iterator[Edit]:
    """Yield what hands the arguments of an extension to gpu_build, which adapts them."""
    kind, parent = module.dotted(node), module.parents.get(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    of_torch = kind in _TORCH_EXTENSIONS
    start, end = module.span(node)
    if call is None:
        if of_torch:
            yield Edit(start, start, "gpu_build.adapted(")
            yield Edit(end, end, ")")
        return
    if not of_torch and not (kind.endswith("Extension") and _speaks_of_cuda(module, call)):
        return
    text = module.source.text
    opening = text.index("(", end) + 1
    space = "" if text[opening : opening + 1] in ("\r", "\n") else " "
    yield Edit(start, opening, f"gpu_build.extension({text[start:end]},{space}")


def _speaks_of_cuda(module: PythonModule, call: ast.Call) -> bool:
    """Whether arguments of a call name CUDA, themselves or in what their names stand for."""
    parts: list[ast.expr] = [*call.args, *(keyword.value for keyword in call.keywords)]
    for part in tuple(parts):
        for node in ast.walk(part):
            if isinstance(node, ast.Name):
                parts += module.values(node)
    return any(_CUDA_WORD.search(module.text(part)) for part in parts)


def import_of_gpu_build(module: PythonModule, folder: str) -> Edit:
    """Return the lines that import the generated module, after the script's first imports.

    `folder`: where it lies, seen from the script's folder, as the arguments of os.path.join.
    """
    leading = _leading_imports(module.tree.body)
    bound = {a.asname or a.name for n in leading if isinstance(n, ast.Import) for a in n.names}
    here = "os.path.dirname(os.path.abspath(__file__))"
    lines = [f"import {name}" for name in ("os", "sys") if name not in bound]
    lines += ["", f"sys.path.append(os.path.join({here}, {folder}))"]
    lines += ["import gpu_build  # noqa: E402"]
    newline = module.source.newline
    text = newline.join(lines)
    if leading:
        end = module.span(leading[-1]).end
        return Edit(end, end, newline + text)
    first = next((n for n in module.tree.body if not _is_docstring(n)), None)
    at = module.span(first).start if first is not None else len(module.source.text)
    return Edit(at, at, text + newline * 2)


def _leading_imports(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif not _is_docstring(node):
            break
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
