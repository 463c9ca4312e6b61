"""Names that a piece of source declares itself, so that they are not CUDA's."""

from typing import Final

from porting.syntax.calls import enclosing_bracket, match_bracket, statement_start
from porting.syntax.tokens import IDENT, Lexed, Token, Tokens
from porting.syntax.words import words

_TYPE_KEYWORDS: Final = words("struct class union enum namespace typename concept")
# Words in front of a name that make no declaration of it.
NOT_A_TYPE: Final = words(
    "return throw case goto else do new delete sizeof co_return co_yield co_await not and or"
    " operator if elif while for switch alignof decltype using typedef defined const volatile"
    " constexpr consteval constinit static inline extern mutable register thread_local virtual"
    " explicit friend final override noexcept restrict __restrict__ __device__ __host__"
    " __forceinline__ __inline__ __noinline__ public private protected default template"
)
_AFTER_DECLARATOR: Final = frozenset(("=", ";", ",", ")", "[", "{", "(", ":"))
_LONGEST: Final = 64  # tokens of a declaration that lists several names
_POINTERS: Final = frozenset(("*", "&", "&&"))
_ATTRIBUTES: Final = words(
    "__launch_bounds__ __attribute__ __declspec __align__ alignas __cluster_dims__"
)


def declared_names(lexed: Lexed) -> frozenset[str]:
    """Return the names of macros, types, functions, variables and parameters declared here."""
    tokens = lexed.tokens
    return frozenset(
        token.text
        for index, token in enumerate(tokens)
        if token.kind == IDENT and declares(lexed, index)
    )


def declares(lexed: Lexed, index: int) -> bool:
    """Whether the identifier at a token is declared there, as far as the tokens tell.

    Read from their shape: `#define N` and its parameters, `struct N`, `using N =`, enumerators,
    structured bindings, `(*N)(`, `} N;`, and `T N` or `T a, N` followed by what may follow a
    declarator, where T ends in an identifier, `*`, `&` or `>`.  A `struct N` that only refers to N
    counts too; callers ask for names in no table.
    """
    tokens = lexed.tokens
    if tokens[index].directive >= 0 and _in_directive(lexed, index):
        return True
    if index == 0 or _is_apart(lexed, index):
        return False
    before = tokens[index - 1]
    after = _text_after(tokens, index)
    if before.text in _TYPE_KEYWORDS or before.text == "using":
        return _keyword_declares(before.text, after)
    if after == "]":
        return _is_binding(tokens, index)
    if after == "}":
        return _is_enumerator(tokens, index)
    return after in _AFTER_DECLARATOR and (
        _after_type(tokens, index, before, after) or _by_context(tokens, index, before, after)
    )


def _keyword_declares(keyword: str, after: str) -> bool:
    """Whether a keyword in front of a name declares it: `typename N::type` does not."""
    if keyword == "typename":
        return after not in ("::", "<")
    return keyword != "using" or after == "="


def _in_directive(lexed: Lexed, index: int) -> bool:
    """Whether the token is the name or a parameter of the macro that its directive defines."""
    directive = lexed.directives[lexed.tokens[index].directive]
    if directive.name != "define":
        return False
    if index == directive.first:
        return True
    opener = directive.first + 1
    name = lexed.tokens[directive.first]
    if opener >= directive.last or lexed.tokens[opener].start != name.end:
        return False
    if lexed.tokens[opener].text != "(":
        return False
    close = match_bracket(lexed.tokens, opener)
    return close is not None and opener < index < close


def _is_apart(lexed: Lexed, number: int) -> bool:
    """Whether what stands in front is no part of the name's declaration.

    That is another line's directive, `ifdef` and the like, and the name in `#define NAME body`.
    """
    index = number - 1
    at = lexed.tokens[index].directive
    if at != lexed.tokens[number].directive or at < 0:
        return at != lexed.tokens[number].directive
    directive = lexed.directives[at]
    return index < directive.first or (index == directive.first and directive.name == "define")


def _text_after(tokens: Tokens, index: int) -> str:
    if index + 1 >= len(tokens) or tokens[index + 1].directive != tokens[index].directive:
        return ";"
    return tokens[index + 1].text


def _after_type(tokens: Tokens, index: int, before: Token, after: str) -> bool:
    """Whether what stands in front of the name reads as its type."""
    if before.kind == IDENT:
        return before.text not in NOT_A_TYPE or (
            before.text == "const" and index > 1 and tokens[index - 2].text in _POINTERS
        )
    if before.text in _POINTERS:
        if _ends_a_type(tokens, index - 1):
            return after != "(" or _starts_statement(tokens, index)
        return _is_function_pointer(tokens, index) or _is_next_pointer(tokens, index)
    if before.text == ">":
        return after in ("=", ";", "{", "(", ")", ",") and not _compares(tokens, index - 1)
    return before.text == ")" and after == "(" and _ends_an_attribute(tokens, index - 1)


def _by_context(tokens: Tokens, index: int, before: Token, after: str) -> bool:
    """Whether the statement around makes it a declaration."""
    if before.text == "}":
        return after in (";", ",")
    if before.text in (",", "{") and after in (",", "=", "}") and _is_enumerator(tokens, index):
        return True
    if before.text in (",", "["):
        if _is_binding(tokens, index):
            return True
        return before.text == "," and after in ("=", ";", ",", "[") and _lists(tokens, index)
    return before.text == "::" and after == ";" and _introduces(tokens, index)


def _ends_a_type(tokens: Tokens, index: int) -> bool:
    """Whether `tokens[index]` (a `*` or `&`) reads as part of a declaration, not as an operator."""
    while index >= 0 and tokens[index].text in ("*", "&", "&&", "const", "__restrict__"):
        index -= 1
    if index < 0 or tokens[index].kind != IDENT:
        return index >= 0 and tokens[index].text == ">"
    before = tokens[index - 1].text if index else ";"
    return before in (
        ";",
        "{",
        "}",
        "(",
        ",",
        "const",
        "static",
        "inline",
        "extern",
        "::",
        "struct",
    )


def _is_function_pointer(tokens: Tokens, index: int) -> bool:
    """Whether the name stands in `T (*N)(...)`, with a calling convention or class or without."""
    opener = index - 2
    while opener > 0 and (tokens[opener].kind == IDENT or tokens[opener].text == "::"):
        opener -= 1
    return (
        opener > 0
        and tokens[opener].text == "("
        and (tokens[opener - 1].kind == IDENT or tokens[opener - 1].text in ("*", "&", ">"))
        and _text_after(tokens, index) in (")", "[")
        and index + 2 < len(tokens)
        and tokens[index + 2].text in ("(", "]")
    )


def _is_next_pointer(tokens: Tokens, index: int) -> bool:
    """Whether the name is a further declarator with stars, as in `int *a, *N;`."""
    at = index - 1
    while at > 0 and tokens[at].text in _POINTERS:
        at -= 1
    return tokens[at].text == "," and _lists(tokens, index)


def _ends_an_attribute(tokens: Tokens, closer: int) -> bool:
    """Whether the `)` closes `__launch_bounds__(...)` and the like."""
    depth = 0
    for at in range(closer, 0, -1):
        depth += {")": 1, "(": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return tokens[at - 1].text in _ATTRIBUTES
    return False


def _starts_statement(tokens: Tokens, index: int) -> bool:
    while index >= 0 and (tokens[index].kind == IDENT or tokens[index].text in ("*", "&", "::")):
        index -= 1
    return index < 0 or tokens[index].text in (";", "{", "}", ">")


def _compares(tokens: Tokens, closer: int) -> bool:
    """Whether the `>` at `closer` has no `<` before it in the same statement."""
    for at in range(closer - 1, max(closer - _LONGEST, -1), -1):
        text = tokens[at].text
        if text == "<":
            return False
        if text in (";", "{", "}"):
            return True
    return True


def _is_enumerator(tokens: Tokens, index: int) -> bool:
    """Whether the innermost open bracket is the brace of an enum and a name may stand here."""
    if tokens[index - 1].text not in (",", "{"):
        return False
    at = (enclosing_bracket(tokens, index) or 0) - 1
    while at > 0 and (tokens[at].kind == IDENT or tokens[at].text in (":", "::")):
        if tokens[at].text == "enum":
            return True
        at -= 1
    return at == 0 and tokens[0].text == "enum"


def _is_binding(tokens: Tokens, index: int) -> bool:
    """Whether the name stands in `auto [a, b]`."""
    opener = enclosing_bracket(tokens, index) or 0
    return (
        opener > 0 and tokens[opener].text == "[" and tokens[opener - 1].text in ("auto", "&", "&&")
    )


def _lists(tokens: Tokens, index: int) -> bool:
    """Whether the statement starts like `T a` and goes on with further declarators."""
    at = _near_start(tokens, index)
    if at is None:
        return False
    words = 0
    while at < index and tokens[at].text not in (",", "=", "[", "(", "{"):
        token = tokens[at]
        if token.kind == IDENT:
            words += token.text not in NOT_A_TYPE
        elif token.text not in ("*", "&", "::", "<", ">"):
            return False
        elif token.text == "::":
            words -= 1
        at += 1
    return words > 1


def _near_start(tokens: Tokens, index: int) -> int | None:
    """Return the first token of a statement that is not longer than a line or two."""
    start = max(index - _LONGEST, 0)
    first = statement_start(tokens, index, start)
    return first if first > start or start == 0 else None


def _introduces(tokens: Tokens, index: int) -> bool:
    start = _near_start(tokens, index)
    return start is not None and tokens[start].text == "using"
