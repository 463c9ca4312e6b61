"""Identifiers that macros of the tree join from pieces: which macro, which pieces, which results.

Works on text, not on tokens, because it reads every file of a tree before any is ported.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from porting.syntax import looks_like_cuda

_COMMENT: Final = re.compile(
    r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?|(\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\")", re.DOTALL
)
# Each starts with a text that the engine can search for; `#include "x"` is none of them.
_JOINS: Final = tuple(
    map(
        re.compile,
        (
            r"##",
            r"%:%:",
            r"\"[ \t]*#[ \t]*\w",
            r"#[ \t]*(?!include|import|error|warn|line|prag)\w+[ \t]*\"",
        ),
    )
)
_DEFINE: Final = re.compile(r"\n[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)\n]*)\)[ \t]*(.*)")
_SPLICE: Final = re.compile(r"\\[ \t]*\r?\n")
_TOKEN: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|##|[A-Za-z_]\w*|\d\w*|\S")
_ARGUMENTS: Final = re.compile(r"\s*\(((?:[^()]|\([^()]*\))*)\)")
_BODY_CALL: Final = re.compile(rf"\b(\w+)\b{_ARGUMENTS.pattern}")
_WORD: Final = re.compile(r"\w+")
_DELIMITER: Final = re.compile(r"[(),]")
_CALLEE: Final = re.compile(r"(\w+)\s*\(")
_PREFIX: Final = re.compile(
    r"(?:cu|cuda|CU|CUDA|nvrtc|NVRTC|cublas|CUBLAS|cufft|curand|cusparse)\w*"
)
_DEPTH: Final = 4
_LIMIT: Final = 20_000  # joined names in one tree; a real table has hundreds


@dataclass(frozen=True, slots=True)
class Piece:
    """An operand of ##, or of a string next to #: its text, and the parameter it is (-1: none)."""

    text: str
    parameter: int


@dataclass(frozen=True, slots=True)
class Joint:
    """What a macro joins: by ## to an identifier, or by # and literals to a string."""

    pieces: tuple[Piece, ...]
    is_string: bool


@dataclass(frozen=True)
class Macro:
    """A macro with parameters: what it joins, and the calls in its body."""

    name: str
    parameters: tuple[str, ...]
    joints: tuple[Joint, ...]
    body: str

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every word of the body."""
        return frozenset(_WORD.findall(self.body))

    @cached_property
    def is_list(self) -> bool:
        """Whether the macro calls its own parameter: `#define LIST(X) X(a) X(b)`."""
        return not set(self.parameters).isdisjoint(_CALLEE.findall(self.body))

    @cached_property
    def calls(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The calls in the body: callee, and the texts of the arguments."""
        found = _BODY_CALL.finditer(self.body)
        return tuple((match[1], _split(match[2])) for match in found)


@dataclass(frozen=True)
class Paste:
    """What one joint came to in a tree: per use, the text of each piece.

    `is_direct`: every use is a call of the macro with the pieces as arguments, and the macro is
    defined once, so that a rewrite of the arguments reaches all of them.
    """

    macro: Macro
    joint: Joint
    formed: tuple[tuple[str, ...], ...]
    is_direct: bool

    @cached_property
    def by_name(self) -> dict[str, list[tuple[str, ...]]]:
        """The pieces that each name is joined from."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for texts in self.formed:
            found.setdefault("".join(texts), []).append(texts)
        return found


@dataclass
class _Uses:
    macros: dict[str, list[Macro]] = field(default_factory=dict)
    formed: dict[tuple[str, Joint], dict[tuple[str, ...], None]] = field(default_factory=dict)
    indirect: set[tuple[str, Joint]] = field(default_factory=set)
    seen: set[tuple[str, tuple[str, ...], bool]] = field(default_factory=set)
    count: int = 0


def collect_pastes(texts: Iterable[str]) -> tuple[Paste, ...]:
    """Return the joints of a tree's macros that join names that may be CUDA's."""
    texts = list(texts)
    uses = _Uses()
    plain: dict[int, str] = {}  # text by number, without comments and spliced lines
    for number, text in enumerate(texts):
        if "define" in text and any(joins.search(text) for joins in _JOINS):
            _read_macros(uses, plain, number, text)
    joining = {name for name, found in uses.macros.items() if any(m.joints for m in found)}
    if not joining:
        return ()
    reaching: set[str] = set()
    for _ in range(_DEPTH):
        more = _reaching(uses.macros, joining) - reaching
        if not more:
            break
        reaching |= more
        for number, text in enumerate(texts):
            if number not in plain and any(name in text for name in more):
                _read_macros(uses, plain, number, text)
    for text in plain.values():
        for name, arguments in _calls(text, reaching):
            _use(uses, name, arguments, depth=0)
    return tuple(_paste(uses, name, joint) for name, joint in uses.formed)


def _read_macros(uses: _Uses, plain: dict[int, str], number: int, text: str) -> None:
    plain[number] = _without_comments(text)
    for macro in _macros(plain[number]):
        uses.macros.setdefault(macro.name, []).append(macro)


def _paste(uses: _Uses, name: str, joint: Joint) -> Paste:
    macros = uses.macros[name]
    macro = next(macro for macro in macros if joint in macro.joints)
    is_direct = len(macros) == 1 and (name, joint) not in uses.indirect
    return Paste(macro, joint, tuple(uses.formed[name, joint]), is_direct)


def bare_parameters(macro: Macro) -> frozenset[int]:
    """Return the parameters that a macro's body uses other than by ## or #."""
    words = _TOKEN.findall(macro.body)
    found: set[int] = set()
    for at, word in enumerate(words):
        if word not in macro.parameters:
            continue
        around = (words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else "")
        if around[0] not in ("#", "##") and around[1] != "##":
            found.add(macro.parameters.index(word))
    return frozenset(found)


def _without_comments(text: str) -> str:
    """Return a text with a line end in front, for `_DEFINE`, without comments and line splices."""
    plain = _COMMENT.sub(lambda match: match[1] or " ", text) if "/" in text else text
    return "\n" + _SPLICE.sub(" ", plain)


def _macros(text: str) -> Iterator[Macro]:
    if "define" not in text:
        return
    for match in _DEFINE.finditer(text):
        parameters = tuple(p.strip() for p in match[2].split(",")) if match[2].strip() else ()
        joints = _joints(match[3], parameters) if "#" in match[3] else ()
        yield Macro(match[1], parameters, tuple(joints), match[3])


def _joints(body: str, parameters: Sequence[str]) -> Iterator[Joint]:
    """Yield what a macro's body joins."""
    words = _TOKEN.findall(body)
    at = 0
    while at < len(words):
        last = at
        while last + 2 < len(words) and words[last + 1] == "##":
            last += 2
        if last > at:
            yield Joint(_pieces(words[at : last + 1 : 2], parameters), is_string=False)
            at = last + 1
            continue
        if words[at][0] not in '"#':
            at += 1
            continue
        string, at = _string_at(words, at, parameters)
        if string is not None:
            yield string


def _string_at(
    words: Sequence[str], at: int, parameters: Sequence[str]
) -> tuple[Joint | None, int]:
    """Return the string with # in it that starts at a word, and where to go on."""
    start, pieces = at, []
    while at < len(words):
        if words[at].startswith('"'):
            pieces.append(Piece(words[at][1:-1], -1))
            at += 1
        elif words[at] == "#" and at + 1 < len(words) and words[at + 1] in parameters:
            pieces.append(Piece(words[at + 1], parameters.index(words[at + 1])))
            at += 2
        else:
            break
    if len(pieces) > 1 and any(piece.parameter >= 0 for piece in pieces):
        return Joint(tuple(pieces), is_string=True), at
    return None, max(at, start + 1)


def _pieces(words: Sequence[str], parameters: Sequence[str]) -> tuple[Piece, ...]:
    return tuple(Piece(w, parameters.index(w) if w in parameters else -1) for w in words)


def _reaching(macros: dict[str, list[Macro]], joining: set[str]) -> set[str]:
    """Return the macros from which a call leads to one that joins: by calls, or as a list."""
    reaching = set(joining)
    for _ in range(_DEPTH):
        found = {
            macro.name
            for overloads in macros.values()
            for macro in overloads
            if macro.is_list or not reaching.isdisjoint(macro.mentions)
        }
        if found <= reaching:
            break
        reaching |= found
    return reaching


def _words(macro: Macro) -> list[str]:
    return [p for p in macro.parameters if p.isidentifier()]


def _calls(text: str, names: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the calls of macros outside of definitions, with their arguments' texts."""
    wanted = sorted(name for name in names if name in text)
    code = _DEFINE.sub("", text) if wanted and "define" in text else text
    for name in wanted:
        at = code.find(name)
        while at >= 0:
            match = _ARGUMENTS.match(code, at + len(name))
            before = code[at - 1 : at]
            if match is not None and not (before.isalnum() or before == "_"):
                yield name, _split(match[1])
            at = code.find(name, match.end() if match is not None else at + 1)


def _split(arguments: str) -> tuple[str, ...]:
    if "," not in arguments:
        return (arguments.strip(),)
    found: list[str] = []
    depth = start = 0
    for match in _DELIMITER.finditer(arguments):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == "," and depth == 0:
            found.append(arguments[start : match.start()].strip())
            start = match.end()
    return (*found, arguments[start:].strip())


def _use(uses: _Uses, name: str, arguments: tuple[str, ...], depth: int) -> None:
    """Record what a call of a macro joins, itself and through the calls in its body."""
    if (name, arguments, depth > 0) in uses.seen:
        return
    uses.seen.add((name, arguments, depth > 0))
    for macro in uses.macros.get(name, ()):
        if uses.count > _LIMIT or depth > _DEPTH or len(arguments) < len(_words(macro)):
            return
        bound = dict(zip(macro.parameters, arguments, strict=False))
        for joint in macro.joints:
            _record(uses, name, joint, arguments, depth)
        for inner, texts in _inner_calls(uses, macro, bound):
            uses.count += 1
            _use(uses, inner, texts, depth + 1)


def _record(uses: _Uses, name: str, joint: Joint, arguments: tuple[str, ...], depth: int) -> None:
    texts = tuple(
        piece.text if piece.parameter < 0 else arguments[piece.parameter] for piece in joint.pieces
    )
    if not all(text.replace("_", "a").isalnum() for text in texts if text) and not joint.is_string:
        return
    whole = "".join(texts)
    concerns = looks_like_cuda(whole) or any(
        looks_like_cuda(text) or _PREFIX.fullmatch(text) for text in texts
    )
    if not concerns:
        return
    uses.count += 1
    uses.formed.setdefault((name, joint), {})[texts] = None
    if depth:
        uses.indirect.add((name, joint))


def _inner_calls(
    uses: _Uses, macro: Macro, bound: dict[str, str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the calls in a macro's body, with parameters replaced in callee and arguments."""
    for name, arguments in macro.calls:
        callee = bound.get(name, name)
        if callee in uses.macros:
            yield callee, tuple(bound.get(text, text) for text in arguments)
