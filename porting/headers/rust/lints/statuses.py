"""CUDA statuses that are compared with numbers."""

from collections.abc import Iterator, Sequence

from porting.diagnostics import Diagnostic
from porting.headers.rust.api import Api, cuda_api
from porting.headers.rust.codes import NUMERIC_ERROR
from porting.headers.rust.lexer import Kind, Token, number_value
from porting.headers.rust.spelling import bracketed
from porting.headers.rust.uses import Uses

_STATUS_ENUMS = ("cudaError", "cudaError_enum", "nvrtcResult", "ncclResult_t")
_STATUS_TYPES = frozenset((*_STATUS_ENUMS, "cudaError_t", "CUresult"))
_ENDS = frozenset((";", "{", "}"))


def check_statuses(uses: Uses) -> Iterator[Diagnostic]:
    """Yield a finding at the first number in each match on, or comparison with, a CUDA status."""
    functions = _status_functions(cuda_api())
    for file in uses.crate.files:
        code = file.code
        names = _status_names(code, functions)
        for at, token in enumerate(code):
            if token.text == "match":
                yield from _match(file.path, code, at, names | functions)
            elif token.name in names:
                yield from _comparison(file.path, code, at)


def _status_functions(cuda: Api) -> frozenset[str]:
    return frozenset(
        name for name, declared in cuda.functions.items() if declared.result in _STATUS_TYPES
    )


def _status_names(code: Sequence[Token], functions: frozenset[str]) -> frozenset[str]:
    """Return the variables that hold a status: by their type, or by the call that gives them."""
    found: set[str] = set()
    for at, token in enumerate(code[:-2]):
        if token.kind is not Kind.IDENT or at + 2 >= len(code):
            continue
        typed = code[at + 1].text == ":" and _type_at(code, at + 2) in _STATUS_TYPES
        if typed and not (at and code[at - 1].text in ("const", "static", "type")):
            found.add(token.name)
        elif code[at - 1].text in ("let", "mut") and code[at + 1].text == "=":
            end = _statement_end(code, at)
            if any(t.name in functions for t in code[at + 2 : end]):
                found.add(token.name)
    return frozenset(found)


def _type_at(code: Sequence[Token], at: int) -> str:
    """Return the last word of the path that begins at `at`."""
    while at + 2 < len(code) and code[at + 1].text == "::":
        at += 2
    return code[at].name


def _statement_end(code: Sequence[Token], at: int) -> int:
    while at < len(code) and code[at].text != ";":
        at = bracketed(code, at) + 1 if code[at].text in "([{" else at + 1
    return at


def _match(
    path: str, code: Sequence[Token], at: int, statuses: frozenset[str]
) -> Iterator[Diagnostic]:
    brace = _body_brace(code, at + 1)
    if not any(token.name in statuses for token in code[at + 1 : brace]):
        return
    body = code[brace + 1 : bracketed(code, brace)]
    numbers = [literal for literal in _patterns(body) if number_value(literal)]
    if numbers:
        yield _finding(path, numbers)


def _body_brace(code: Sequence[Token], at: int) -> int:
    """Return the `{` of a match's body: the first outside brackets that no `unsafe` leads."""
    while at < len(code) - 1:
        if code[at].text == "{" and code[at - 1].text != "unsafe":
            return at
        at = bracketed(code, at) + 1 if code[at].text in "([{" else at + 1
    return at


def _patterns(body: Sequence[Token]) -> Iterator[Token]:
    """Yield the numbers among the patterns of a match: what stands before each `=>`."""
    at = start = 0
    while at < len(body):
        if body[at].text == "=>":
            yield from (t for t in body[start:at] if t.kind is Kind.NUMBER)
            at += 1
            if at < len(body) and body[at].text == "{":
                at = bracketed(body, at) + 1
            else:
                while at < len(body) and body[at].text != ",":
                    at = bracketed(body, at) + 1 if body[at].text in "([{" else at + 1
            start = at
        else:
            at += 1


def _comparison(path: str, code: Sequence[Token], at: int) -> Iterator[Diagnostic]:
    """Look at `status == 35` and `status as i32 != 2`."""
    index = at + 1
    if index + 1 < len(code) and code[index].text == "as":
        index += 2
    operator = "".join(t.text for t in code[index : index + 2])
    number = code[index + 2] if index + 2 < len(code) else None
    if operator in ("==", "!=") and number is not None and number_value(number):
        yield _finding(path, [number])


def _finding(path: str, numbers: Sequence[Token]) -> Diagnostic:
    shown = ", ".join(_named(number) for number in numbers)
    return NUMERIC_ERROR.at(
        path,
        f"a CUDA status is compared with numbers: {shown}",
        "compare with the named constants: HIP does not return all of these",
        line=numbers[0].line,
        column=numbers[0].column,
    )


def _named(literal: Token) -> str:
    """Return a number with the name that CUDA has for it."""
    value = number_value(literal)
    for enum in ("cudaError", "cudaError_enum"):
        for name, number in cuda_api().enums[enum].values.items():
            if number == value:
                return f"{literal.text} ({name})"
    return literal.text
