"""Split C, C++ and CUDA source into tokens: in bulk, a column at a time.

A loop over tokens in Python costs more than all the rules together, so the text is cut by one
`findall`, and places, words and kinds are computed for whole columns.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, compress, count
from operator import itemgetter
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
    r"[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]*+(?![\"'\\])"
    r"|[(){}\[\];,~?]"
    r"|[-+*=&|!<>:^.](?=[ \nA-Za-z_(])"
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

_SLASHES: Final = bytes(chr(character) in "/\\" for character in range(256))


def _kind_table() -> bytes:
    """Return the kind of a word by its first character; `_kind_of` knows the exceptions."""
    table = bytearray([PUNCT]) * 256
    for character in range(256):
        if character >= 0x80 or chr(character).isalpha() or chr(character) in "_$":  # noqa: PLR2004
            table[character] = IDENT
    for digit in b"0123456789":
        table[digit] = NUMBER
    table[ord('"')] = STRING
    table[ord("'")] = CHAR
    return bytes(table)


_KINDS: Final = _kind_table()
# Whether the first character leaves open what a word is: its kind, or a digraph.
_ODD: Final = bytes(chr(character) in "'.uULR%<:" for character in range(256))


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
    firsts = bytearray("".join(map(itemgetter(0), words)).encode("latin-1"))
    comments = _take_comments(firsts, words, ends)
    odd = frozenset(compress(words, firsts.translate(_ODD)))
    kinds = _kinds(firsts, words, odd)
    raws = words
    if "\\" in text and ("\\\n" in text or "\\\r\n" in text):
        words = [
            _SPLICE.sub("", word) if "\\" in word and kind == IDENT else word
            for word, kind in zip(words, kinds, strict=True)
        ]
    if not odd.isdisjoint(_DIGRAPHS):
        words = [_DIGRAPHS.get(word, word) for word in words]
        firsts = bytearray("".join(map(itemgetter(0), words)).encode("latin-1"))
    directives, marks = _directives(text, words, raws, ends, firsts, comments)
    last = ends[-1] if ends else 0
    if raws is not words:
        raws += [""] * padding
    words += [""] * padding
    ends += [last] * padding
    marks += [-1] * padding
    kinds += bytes([END]) * padding
    tokens = Tokens(bytes(kinds), words, raws, ends, marks, bytes(firsts) + bytes(padding))
    return Lexed(tokens, comments, directives)


def _take_comments(firsts: bytearray, words: list[str], ends: list[int]) -> tuple[Comment, ...]:
    """Take comments and line splices out of the columns; return the comments."""
    comments: list[Comment] = []
    dropped: list[int] = []
    for at in compress(count(), firsts.translate(_SLASHES)):
        word = words[at]
        if word.startswith(("//", "/*")):
            comments.append(Comment(word, ends[at] - len(word), ends[at]))
            dropped.append(at)
        elif word[0] == "\\":
            dropped.append(at)
    if dropped:
        for column in (firsts, words, ends):
            _drop(column, dropped)
    return tuple(comments)


def _kinds(firsts: bytearray, words: Sequence[str], odd: Iterable[str]) -> bytearray:
    """Return the kind of every word: by its first character, which is nearly always enough."""
    kinds = firsts.translate(_KINDS)
    known = {word: _kind_of(word) for word in odd}
    if any(kind != _KINDS[ord(word[0])] for word, kind in known.items()):
        for at in compress(count(), firsts.translate(_ODD)):
            kinds[at] = known[words[at]]
    return kinds


def _kind_of(word: str) -> int:
    """Return the kind of a word that starts like a number, or like the prefix of a literal."""
    if word[0] == ".":
        return NUMBER if word[1:2].isdigit() else PUNCT
    if word == "'" or word[0] in "%<:":
        return PUNCT
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
    kept += column[after:]
    column[:] = kept


def _directives(  # noqa: PLR0913, PLR0917 - the columns that it reads
    text: str,
    words: Sequence[str],
    raws: Sequence[str],
    ends: Sequence[int],
    firsts: bytearray,
    comments: Iterable[Comment],
) -> tuple[tuple[Directive, ...], list[int]]:
    """Return the directives, and for every token the index of its directive or -1."""
    marks = [-1] * len(words)
    found: list[Directive] = []
    # The places of the comments that hold line ends.
    carried = [(c.start, c.end) for c in comments if "\n" in c.text]
    at = 0
    while (first := firsts.find(b"#", at)) >= 0:
        at = first + 1
        start = ends[first] - len(raws[first])
        if words[first] != "#" or not _starts_line(text, start, ends[first - 1] if first else 0):
            continue
        end, last = _line_end(text, raws, ends, carried, first)
        marks[first:last] = [len(found)] * (last - first)
        has_name = at < last and _KINDS[firsts[at]] == IDENT
        name = words[at] if has_name else ""
        found.append(Directive(name, start, end, min(first + 2, len(words)), last))
        at = last
    return tuple(found), marks


def _starts_line(text: str, hash_at: int, before: int) -> bool:
    """Whether no token stands in front of a `#` on its line, continued lines being one."""
    line = text.rfind("\n", before, hash_at)
    while line > 0 and text[max(line - 2, 0) : line].rstrip("\r").endswith("\\"):
        line = text.rfind("\n", before, line)
    return line >= 0 or before == 0


def _line_end(
    text: str,
    raws: Sequence[str],
    ends: Sequence[int],
    carried: Sequence[tuple[int, int]],
    first: int,
) -> tuple[int, int]:
    """Return where the line of a directive ends, as an offset and as the first token behind it.

    Comments and literals may carry the line on.
    """
    at = ends[first]
    while (end := text.find("\n", at)) >= 0:
        behind = bisect_right(ends, end, first)
        comment = bisect_right(carried, (end, 0)) - 1
        if behind < len(ends) and ends[behind] - len(raws[behind]) < end:
            at = ends[behind]
        elif comment >= 0 and carried[comment][1] > end:
            at = carried[comment][1]
        elif text[at:end].rstrip(" \t\r").endswith("\\"):
            at = end + 1
        else:
            return end, behind
    return len(text), len(ends)
