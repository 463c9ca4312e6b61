"""Read one declaration, given as tokens: which names it declares and how they are called."""

from __future__ import annotations

from nametables.tokens import Token

_ATTRIBUTES = frozenset(
    (
        "__declspec",
        "__attribute__",
        "__location__",
        "__pragma",
        "_Pragma",
        "__builtin_align__",
        "__align__",
        "__launch_bounds__",
        "__asm__",
        "asm",
        "alignas",
        "decltype",
        "noexcept",
        "throw",
        "static_assert",
        "_Static_assert",
        "requires",
        "explicit",
        "sizeof",
        "defined",
        "operator",
        "if",
        "while",
        "for",
        "switch",
        "return",
    )
)
_KEYWORDS = frozenset(
    (
        "const",
        "volatile",
        "unsigned",
        "signed",
        "int",
        "char",
        "short",
        "long",
        "float",
        "double",
        "void",
        "bool",
        "auto",
        "struct",
        "union",
        "enum",
        "class",
        "static",
        "inline",
        "extern",
        "typedef",
        "constexpr",
        "virtual",
        "public",
        "private",
        "protected",
    )
)
_NOT_FUNCTIONS = _ATTRIBUTES | _KEYWORDS


def nesting(tokens: list[Token]) -> int:
    """Return how many brackets are open after the tokens."""
    opened = sum(t.text in ("(", "[", "{") for t in tokens)
    return opened - sum(t.text in (")", "]", "}") for t in tokens)


def is_access(pending: list[Token]) -> bool:
    """Tell whether the tokens are `public:` or the like."""
    texts = [token.text for token in pending]
    return texts in (["public", ":"], ["private", ":"], ["protected", ":"])


def is_value(pending: list[Token]) -> bool:
    """Tell whether a braced list after the tokens is an initializer."""
    return any(t.text == "=" for t in pending)


def without_templates(tokens: list[Token]) -> list[Token]:
    """Drop leading `template <...>` heads and `[[...]]` attributes."""
    index = 0
    while index < len(tokens) and tokens[index].text == "template":
        depth = 0
        index += 1
        while index < len(tokens):
            depth += (tokens[index].text == "<") - (tokens[index].text == ">")
            index += 1
            if depth <= 0:
                break
    return tokens[index:]


def tag_of(head: list[Token]) -> tuple[str, str] | None:
    """Return (keyword, tag) when the tokens before `{` open a struct, union, class or enum."""
    texts = [t.text for t in head]
    start = 1 if texts[:1] == ["typedef"] else 0
    places = [
        i for i in range(start, len(texts)) if texts[i] in ("struct", "union", "class", "enum")
    ]
    if not places or "=" in texts:
        return None
    keyword = texts[places[0]]
    rest = _drop_groups(head[places[0] + 1 :])
    names = []
    for token in rest:
        if token.text in (":", "final", "<", "<tagged>", ";"):
            break
        if token.text == "(":
            return None
        if token.kind == "word" and token.text not in ("class", "struct"):
            names.append(token.text)
    if places[0] > start and any(t.text == "(" for t in head[: places[0]]):
        return None
    named = [n for n in names if not n.startswith("__device_builtin")]
    return keyword, (named[-1] if named else "")


def named_tag(head: list[Token]) -> str:
    """Return the tag that `typedef struct TAG *NAME` names without a body, or an empty string."""
    texts = [token.text for token in head]
    tagged = texts[1:2] in (["struct"], ["union"], ["enum"]) and "<tagged>" not in texts
    return texts[2] if tagged and len(texts) > 3 and head[2].kind == "word" else ""  # noqa: PLR2004


def _drop_groups(tokens: list[Token]) -> list[Token]:
    """Drop attribute macros with their arguments: `__align__(8)`, `__attribute__((x))`."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        known = tokens[index].text in _ATTRIBUTES or tokens[index].text.isupper()
        if known and index + 1 < len(tokens) and tokens[index + 1].text == "(":
            index = _group_end(tokens, index + 1)
            continue
        kept.append(tokens[index])
        index += 1
    return kept


def _group_end(tokens: list[Token], start: int) -> int:
    """Return the index after the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        depth += (tokens[index].text in ("(", "[", "{")) - (tokens[index].text in (")", "]", "}"))
        if not depth:
            return index + 1
    return len(tokens)


def declares_tag(head: list[Token]) -> bool:
    """Tell whether the tokens are `struct X` and no more."""
    return len(head) > 1 and all(token.kind == "word" for token in head)


def declared_names(head: list[Token]) -> list[str]:
    """Return the names that a typedef, a field or a variable statement declares."""
    names: list[str] = []
    last = ""
    index = 0
    pointer = False
    while index < len(head):
        token = head[index]
        if token.text == "(" and not pointer:
            inner = _pointer_name(head, index)
            if inner:
                last, pointer = inner, True
            index = _group_end(head, index)
            continue
        if token.text in ("[", "("):
            index = _group_end(head, index)
            continue
        if token.text in ("=", ":"):
            index = _next_comma(head, index)
            continue
        if token.text == ",":
            names.append(last)
            last, pointer = "", False
        elif token.kind == "word" and not pointer:
            last = token.text
        index += 1
    names.append(last)
    return [n for n in names if n and n not in _KEYWORDS and n not in _ATTRIBUTES]


def _next_comma(head: list[Token], index: int) -> int:
    while index < len(head) and head[index].text != ",":
        index = _group_end(head, index) if head[index].text in ("(", "[") else index + 1
    return index


def _pointer_name(head: list[Token], start: int) -> str:
    """Return NAME of `(CALLCONV * NAME)` at `start`, else an empty string."""
    inside = head[start + 1 : _group_end(head, start) - 1]
    stars = [i for i, t in enumerate(inside) if t.text == "*"]
    if not stars or any(t.text == "," for t in inside):
        return ""
    words = [t.text for t in inside[stars[-1] + 1 :] if t.kind == "word" and t.text != "const"]
    return words[-1] if words else ""


def function_name(head: list[Token], wrappers: frozenset[str]) -> tuple[str, tuple[int, ...]]:
    """Return (name, possible argument counts) of a function's declaration or definition."""
    nothing: tuple[str, tuple[int, ...]] = ("", ())
    index = 0
    while index < len(head) and head[index].text != "=":
        if head[index].text != "(":
            index += 1
            continue
        end = _group_end(head, index)
        before = head[index - 1] if index else Token("mark", "")
        if before.kind == "word" and before.text not in _NOT_FUNCTIONS:
            inside = head[index + 1 : end - 1]
            called = end < len(head) and head[end].text == "("
            if called and len(inside) == 1 and inside[0].kind == "word":
                return inside[0].text, _arities(head[end + 1 : _group_end(head, end) - 1])
            if before.text not in wrappers:
                return before.text, _arities(inside)
        index = end
    return nothing


def _arities(inside: list[Token]) -> tuple[int, ...]:
    """Return with how many arguments a function can be called, from its parameter list."""
    if not inside or [t.text for t in inside] == ["void"]:
        return (0,)
    depth = optional = 0
    total = 1
    for token in inside:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        total += token.text == "," and depth == 0
        optional += (token.text == "=" and depth == 0) or token.text in ("__dparm", "__dv")
    return tuple(range(total - optional, total + 1))
