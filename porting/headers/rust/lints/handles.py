"""Integer literals for handles that are pointers in HIP."""

from collections.abc import Iterator, Sequence

from porting.diagnostics import Diagnostic
from porting.headers.rust.codes import LITERAL_HANDLE
from porting.headers.rust.lexer import Kind, Token
from porting.headers.rust.shapes import Form, Shapes
from porting.headers.rust.uses import Uses


def check_handles(uses: Uses, shapes: Shapes) -> Iterator[Diagnostic]:
    """Yield a finding at `x: CUdeviceptr = 0`, `0 as CUdeviceptr`, `0 as cudaTextureObject_t`."""
    for file in uses.crate.files:
        for literal, handle in _literals(file.code, shapes):
            shape = shapes.get(handle)
            hip = shape.hip if shape else ""
            yield LITERAL_HANDLE.at(
                file.path,
                f"{literal.text} is given as a {handle}, which is a pointer in HIP ({hip})",
                "rocm_compat keeps the integer and casts; where the value goes to HIP directly,"
                " write std::ptr::null_mut()",
                line=literal.line,
                column=literal.column,
                symbol=handle,
            )


def _literals(code: Sequence[Token], shapes: Shapes) -> Iterator[tuple[Token, str]]:
    for at, token in enumerate(code):
        if token.kind is not Kind.NUMBER:
            continue
        before = [t.text for t in code[max(at - 3, 0) : at]]
        after = [t.text for t in code[at + 1 : at + 3]]
        if len(before) == 3 and before[0] == ":" and before[2] == "=":  # noqa: PLR2004
            handle = before[1]
        elif len(after) == 2 and after[0] == "as":  # noqa: PLR2004 - `as` and a type
            handle = after[1]
        else:
            continue
        shape = shapes.get(handle) if handle.startswith(("CU", "cuda")) else None
        if shape is not None and shape.form is Form.INTEGER:
            yield token, handle
