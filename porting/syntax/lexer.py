"""Split C, C++ and CUDA source into tokens: in bulk, a column at a time.

A loop over tokens in Python costs more than all the rules together, so the text is cut by one
`findall`, and places, words and kinds are computed for whole columns.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import itemgetter, sub
from typing import Any, Final

from porting.syntax.tokens import (
    CHAR,
    END,
    IDENT,
    NUMBER,
    PUNCT,
    RAW_STRING,
    STRING,
    Comment,
    Directive,
    Lexed,
    Tokens,
)

_BLANKS: Final = " \t\r\n\f\v"
_UNICODE_BLANKS: Final = "\x85\xa0\x1c\x1d\x1e\x1f"  # what lstrip() takes off besides _BLANKS
# One token with the white space in front of it.  Every character is matched by some alternative,
# so the pieces cover the text; white space at its end is a piece without a word.  The common
# alternatives come first, and nearly all start with a character or a set of them, which lets the
# engine skip them at once.  An identifier in front of a quote or a line splice is left to the
# slower alternatives: it may be the prefix of a literal.
_PIECE_TEXT: Final = (
    r"[ \t\r\n\f\v]*+(?:"
    r"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+(?![\"'\\])"
    r"|[(){}\[\];,~?]"
    r"|\d(?:[eEpP][+-]|'(?=\w)|[\w.])*"
    r"|//[^\\\n]*(?:\\(?:\r?\n)?[^\\\n]*)*|(?s:/\*.*?(?:\*/|\Z))"
    r"|\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?"
    r"|'(?:[^'\\\n]|\\(?:\r\n|.|\n))+'"
    r"|\\[ \t]*\r?\n"
    r"|\.\d(?:[eEpP][+-]|'(?=\w)|[\w.])*"
    r"|(?:u8|[uUL])R?\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?"
    r"|R\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?"
    r"|(?:u8|[uUL])'(?:[^'\\\n]|\\(?:\r\n|.|\n))+'"
    r"|[A-Za-z_$\x80-\xff](?:[\w$\x80-\xff]|\\\r?\n(?=\w))*"
    r"|<<<|>>>|<<=|>>=|->\*|\.\.\.|<=>|%:%:|\+\+|--|->|<<|>>|&&|\|\||::|##|%:|<%|%>|:>"
    r"|<:(?!:[^:>])|[-+*/%&|^<>=!]=|[^ \t\r\n\f\v]|\Z)"
)
_PIECE: Final = re.compile(_PIECE_TEXT)
# The same with raw strings, whose delimiter takes a group, which makes `findall` slow.
_RAW: Final = r"(?:u8|[uUL])?R\"(?P<d>[^\s()\\]{0,16})\((?s:.*?)\)(?P=d)\""
_PIECE_OR_RAW: Final = re.compile(_PIECE_TEXT.replace("(?:", f"(?:{_RAW}|", 1))
_RAW_STRING: Final = re.compile(_RAW)
_LITERAL: Final = re.compile(r"(?:u8|[uUL])?R?([\"'])")
_BOM: Final = "\xef\xbb\xbf"
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")  # ends a line too, as for clang
_SPLICE: Final = re.compile(r"\\\r?\n")
_DIGRAPHS: Final = {"%:": "#", "%:%:": "##", "<%": "{", "%>": "}", "<:": "[", ":>": "]"}
_HALVES: Final = ("<%", "%>", "<:", ":>", "%:")  # each digraph holds one

_OPEN: Final = 0  # the kind of a word whose first character does not tell it


def _kind_table() -> bytes:
    table = bytearray([PUNCT]) * 256
    for character in range(256):
        if character >= 0x80 or chr(character).isalpha() or chr(character) in "_$":  # noqa: PLR2004
            table[character] = IDENT
    for digit in b"0123456789":
        table[digit] = NUMBER
    for character in b"/\\'.uULR":
        table[character] = _OPEN
    table[ord('"')] = STRING
    return bytes(table)


_KINDS: Final = _kind_table()
_OPEN_KIND: Final = re.compile(re.escape(bytes([_OPEN])))


def tokenize(text: str, padding: int = 0) -> Lexed:
    """Split source text into tokens, comments and directives.

    `padding`: number of empty tokens of kind END behind the last one, so that whoever looks a few
    tokens ahead finds something there, in a fragment too that breaks off.

    Never fails: an unterminated string or comment ends where the line or the file ends.
    Digraphs and continued lines are read as the standard says ([lex.phases], [lex.digraph]);
    trigraphs, which C++17 removed, are not.
    """
    begin = len(_BOM) if text.startswith(_BOM) else 0
    if "\r" in text:
        text = _LONE_RETURN.sub("\n", text)
    if 'R"' in text:
        pieces = [match[0] for match in _PIECE_OR_RAW.finditer(text, begin)]
    else:
        pieces = _PIECE.findall(text, begin)
    ends = list(accumulate(map(len, pieces), initial=begin))
    del ends[0]
    if any(blank in text for blank in _UNICODE_BLANKS):
        words = [piece.lstrip(_BLANKS) for piece in pieces]
    else:
        words = list(map(str.lstrip, pieces))
    while words and not words[-1]:
        del words[-1], ends[-1]
    starts = list(map(sub, ends, map(len, words)))
    kinds = bytearray("".join(map(itemgetter(0), words)).encode("latin-1").translate(_KINDS))
    comments = _settle(kinds, words, starts, ends)
    if "\\\n" in text or "\\\r\n" in text:
        for at in [at for at, word in enumerate(words) if "\\" in word]:
            if kinds[at] == IDENT:
                words[at] = _SPLICE.sub("", words[at])
    if any(digraph in text for digraph in _HALVES):
        words = [_DIGRAPHS.get(word, word) for word in words]
    directives, marks = _directives(text, words, starts, ends, comments)
    last = ends[-1] if ends else 0
    kinds += bytes([END]) * padding
    words += [""] * padding
    starts += [last] * padding
    ends += [last] * padding
    marks += [-1] * padding
    tokens = Tokens.of_columns(bytes(kinds), words, starts, ends, marks)
    return Lexed(tokens, comments, directives)


def _settle(
    kinds: bytearray, words: list[str], starts: list[int], ends: list[int]
) -> tuple[Comment, ...]:
    """Settle the open kinds, take comments and splices out of the columns, return the comments."""
    comments: list[Comment] = []
    dropped: list[int] = []
    for match in _OPEN_KIND.finditer(kinds):
        at = match.start()
        word = words[at]
        first = word[0]
        if first == "/":
            if word[1:2] in ("/", "*"):
                comments.append(Comment(word, starts[at], ends[at]))
                dropped.append(at)
            kinds[at] = PUNCT
        elif first == "\\":
            dropped.append(at)
        elif first == "'":
            kinds[at] = CHAR if len(word) > 1 else PUNCT
        elif first == ".":
            kinds[at] = NUMBER if word[1:].isalnum() or word[1:2].isdigit() else PUNCT
        else:
            kinds[at] = _kind_of_word(word)
    if dropped:
        for column in (kinds, words, starts, ends):
            _drop(column, dropped)
    return tuple(comments)


def _kind_of_word(word: str) -> int:
    """Return the kind of a word that starts like the prefix of a literal."""
    if '"' not in word and "'" not in word:
        return IDENT
    quote = _LITERAL.match(word)
    if quote is None:
        return IDENT
    if _RAW_STRING.fullmatch(word):
        return RAW_STRING
    return STRING if quote[1] == '"' else CHAR


def _drop(column: Any, places: Sequence[int]) -> None:  # noqa: ANN401 - a list or a bytearray
    kept = column[:0]
    after = 0
    for place in places:
        kept += column[after:place]
        after = place + 1
    column[:] = kept + column[after:]


def _directives(
    text: str,
    words: Sequence[str],
    starts: Sequence[int],
    ends: Sequence[int],
    comments: Sequence[Comment],
) -> tuple[tuple[Directive, ...], list[int]]:
    """Return the directives, and for every token the index of its directive or -1."""
    marks = [-1] * len(words)
    found: list[Directive] = []
    carried = _carried(comments)
    at = 0
    while (first := _next_hash(words, at)) is not None:
        at = first + 1
        if not _starts_line(text, starts[first], ends[first - 1] if first else 0):
            continue
        end = _line_end(text, starts, ends, carried, starts[first])
        at = last = bisect_left(starts, end, at)
        marks[first:last] = [len(found)] * (last - first)
        has_name = first + 1 < last and _KINDS[ord(words[first + 1][0])] in (IDENT, _OPEN)
        name = words[first + 1] if has_name else ""
        found.append(Directive(name, starts[first], end, min(first + 2, len(words)), last))
    return tuple(found), marks


def _carried(comments: Iterable[Comment]) -> list[tuple[int, int]]:
    """Return the places of the comments that hold line ends."""
    return [(c.start, c.end) for c in comments if "\n" in c.text]


def _next_hash(words: Sequence[str], at: int) -> int | None:
    try:
        return words.index("#", at)
    except ValueError:
        return None


def _starts_line(text: str, hash_at: int, before: int) -> bool:
    """Whether no token stands in front of a `#` on its line, continued lines being one."""
    line = text.rfind("\n", before, hash_at)
    while line > 0 and text[max(line - 2, 0) : line].rstrip("\r").endswith("\\"):
        line = text.rfind("\n", before, line)
    return line >= 0 or before == 0


def _line_end(
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    carried: Sequence[tuple[int, int]],
    at: int,
) -> int:
    """Return where the line of a directive ends, which comments and literals may carry on."""
    while (end := text.find("\n", at)) >= 0:
        token = bisect_right(starts, end) - 1
        comment = bisect_right(carried, (end, 0)) - 1
        if ends[token] > end:
            at = ends[token]
        elif comment >= 0 and carried[comment][1] > end:
            at = carried[comment][1]
        elif text[at:end].rstrip(" \t\r").endswith("\\"):
            at = end + 1
        else:
            return end
    return len(text)
