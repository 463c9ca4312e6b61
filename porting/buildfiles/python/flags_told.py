"""What is told of a build script: flags of nvcc, versions and variables of CUDA's."""

import ast
import re
from collections.abc import Iterator

from porting.buildfiles.cmake_variables import CMAKE_VARIABLE
from porting.buildfiles.codes import VERSION_DECISION, flag_code
from porting.buildfiles.flags import is_of_nvcc, translate
from porting.buildfiles.python.cmake_options import cmake_options
from porting.buildfiles.python.codes import SCRIPT_ARCHITECTURES, SCRIPT_CMAKE
from porting.buildfiles.python.commands import nvcc_commands
from porting.buildfiles.python.generate import NAME
from porting.buildfiles.python.module import PythonModule
from porting.diagnostics import Code, Diagnostic
from porting.generated import FOLDER

_CMAKE = re.compile(CMAKE_VARIABLE)
_RELEASE_HELP = (
    f"{FOLDER}/{NAME} answers with the CUDA release in its CUDA_RELEASE;"
    " ask gpu_build.is_rocm() first where ROCm needs something else"
)


def findings(module: PythonModule) -> Iterator[Diagnostic]:
    """Yield what a person should know about a script that was rewritten for both vendors."""
    yield from _flags(module)
    for command in nvcc_commands(module):
        if command.asks_version:
            message = "a ROCm build has no nvcc to ask for its version"
            yield _at(module, command.node, VERSION_DECISION, message, _RELEASE_HELP)
    converted = {text for text, _ in cmake_options(module)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and module.dotted(node) == "torch.version.cuda":
            if _decides(module, node):
                message = "torch.version.cuda is None in a ROCm build, and something depends on it"
                yield _at(module, node, VERSION_DECISION, message, _RELEASE_HELP)
        elif node in converted:
            continue
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _string(module, node, node.value)


def _flags(module: PythonModule) -> Iterator[Diagnostic]:
    """Yield one note for each option of nvcc in a list, with what becomes of it."""
    for node in ast.walk(module.tree):
        if not isinstance(node, (ast.List, ast.Tuple)):
            continue
        words = [_word(element) for element in node.elts]
        if not any(is_of_nvcc(word) for word in words):
            continue
        for piece in translate(words).pieces:
            option = words[piece.start]
            for note in piece.notes:
                becomes = f"becomes {' '.join(piece.flags)}" if piece.flags else "is left out"
                message = f"{note.flag} {becomes} in a ROCm build: {note.text}"
                if option.startswith("-"):
                    code = flag_code(note.severity)
                    yield _at(module, node.elts[piece.start], code, message, symbol=option)


def _word(node: ast.expr) -> str:
    """Return an element of a list as a word; what is computed is no option, but may be a value."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            shown = (p.value if isinstance(p, ast.Constant) else "{}" for p in parts)
            return "".join(map(str, shown))
        case _:
            return "{}"


def _decides(module: PythonModule, node: ast.AST) -> bool:
    """Whether more depends on a value than whether it is there."""
    parent = module.parents.get(node)
    match parent:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) | ast.If() | ast.UnaryOp() | ast.BoolOp():
            return False
        case ast.FormattedValue():
            return False
        case _:
            return True


def _string(module: PythonModule, node: ast.Constant, text: str) -> Iterator[Diagnostic]:
    if text == "TORCH_CUDA_ARCH_LIST":
        message = "a ROCm build takes its architectures from PYTORCH_ROCM_ARCH, not from this list"
        help_text = f"set PYTORCH_ROCM_ARCH; {FOLDER}/{NAME} gives the port's where it is unset"
        yield _at(module, node, SCRIPT_ARCHITECTURES, message, help_text)
    elif match := _CMAKE.search(text):
        message = f"{match[0]} means nothing to a ROCm build"
        help_text = "give CMAKE_HIP_ARCHITECTURES and CMAKE_HIP_COMPILER in a ROCm build"
        yield _at(module, node, SCRIPT_CMAKE, message, help_text, symbol=match[0])


def _at(  # noqa: PLR0913, PLR0917 - a finding has that many parts
    module: PythonModule,
    node: ast.expr,
    code: Code,
    message: str,
    help_text: str = "",
    symbol: str = "",
) -> Diagnostic:
    line, column = module.source.position(module.span(node).start)
    return code.at(module.source.path, message, help_text, line=line, column=column, symbol=symbol)
