"""Where a file's functions and macro bodies are, read from the token stream."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from porting.syntax import IDENT, STRING, Lexed, Token, match_bracket

_CLASS_KEYS: Final = frozenset(("struct", "class", "union", "enum"))
_CONTROL: Final = frozenset(("if", "for", "while", "switch", "catch", "do", "else"))
_BEFORE_VALUE: Final = frozenset(("=", "return", ",", "(", "[", "{", "]"))
# Calls in front of a parameter list that are no function's name.
_ATTRIBUTES: Final = frozenset(
    "__launch_bounds__ __attribute__ __declspec alignas __align__ decltype noexcept explicit"
    " __block_size__ __cluster_dims__ __maxnreg__ requires typeof __typeof__ asm __asm__"
    " amdgpu_flat_work_group_size".split()
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function definition, or the body of a macro (then `is_macro`).

    Token indices: the header is `[first, open)`, the body `(open, close)`; `name` is -1 when the
    header has none.  `is_kernel`: marked __global__.  `on_device`: marked __global__ or __device__.
    """

    name: int
    first: int
    open: int
    close: int
    is_kernel: bool = False
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
            yield Function(first, first, first, directive.last - 1, is_macro=True)


def _definitions(tokens: Sequence[Token]) -> Iterator[Function]:
    index = statement = 0
    while index < len(tokens):
        token = tokens[index]
        text = token.text
        if token.directive >= 0:
            index += 1
            if statement == index - 1:
                statement = index
            continue
        if text in {";", "}"}:
            statement = index + 1
        elif text == "{":
            close = match_bracket(tokens, index)
            if close is None:
                return
            function = _function(tokens, statement, index, close)
            if function is not None:
                yield function
                index = close
                statement = close + 1
            elif _is_value(tokens, statement, index):
                index = close
            else:
                statement = index + 1
        index += 1


def _is_value(tokens: Sequence[Token], statement: int, index: int) -> bool:
    """Whether the `{` at `index` opens an initializer."""
    if index == statement:
        return False
    before = tokens[index - 1]
    return before.text in _BEFORE_VALUE or (
        before.kind == IDENT and not _opens_scope(tokens, statement, index)
    )


def _opens_scope(tokens: Sequence[Token], statement: int, index: int) -> bool:
    words = {tokens[at].text for at in range(statement, index)}
    return bool(words & _CLASS_KEYS) or "namespace" in words or "extern" in words


def _function(tokens: Sequence[Token], first: int, opener: int, close: int) -> Function | None:
    header = [tokens[at] for at in range(first, opener)]
    if not header or any(t.kind == STRING for t in header[:2]):
        return None
    words = {t.text for t in header}
    if "(" not in words or "namespace" in words or header[-1].text in _BEFORE_VALUE:
        return None
    name = _declarator(tokens, first, opener)
    if name is None or tokens[name].text in _CONTROL:
        return None
    kernel = "__global__" in words
    return Function(name, first, opener, close, kernel, kernel or "__device__" in words)


def _declarator(tokens: Sequence[Token], first: int, opener: int) -> int | None:
    """Return the token index of the name in front of the parameter list."""
    index = first
    while index < opener:
        text = tokens[index].text
        if text in _CLASS_KEYS and not _is_template_parameter(tokens, first, index):
            return None
        if text == "(":
            before = tokens[index - 1]
            if before.kind == IDENT and before.text not in _ATTRIBUTES:
                return index - 1
            if index > first + 1 and _names_operator(tokens, first, index):
                return index - 1
            index = match_bracket(tokens, index) or opener
        elif text == "=":
            return None
        index += 1
    return None


def _is_template_parameter(tokens: Sequence[Token], first: int, index: int) -> bool:
    return index > first and tokens[index - 1].text in ("<", ",")


def _names_operator(tokens: Sequence[Token], first: int, index: int) -> bool:
    return any(tokens[at].text == "operator" for at in range(max(first, index - 4), index))
