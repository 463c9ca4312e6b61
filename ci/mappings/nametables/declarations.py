"""Find what a C or C++ header declares, in every branch of its conditionals.

A compiler sees one configuration; the tables need all of them (host and device passes, every
architecture, old and new spellings), so the headers are scanned instead of compiled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nametables import declarators
from nametables.tokens import Token, tokenize

_DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)(\(?)")
_CONDITION = re.compile(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b\s*(.*)", re.DOTALL)
_ASKS_FOR = re.compile(r"(?:defined\s*\(?\s*)?([A-Za-z_]\w*)\s*\)?\s*")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared name.

    owner: the namespace, struct or enum it is in; arities: how many arguments a function can be
    called with.
    """

    name: str
    kind: str
    owner: str = ""
    arities: tuple[int, ...] = ()


@dataclass(slots=True)
class _Scope:
    kind: str
    name: str = ""
    pending: list[Token] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)


def scan(
    source: str, wrappers: frozenset[str] = frozenset(), unset: frozenset[str] = frozenset()
) -> list[Declaration]:
    """Return the declarations of a header.

    `wrappers` are function-like macros known from elsewhere: `MACRO(name)(args)` declares `name`,
    and `MACRO(x) int name(args)` declares `name`.  `unset` are macros that nobody defines: what
    only they bring is not declared.
    """
    return _Scanner(wrappers, unset).run(tokenize(source))


def macros_with_arguments(source: str) -> set[str]:
    """Return the names of the function-like macros that a header defines."""
    found = (_DEFINE.match(t.text) for t in tokenize(source) if t.kind == "directive")
    return {match.group(1) for match in found if match and match.group(2)}


class _Scanner:
    def __init__(self, wrappers: frozenset[str], unset: frozenset[str]) -> None:
        self.wrappers = wrappers
        self.unset = unset
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
            if self.dead or self._is_never(word, rest):
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

    def _is_never(self, word: str, rest: str) -> bool:
        """Tell whether a condition holds in no build: `#if 0`, `#if defined MACRO` of an unset."""
        if word == "if" and rest.strip() == "0":
            return True
        asked = _ASKS_FOR.fullmatch(rest)
        return word != "ifndef" and asked is not None and asked[1] in self.unset

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
            if scope.kind == "struct" and declarators.is_access(scope.pending):
                scope.pending.clear()

    def _enumerator(self, scope: _Scope, token: Token) -> None:
        if token.text == "}":
            self._close()
        elif token.text == "," and not declarators.nesting(scope.pending):
            scope.pending.clear()
        else:
            if token.kind == "word" and not scope.pending:
                self.found.append(Declaration(token.text, "enumerator", scope.name))
            scope.pending.append(token)

    def _open(self, scope: _Scope) -> None:
        head = declarators.without_templates(scope.pending)
        words = [t.text for t in head if t.kind == "word"]
        if "namespace" in words or (words[:1] == ["extern"] and "(" not in [t.text for t in head]):
            names = words[words.index("namespace") + 1 :] if "namespace" in words else []
            scope.pending.clear()
            name = "::".join(n for n in names if n != "inline" and not n.startswith("__attr"))
            self.scopes.append(_Scope("namespace", self._qualified(name)))
            return
        tag = declarators.tag_of(head)
        if tag is not None:
            keyword, name = tag
            if name:
                self.found.append(Declaration(name, "type", self._owner()))
            kind = "enum" if keyword == "enum" else "struct"
            self.scopes.append(_Scope(kind, name or (scope.name if kind == "struct" else "")))
            return
        if self._function(head):
            scope.pending.clear()
        self.scopes.append(_Scope("body"))

    def _close(self) -> None:
        if len(self.scopes) == 1:
            return
        closed = self.scopes.pop()
        outer = self.scopes[-1]
        if closed.kind == "body":
            if outer.kind != "body":
                outer.pending = (
                    [Token("mark", "<body>")] if declarators.is_value(outer.pending) else []
                )
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
        head = declarators.without_templates(scope.pending)
        words = [t.text for t in head if t.kind == "word"]
        if not words:
            return
        if words[0] == "typedef":
            self._typedef(scope, head)
        elif words[0] == "using":
            self._using(head)
        elif scope.kind == "struct":
            scope.fields += declarators.declared_names(head)
        elif any(t.text == "(" for t in head) and self._function(head):
            return
        elif words[0] in ("struct", "union", "enum", "class") and declarators.declares_tag(head):
            self.found.append(Declaration(words[-1], "type", self._owner()))
        elif not any(t.text == "<tagged>" for t in head):
            names = declarators.declared_names(head)
            self.found += [Declaration(n, "variable", self._owner()) for n in names]

    def _typedef(self, scope: _Scope, head: list[Token]) -> None:
        names = declarators.declared_names(head)
        if scope.kind == "namespace" and scope.fields and names:
            self.found += [Declaration(f, "field", names[0]) for f in scope.fields]
            scope.fields = []
        self.found += [Declaration(name, "type", self._owner()) for name in names]
        tag = declarators.named_tag(head)
        if tag and tag not in names:
            self.found.append(Declaration(tag, "type", self._owner()))

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
        name, arities = declarators.function_name(head, self.wrappers)
        if name:
            self.found.append(Declaration(name, "function", self._owner(), arities))
        return bool(name)

    def _owner(self) -> str:
        return self.scopes[-1].name

    def _qualified(self, name: str) -> str:
        outer = self._owner()
        return f"{outer}::{name}" if outer and name else outer or name
