"""A stand-in for a shared library: its exports, each of which answers that nothing is there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porting.toolkits.compiling import run_compiler
from porting.toolkits.declarations import Function, functions

# What the generated sources depend on, for the names of trees that hold such libraries.
CODE = ("stub_library.py", "declarations.py", "compiling.py")


@dataclass(frozen=True)
class StubLibrary:
    """A library, the header that declares it, its functions, and what they answer.

    `functions` is a pattern for their names, `status` a result type with the value to return.
    """

    name: str
    header: str
    functions: str
    status: tuple[str, str]


def write(
    library: StubLibrary,
    soname: str,
    compiler: Sequence[str | Path],
    folder: Path,
    linker: Sequence[str] = (),
) -> None:
    """Compile a library into `folder`, with the name that -l finds it by beside it.

    `compiler`: the command of a C compiler that finds the header.  `linker`: options for linking.
    Raises ToolchainError, and OSError for a full disk.
    """
    output = folder / soname
    preprocess = [*compiler, "-E", "-P", "-include", library.header, "-"]
    text = source(library, run_compiler(preprocess, "", output))
    command = [*compiler, "-O1", "-shared", "-fPIC", "-nostdlib", "-fno-builtin"]
    command += [f"-Wl,-soname,{soname}", "-", "-o", output, *linker]
    run_compiler(command, text, output)
    (folder / f"lib{library.name}.so").symlink_to(soname)


def source(library: StubLibrary, header: str) -> str:
    """Return a library's C source for its preprocessed header."""
    wanted = re.compile(library.functions)
    declared = {f.name: f for f in functions(header) if wanted.match(f.name)}
    bodies = [_definition(library, function) for function in declared.values()]
    return "\n".join([f"#include <{library.header}>", *bodies, ""])


def _definition(library: StubLibrary, function: Function) -> str:
    # A macro of the header may have the function's name: parentheses keep it from expanding.
    head = f"{function.result} ({function.name})({function.parameters})"
    return f"{head} {{ {_body(library, function)} }}"


def _body(library: StubLibrary, function: Function) -> str:
    result, value = library.status
    if function.result == result:
        return f"return {value};"
    if function.result == "void":
        return ""
    if "char" in function.result:
        return f'return "{library.name}: no device";'
    return "return 0;"
