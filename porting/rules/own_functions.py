"""Functions of the tree's own classes and namespaces that are named like CUDA's.

`pool.cudaMalloc(n)` and `fake::cudaFree(p)` are the tree's where it declares them so.  They keep
their names everywhere, or nowhere: a name that a table of function pointers or a macro's list has
too follows CUDA's, since those are filled and called by other ways than the text shows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from porting.rules.functions import Function
from porting.source import SourceFile
from porting.syntax import (
    IDENT,
    Lexed,
    Tokens,
    declares,
    enclosing_bracket,
    statement_start,
    tokenize,
)

_PADDING: Final = 4
_CLASS_KEYS: Final = frozenset(("struct", "class", "union"))
_SCOPE_KEYS: Final = _CLASS_KEYS | {"namespace"}
_NO_BASE: Final = frozenset(("public", "private", "protected", "virtual", "std"))
_ACCESS: Final = (".", "->")


@dataclass(frozen=True)
class OwnFunctions:
    """What a tree declares under names of CUDA's functions.

    `scopes`: name -> the classes and namespaces that have a function of that name.  `classes`: the
    classes among them.  `bases`: class -> the classes it derives from.  `hidden`: names declared in
    such scopes alone, so that outside of them they are CUDA's.
    """

    scopes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    classes: frozenset[str] = frozenset()
    bases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    def without(self, lexed: Lexed, places: Sequence[int], around: "Around") -> list[int]:
        """Return the places of a name that are not the tree's own function."""
        name = lexed.tokens[places[0]].text
        imported = self._is_imported(lexed.tokens, places, self.scopes[name])
        return [n for n in places if not self._holds(lexed.tokens, n, around, imported=imported)]

    def _is_imported(self, tokens: Tokens, places: Sequence[int], scopes: frozenset[str]) -> bool:
        """Whether `using scope::name;` makes the name the tree's own in the rest of the file."""
        return any(
            _texts(tokens, n - 3, n)[::2] == ["using", "::"] and tokens[n - 2].text in scopes
            for n in places
        )

    def _holds(self, tokens: Tokens, number: int, around: "Around", *, imported: bool) -> bool:
        scopes = self.scopes[tokens[number].text]
        before = tokens[number - 1].text if number else ""
        if before in _ACCESS:
            return not scopes.isdisjoint(self.classes)
        if before == "::":
            qualifier = _qualifier(tokens, number)
            return not scopes.isdisjoint(self._with_bases([qualifier])) if qualifier else False
        inside = [scope.name for scope in _scopes(tokens, number)]
        function = around(number)
        if (
            function is not None
            and not function.is_macro
            and tokens[function.name - 1].text == "::"
        ):
            inside.append(_qualifier(tokens, function.name))
        return imported or not scopes.isdisjoint(self._with_bases(inside))

    def _with_bases(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        todo = [name for name in names if name]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.bases.get(name, ())
        return found


Around = Callable[[int], Function | None]


@dataclass
class _Found:
    scopes: dict[str, set[str]] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    bases: dict[str, set[str]] = field(default_factory=dict)
    elsewhere: set[str] = field(default_factory=set)  # declared outside of such scopes too
    followed: set[str] = field(default_factory=set)  # in a table or a macro's list


@dataclass(frozen=True, slots=True)
class _Scope:
    name: str
    is_class: bool
    opener: int


def own_functions(
    sources: Sequence[SourceFile], declared: Mapping[str, AbstractSet[str]]
) -> OwnFunctions:
    """Return what files declare in classes and namespaces; `declared`: path -> its functions.

    A file can only do so where it declares the name and opens a scope: when none does, the files
    that use the names, which are many more, need not be read.
    """
    wanted = frozenset().union(*declared.values())
    found = _Found()
    first = {
        source.path
        for source in sources
        if declared.get(source.path) and any(key in source.text for key in _SCOPE_KEYS)
    }
    for source in sources:
        if source.path in first:
            _read_file(found, source, wanted)
    if not found.scopes:
        return OwnFunctions()
    for source in sources:
        if source.path not in first:
            _read_file(found, source, wanted)
    scopes = {n: frozenset(s) for n, s in found.scopes.items() if n not in found.followed}
    return OwnFunctions(
        scopes,
        frozenset(found.classes),
        {name: frozenset(bases) for name, bases in found.bases.items()} if scopes else {},
        frozenset(scopes) - found.elsewhere,
    )


def _read_file(found: _Found, source: SourceFile, wanted: AbstractSet[str]) -> None:
    names = {name for name in wanted if name in source.text}
    if not names:
        return
    lexed = tokenize(source.text, padding=_PADDING)
    tokens = lexed.tokens
    for number, word in enumerate(tokens.words):
        if word in _CLASS_KEYS:
            _read_bases(found, tokens, number)
        elif word in names:
            _read_name(found, lexed, number)


def _read_name(found: _Found, lexed: Lexed, number: int) -> None:
    tokens, name = lexed.tokens, lexed.tokens[number].text
    before = tokens[number - 1].text if number else ""
    after = tokens[number + 1].text
    if tokens[number].directive >= 0 or (before in ("(", ",") and _is_listed(tokens, number)):
        found.followed.add(name)
        return
    if before in (*_ACCESS, "::") or not declares(lexed, number):
        return
    scope = next(_scopes(tokens, number), None)
    directly = scope is not None and _is_direct(tokens, number, scope.opener)
    if after != "(" and scope is not None and scope.is_class:
        found.followed.add(name)
    elif scope is None or after != "(":
        found.elsewhere.add(name)
    elif directly:
        found.scopes.setdefault(name, set()).add(scope.name)
        if scope.is_class:
            found.classes.add(scope.name)


def _is_listed(tokens: Tokens, number: int) -> bool:
    """Whether a name alone is the argument of what looks like a macro: `X(name)`."""
    opener = enclosing_bracket(tokens, number)
    if opener is None or tokens[number + 1].text not in (",", ")") or not opener:
        return False
    callee = tokens[opener - 1]
    return callee.kind == IDENT and callee.text.isupper()


def _is_direct(tokens: Tokens, number: int, opener: int) -> bool:
    """Whether nothing but `extern "C"` is open between a name and the brace of its scope."""
    at = enclosing_bracket(tokens, number)
    while at is not None and at != opener:
        if tokens[at].text != "{" or tokens[at - 2].text != "extern":
            return False
        at = enclosing_bracket(tokens, at)
    return at is not None


def _scopes(tokens: Tokens, number: int) -> Iterator[_Scope]:
    """Yield the named namespaces and classes around a token, innermost first."""
    at = enclosing_bracket(tokens, number)
    while at is not None:
        if tokens[at].text == "{":
            yield from _opened(tokens, at)
        at = enclosing_bracket(tokens, at)


def _opened(tokens: Tokens, opener: int) -> Iterator[_Scope]:
    """Yield the scopes that a brace opens: `namespace a::b {` opens two."""
    head = range(statement_start(tokens, opener), opener)
    texts = [tokens[at].text for at in head]
    if "namespace" in texts:
        names = texts[texts.index("namespace") + 1 :]
        yield from (_Scope(n, is_class=False, opener=opener) for n in reversed(names) if n != "::")
    elif "(" not in texts:
        for at in reversed(head):
            if tokens[at].text in _CLASS_KEYS and tokens[at - 1].text not in ("<", ","):
                yield _Scope(tokens[at + 1].text, is_class=True, opener=opener)
                return


def _read_bases(found: _Found, tokens: Tokens, number: int) -> None:
    """Record the bases in `class name : public base {`."""
    at = number + 2
    if tokens[number + 1].kind != IDENT or tokens[at].text not in (":", "final"):
        return
    while at + 1 < len(tokens) and tokens[at].text not in ("{", ";", "("):
        if tokens[at].kind == IDENT and tokens[at].text not in _NO_BASE:
            found.bases.setdefault(tokens[number + 1].text, set()).add(tokens[at].text)
        at += 1


def _qualifier(tokens: Tokens, number: int) -> str:
    """Return the name in front of `::name`; past the arguments of a template; empty: none."""
    at = number - 2
    if at >= 0 and tokens[at].text == ">":
        depth = 0
        while at >= 0:
            depth += {">": 1, "<": -1}.get(tokens[at].text, 0)
            at -= 1
            if depth == 0:
                break
    return tokens[at].text if at >= 0 and tokens[at].kind == IDENT else ""


def _texts(tokens: Tokens, first: int, last: int) -> list[str]:
    return [token.text for token in tokens[max(first, 0) : last]]
