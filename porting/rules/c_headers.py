"""The C headers that nvcc's own include gave a .cu file, and HIP's does not give it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from porting.rules.runtime_header import brings_runtime
from porting.source import SourceFile
from porting.syntax import IDENT, Lexed, header_names, scopes, tokenize
from porting.syntax.words import words

# What crt/common_functions.h and crt/host_defines.h of CUDA 13.0 include, for what calls it.  The
# names of string.h that trees give to functions of their own (index, basename) are left out.
_FUNCTIONS: Final = {
    "string.h": words(
        "memcpy memset memmove memccpy memcmp memchr memrchr memmem mempcpy rawmemchr"
        " strcpy strncpy strcat strncat strcmp strncmp strcoll strxfrm strdup strndup strchr"
        " strrchr strchrnul strcspn strspn strpbrk strstr strcasestr strtok strtok_r strsep strlen"
        " strnlen strerror strerror_r strsignal strcasecmp strncasecmp stpcpy stpncpy strverscmp"
        " bcmp bcopy bzero explicit_bzero ffsl ffsll"
    ),
    "stdio.h": words(
        "printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts fputs putchar"
        " fputc putc fopen fclose fread fwrite fgets fgetc getc getchar fseek ftell rewind fflush"
        " feof ferror perror scanf fscanf sscanf remove rename tmpfile setvbuf popen pclose fileno"
    ),
    "time.h": words(
        "time clock difftime mktime strftime localtime gmtime ctime asctime clock_gettime nanosleep"
    ),
    "ctype.h": words(
        "isalpha isdigit isalnum isspace isupper islower ispunct isprint isxdigit iscntrl isgraph"
        " toupper tolower"
    ),
    "assert.h": words("assert"),
}
_HEADER_OF: Final = {name: header for header, names in _FUNCTIONS.items() for name in names}
_CALL: Final = re.compile(rf"\b({'|'.join(sorted(_HEADER_OF, key=len, reverse=True))})\s*\(")
_INCLUDE: Final = re.compile(r"#[ \t]*(?:include|import)[ \t]*([<\"])([^>\"\n]+)[>\"]")
_STRING: Final = "string.h"
# hip/hip_runtime.h of ROCm 7.1 brings them all but string.h.
_OF_RUNTIME: Final = frozenset(_FUNCTIONS) - {_STRING}
_OF_TORCH: Final = ("torch/", "ATen/", "c10/")
_BEFORE_A_CALL: Final = frozenset(("return", "else", "do", "case", "co_return"))


@dataclass(frozen=True)
class _Line:
    """An #include of a header, or a call of a function that a header declares."""

    at: int
    text: str
    is_include: bool = False
    is_quoted: bool = False


@dataclass
class _Seen:
    """What a compiler has read on its way through a .cu file."""

    brought: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def missing_headers(
    sources: Sequence[SourceFile], resolve: Callable[[str, str, bool], str | None]
) -> dict[str, tuple[str, ...]]:
    """Return for every .cu file the C headers that it, or what it includes, needs unasked.

    `resolve`: gives the tree's file for an includer, a header, and whether it stands in quotes.
    """
    texts = {source.path: _Text(source.text) for source in sources}
    found = {}
    for source in sources:
        if source.suffix == ".cu":
            seen = _Seen()
            _read(source.path, texts, resolve, seen)
            if seen.needed:
                found[source.path] = tuple(sorted(seen.needed))
    return found


def without_runtime(headers: Sequence[str]) -> tuple[str, ...]:
    """Return those of some C headers that HIP's runtime header does not bring."""
    return tuple(header for header in headers if header not in _OF_RUNTIME)


def _read(
    path: str,
    texts: Mapping[str, "_Text"],
    resolve: Callable[[str, str, bool], str | None],
    seen: _Seen,
) -> None:
    """Follow one file, and those that it includes, in the order of the lines."""
    seen.files.add(path)
    for line in texts[path].lines(seen.brought | seen.needed):
        if not line.is_include:
            header = _HEADER_OF[line.text]
            if header not in seen.brought:
                seen.needed.add(header)
            continue
        own = resolve(path, line.text, line.is_quoted)
        if own is None:
            seen.brought.update(_brought(line.text))
        elif own in texts and own not in seen.files:
            _read(own, texts, resolve, seen)


def _brought(header: str) -> frozenset[str]:
    """Return the C headers that come with one from outside the tree."""
    if header.startswith(_OF_TORCH):
        return frozenset(_FUNCTIONS)
    if brings_runtime(header):
        return _OF_RUNTIME
    in_c = f"{header.removeprefix('c')}.h" if header.startswith("c") else header
    in_c = {"strings.h": _STRING, "memory.h": _STRING}.get(header, in_c)
    return frozenset((header, in_c)) & _FUNCTIONS.keys()


class _Text:
    """One file; its tokens are read only where a call may ask for a header."""

    def __init__(self, text: str) -> None:
        self._text = text

    def lines(self, known: set[str]) -> Sequence[_Line]:
        """Return the lines that matter where some headers are there or asked for already."""
        return self._includes if self._called <= known else self._all

    @cached_property
    def _called(self) -> frozenset[str]:
        """The headers of what the text, comments included, seems to call."""
        return frozenset(_HEADER_OF[match[1]] for match in _CALL.finditer(self._text))

    @cached_property
    def _includes(self) -> Sequence[_Line]:
        text = self._text
        return [
            _Line(match.start(), match[2], is_include=True, is_quoted=match[1] == '"')
            for match in _INCLUDE.finditer(text)
            if not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t")
        ]

    @cached_property
    def _all(self) -> Sequence[_Line]:
        return _read_by_tokens(self._text)


def _read_by_tokens(text: str) -> list[_Line]:
    lexed = tokenize(text, padding=2)
    reach = scopes(lexed.directives)
    everywhere = ((), (0,)) if _has_guard(lexed) else ((),)
    found = [
        _Line(header.start, header.path, is_include=True, is_quoted=header.quoted)
        for header in header_names(text, lexed)
        if header.is_include and reach[header.directive] in everywhere
    ]
    found += [
        _Line(token.start, token.text)
        for number, token in enumerate(lexed.tokens)
        if token.kind == IDENT and token.text in _HEADER_OF and _is_call(lexed, number)
    ]
    return sorted(found, key=lambda line: line.at)


def _has_guard(lexed: Lexed) -> bool:
    """Whether a file begins as headers do that are read once."""
    names = [directive.name for directive in lexed.directives[:2]]
    return names == ["ifndef", "define"]


def _is_call(lexed: Lexed, number: int) -> bool:
    """Whether a name is that of C's function, and called: no member, no declaration."""
    if lexed.tokens[number + 1].text != "(":
        return False
    before = [lexed.tokens[at] for at in range(max(number - 2, 0), number)]
    if not before or before[-1].text in _BEFORE_A_CALL:
        return True
    if before[-1].text == "::":
        return not before[:-1] or before[0].kind != IDENT or before[0].text in _BEFORE_A_CALL
    return before[-1].text not in (".", "->") and before[-1].kind != IDENT
