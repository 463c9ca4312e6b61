"""Find what a C or C++ header declares, in every branch of its conditionals.

A compiler sees one configuration; the tables need all of them (host and device passes, every
architecture, old and new spellings), so the headers are scanned instead of compiled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nametables.tokens import Token, tokenize

_DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)(\(?)")
_CONDITION = re.compile(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", re.DOTALL)
_ATTRIBUTES = frozenset(
    "__declspec __attribute__ __location__ alignas decltype noexcept throw __pragma _Pragma "
    "__builtin_align__ __align__ static_assert _Static_assert asm __asm__ __launch_bounds__ "
    "requires explicit sizeof defined operator if while for switch return".split()
)
_KEYWORDS = frozenset(
    "const volatile unsigned signed int char short long float double void struct union enum class "
    "static inline extern typedef constexpr virtual public private protected bool auto".split()
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared name: `owner` is the namespace or struct it is in, `arity` a function's."""

    name: str
    kind: str
    owner: str = ""
    arity: int = -1


@dataclass(slots=True)
class _Scope:
    kind: str
    name: str = ""
    pending: list[Token] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)


def scan(source: str, wrappers: frozenset[str] = frozenset()) -> list[Declaration]:
    """Return the declarations of a header.

    `wrappers` are function-like macros known from elsewhere: `MACRO(name)(args)` declares `name`,
    and `MACRO(x) int name(args)` declares `name`.
    """
    return _Scanner(wrappers).run(tokenize(source))


def macros_with_arguments(source: str) -> set[str]:
    """Return the names of the function-like macros that a header defines."""
    found = (_DEFINE.match(t.text) for t in tokenize(source) if t.kind == "directive")
    return {match.group(1) for match in found if match and match.group(2)}


class _Scanner:
    def __init__(self, wrappers: frozenset[str]) -> None:
        self.wrappers = wrappers
        self.found: list[Declaration] = []
        self.scopes = [_Scope("namespace")]
        self.branches: list[tuple[list[_Scope], list[_Scope] | None]] = []
        self.dead = 0

    def run(self, tokens: list[Token]) -> list[Declaration]:
        for token in tokens:
            if token.kind == "directive":
                self._directive(token.text)
            elif not self.dead:
                self._token(token)
        return self.found

    # --- conditionals: each branch starts where the first did; the first one's end goes on

    def _directive(self, text: str) -> None:
        condition = _CONDITION.match(text)
        if condition is None:
            macro = _DEFINE.match(text)
            if macro and not self.dead:
                self.found.append(Declaration(macro.group(1), "macro"))
            return
        word, rest = condition.groups()
        if word in ("if", "ifdef", "ifndef"):
            if self.dead or (word == "if" and rest.strip() == "0"):
                self.dead += 1
            else:
                self.branches.append((self._snapshot(), None))
        elif self.dead:
            if word == "endif" or self.dead == 1:
                self.dead -= 1
                if word != "endif":
                    self.branches.append((self._snapshot(), None))
        elif self.branches:
            self._next_branch(word)

    def _next_branch(self, word: str) -> None:
        start, first = self.branches.pop()
        first = first if first is not None else self.scopes
        if word == "endif":
            self.scopes = first
        else:
            self.branches.append((start, first))
            self.scopes = [self._copy(scope) for scope in start]

    def _snapshot(self) -> list[_Scope]:
        return [self._copy(scope) for scope in self.scopes]

    @staticmethod
    def _copy(scope: _Scope) -> _Scope:
        return _Scope(scope.kind, scope.name, list(scope.pending), list(scope.fields))

    # --- tokens

    def _token(self, token: Token) -> None:
        scope = self.scopes[-1]
        if scope.kind == "body":
            if token.text == "{":
                self.scopes.append(_Scope("body"))
            elif token.text == "}":
                self._close()
        elif scope.kind == "enum":
            self._enumerator(scope, token)
        elif token.text == "{":
            self._open(scope)
        elif token.text == "}":
            self._close()
        elif token.text == ";":
            self._statement(scope)
            scope.pending.clear()
        else:
            scope.pending.append(token)
            if scope.kind == "struct" and _is_access(scope.pending):
                scope.pending.clear()

    def _enumerator(self, scope: _Scope, token: Token) -> None:
        if token.text == "}":
            self._close()
        elif token.text == "," and not _depth(scope.pending):
            scope.pending.clear()
        else:
            if token.kind == "word" and not scope.pending:
                self.found.append(Declaration(token.text, "enumerator", scope.name))
            scope.pending.append(token)

    def _open(self, scope: _Scope) -> None:
        head = _without_templates(scope.pending)
        words = [t.text for t in head if t.kind == "word"]
        if "namespace" in words or (words[:1] == ["extern"] and "(" not in [t.text for t in head]):
            names = (
                [w for w in words[words.index("namespace") + 1 :]] if "namespace" in words else []
            )
            scope.pending.clear()
            name = "::".join(n for n in names if n != "inline" and not n.startswith("__attr"))
            self.scopes.append(_Scope("namespace", self._qualified(name)))
            return
        tag = _tag(head)
        if tag is not None:
            keyword, name = tag
            if name:
                self.found.append(Declaration(name, "type", self._owner()))
            kind = "enum" if keyword == "enum" else "struct"
            self.scopes.append(_Scope(kind, name or (scope.name if kind == "struct" else "")))
            return
        self._function(head)
        self.scopes.append(_Scope("body"))

    def _close(self) -> None:
        if len(self.scopes) == 1:
            return
        closed = self.scopes.pop()
        outer = self.scopes[-1]
        if closed.kind == "body":
            if outer.kind != "body":
                outer.pending = [Token("mark", "<body>")] if _is_value(outer.pending) else []
        elif closed.kind in ("struct", "enum"):
            outer.pending.append(Token("mark", "<tagged>"))
            if closed.kind == "struct":
                self._finish_struct(closed, outer)

    def _finish_struct(self, closed: _Scope, outer: _Scope) -> None:
        """Report the fields now that the name is known, or leave them for the typedef to name."""
        if outer.kind == "struct" and not closed.name:
            outer.fields += closed.fields
        elif closed.name:
            self.found += [Declaration(f, "field", closed.name) for f in closed.fields]
        else:
            outer.fields = closed.fields

    def _statement(self, scope: _Scope) -> None:
        head = _without_templates(scope.pending)
        words = [t.text for t in head if t.kind == "word"]
        if not words:
            return
        if words[0] == "typedef":
            self._typedef(scope, head)
        elif words[0] == "using":
            self._using(head)
        elif scope.kind == "struct":
            scope.fields += _declarators(head)
        elif any(t.text == "(" for t in head) and self._function(head):
            return
        elif words[0] in ("struct", "union", "enum", "class") and _declares_tag(head):
            self.found.append(Declaration(words[-1], "type", self._owner()))
        elif not any(t.text == "<tagged>" for t in head):
            names = _declarators(head)
            self.found += [Declaration(n, "variable", self._owner()) for n in names]

    def _typedef(self, scope: _Scope, head: list[Token]) -> None:
        names = _declarators(head)
        if scope.kind == "namespace" and scope.fields and names:
            self.found += [Declaration(f, "field", names[0]) for f in scope.fields]
            scope.fields = []
        self.found += [Declaration(name, "type", self._owner()) for name in names]
        tag = _tag(head)
        if tag is not None and tag[1] and tag[1] not in names:
            self.found.append(Declaration(tag[1], "type", self._owner()))

    def _using(self, head: list[Token]) -> None:
        texts = [t.text for t in head]
        if "=" in texts and len(head) > 1:
            self.found.append(Declaration(texts[1], "type", self._owner()))
        elif "namespace" not in texts and head[-1].kind == "word":
            self.found.append(Declaration(texts[-1], "using", self._owner()))

    def _function(self, head: list[Token]) -> bool:
        """Report a function's name and tell whether there was one."""
        if self.scopes[-1].kind != "namespace":
            return False
        name, arity = _function_name(head, self.wrappers)
        if name:
            self.found.append(Declaration(name, "function", self._owner(), arity))
        return bool(name)

    def _owner(self) -> str:
        return self.scopes[-1].name

    def _qualified(self, name: str) -> str:
        outer = self._owner()
        return f"{outer}::{name}" if outer and name else outer or name


def _depth(tokens: list[Token]) -> int:
    opened = sum(t.text in ("(", "[", "{") for t in tokens)
    return opened - sum(t.text in (")", "]", "}") for t in tokens)


def _is_access(pending: list[Token]) -> bool:
    return (
        len(pending) == 2
        and pending[1].text == ":"
        and pending[0].text
        in (
            "public",
            "private",
            "protected",
        )
    )


def _is_value(pending: list[Token]) -> bool:
    return any(t.text == "=" for t in pending)


def _without_templates(tokens: list[Token]) -> list[Token]:
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


def _tag(head: list[Token]) -> tuple[str, str] | None:
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


def _declares_tag(head: list[Token]) -> bool:
    return all(t.kind == "word" for t in head) and len(head) >= 2


def _declarators(head: list[Token]) -> list[str]:
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


def _function_name(head: list[Token], wrappers: frozenset[str]) -> tuple[str, int]:
    """Return (name, number of parameters) of a function's declaration or definition."""
    best = ("", -1)
    index = 0
    while index < len(head):
        if head[index].text != "(":
            if head[index].text == "=":
                break
            index += 1
            continue
        end = _group_end(head, index)
        before = head[index - 1] if index else Token("mark", "")
        if (
            before.kind == "word"
            and before.text not in _ATTRIBUTES
            and before.text not in _KEYWORDS
        ):
            inside = head[index + 1 : end - 1]
            called = end < len(head) and head[end].text == "("
            if called and len(inside) == 1 and inside[0].kind == "word":
                arity = _arity(head[end + 1 : _group_end(head, end) - 1])
                return inside[0].text, arity
            if before.text not in wrappers:
                return before.text, _arity(inside)
            best = (before.text, _arity(inside)) if not best[0] else best
        index = end
    return ("", -1) if best[0] in wrappers else best


def _arity(inside: list[Token]) -> int:
    """Count the parameters between a function's parentheses."""
    if not inside or [t.text for t in inside] == ["void"]:
        return 0
    depth = 0
    count = 1
    for token in inside:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        count += token.text == "," and depth == 0
    return count
