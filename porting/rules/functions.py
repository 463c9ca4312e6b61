"""Where a file's functions and macro bodies are, read from the token stream."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.syntax import IDENT, Lexed, Tokens, match_angle, match_bracket

_BRACE: Final = re.compile(rb"[{}]")
_POINT: Final = re.compile(rb"[;{}]")  # where a statement may begin or end
_CLASS_KEYS: Final = frozenset(("struct", "class", "union", "enum"))
_SCOPE_KEYS: Final = _CLASS_KEYS | {"namespace", "extern"}
_CONTROL: Final = frozenset(("if", "for", "while", "switch", "catch", "do", "else"))
_BEFORE_VALUE: Final = frozenset(("=", "return", ",", "(", "[", "{", "]"))
# Calls in front of a parameter list that are no function's name.
_ATTRIBUTES: Final = frozenset(
    (
        *("__launch_bounds__", "__attribute__", "__declspec", "alignas", "__align__", "decltype"),
        *("noexcept", "explicit", "__block_size__", "__cluster_dims__", "__maxnreg__"),
        *("requires", "typeof", "__typeof__", "asm", "__asm__", "amdgpu_flat_work_group_size"),
    )
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition, or the body of a macro (then `is_macro`).

    Token indices: the header is `[first, open)`, the body `(open, close)`; `name` is that of the
    function and `parameters` the end of its parameter list, behind which a constructor's
    initializers stand.  `on_device`: marked __global__ or __device__.
    """

    name: int
    first: int
    parameters: int
    open: int
    close: int
    on_device: bool = False
    is_macro: bool = False


class Functions:
    """The functions and macro bodies of a file, by place."""

    def __init__(self, lexed: Lexed) -> None:
        found = [*_definitions(lexed.tokens), *_macros(lexed)]
        self.all: tuple[Function, ...] = tuple(sorted(found, key=lambda f: f.first))
        self._starts = [function.first for function in self.all]

    def around(self, index: int) -> Function | None:
        """Return the function or macro body that holds token `index`, or None."""
        at = bisect_right(self._starts, index) - 1
        while at >= 0:
            if index <= self.all[at].close:
                return self.all[at]
            if not self.all[at].is_macro:  # a macro may stand inside a function
                return None
            at -= 1
        return None


def _macros(lexed: Lexed) -> Iterator[Function]:
    for directive in lexed.directives:
        if directive.name == "define" and directive.first + 1 < directive.last:
            first = directive.first
            yield Function(first, first, first, first, directive.last - 1, is_macro=True)


def _definitions(tokens: Tokens) -> Iterator[Function]:
    closers = _closers(tokens)
    directives = tokens.directives
    statement = 0
    point = _POINT.search(tokens.firsts)
    while point is not None:
        index = point.start()
        behind = index + 1
        if directives[index] < 0:
            while directives[statement] >= 0:
                statement += 1
            if point[0] != b"{":
                statement = behind
            elif (close := closers.get(index)) is None:
                return
            else:
                function = _function(tokens, statement, index, close)
                if function is not None:
                    yield function
                    statement = behind = close + 1
                elif _is_value(tokens, statement, index):
                    behind = close + 1
                else:
                    statement = behind
        point = _POINT.search(tokens.firsts, behind)


def _closers(tokens: Tokens) -> dict[int, int]:
    """Return the index of the brace that closes each open one, outside of directives."""
    closers: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(tokens.firsts):
        index = match.start()
        if tokens.directives[index] < 0:
            if match[0] == b"{":
                opened.append(index)
            elif opened:
                closers[opened.pop()] = index
    return closers


def _is_value(tokens: Tokens, statement: int, index: int) -> bool:
    """Whether the `{` at `index` opens an initializer."""
    if index == statement:
        return False
    return tokens.words[index - 1] in _BEFORE_VALUE or (
        tokens.kinds[index - 1] == IDENT and _SCOPE_KEYS.isdisjoint(tokens.words[statement:index])
    )


def _function(tokens: Tokens, first: int, opener: int, close: int) -> Function | None:
    words = frozenset(tokens.words[first:opener])
    if "(" not in words or "namespace" in words or tokens.words[opener - 1] in _BEFORE_VALUE:
        return None
    name = _declarator(tokens, first, opener)
    if name is None or tokens.words[name] in _CONTROL:
        return None
    after = match_angle(tokens, name + 1) if tokens.words[name + 1] == "<" else name
    parameters = None if after is None else match_bracket(tokens, after + 1)
    if parameters is None or _initializes_member(tokens, parameters, opener):
        return None
    on_device = not words.isdisjoint(("__global__", "__device__"))
    return Function(name, first, parameters, opener, close, on_device)


def _initializes_member(tokens: Tokens, parameters: int, opener: int) -> bool:
    """Whether the `{` at `opener` belongs to a member in a constructor's initializer list."""
    return tokens.words[parameters + 1] == ":" and tokens.kinds[opener - 1] == IDENT


def _declarator(tokens: Tokens, first: int, opener: int) -> int | None:
    """Return the token index of the name in front of the parameter list.

    The name of a full specialization has template arguments behind it.
    """
    words = tokens.words
    index = first
    while index < opener:
        word = words[index]
        if word in _CLASS_KEYS or word == "=":
            return None
        if word == "(":
            if tokens.kinds[index - 1] == IDENT and words[index - 1] not in _ATTRIBUTES:
                return index - 1
            if index > first + 1 and "operator" in words[max(first, index - 4) : index]:
                return index - 1
            index = match_bracket(tokens, index) or opener
        elif (closed := _closed_angle(tokens, index)) is not None:
            if words[closed + 1] == "(" and words[index - 1] != "template":
                return index - 1
            index = closed
        index += 1
    return None


def _closed_angle(tokens: Tokens, index: int) -> int | None:
    """Return the end of a list of template parameters or arguments that begins at a token."""
    words = tokens.words
    if words[index] != "<" or tokens.kinds[index - 1] != IDENT or words[index - 1] == "operator":
        return None
    return match_angle(tokens, index)
