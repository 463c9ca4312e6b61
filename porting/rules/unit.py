"""What a rule sees: one file with its tokens, the target, the names and facts about the tree."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count
from typing import Protocol

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Name, Names
from porting.rules.functions import Functions
from porting.rules.project import Project
from porting.source import SourceFile
from porting.syntax import (
    IDENT,
    RAW_STRING,
    STRING,
    Call,
    Conditionals,
    HeaderName,
    Lexed,
    Side,
    Token,
    Tokens,
    call_at,
    header_names,
    tokenize,
)

_PADDING = 4
_NO_CODE_IN = frozenset(("include", "include_next", "import", "error", "warning", "line"))
_IS_NAME = bytes(kind == IDENT for kind in range(256))
_IS_STRING = bytes(kind in (STRING, RAW_STRING) for kind in range(256))


@dataclass(frozen=True)
class Unit:
    """One C-family file, ready for the rules."""

    source: SourceFile
    target: Target
    names: Names
    project: Project = field(default_factory=Project)

    @cached_property
    def lexed(self) -> Lexed:
        """Tokens, comments and directives; a few empty tokens stand behind the last."""
        return tokenize(self.source.text, padding=_PADDING)

    @property
    def tokens(self) -> Tokens:
        """The tokens of the code."""
        return self.lexed.tokens

    @cached_property
    def conditionals(self) -> Conditionals:
        """The branches that belong to one platform."""
        return Conditionals(self.lexed, self.project.platform_macros)

    @cached_property
    def functions(self) -> Functions:
        """The function definitions and macro bodies."""
        return Functions(self.lexed)

    @cached_property
    def index(self) -> dict[str, list[int]]:
        """Identifier -> indices of its tokens, where a ROCm build and this port both look.

        Left out: branches for one platform, conditions that already name a ROCm macro, header
        names, the text of #error and #warning, and functions of the tree with a name of CUDA's.
        """
        found = self._live[0]
        own = self.project.own_functions
        for name in own.scopes.keys() & found.keys():
            places = own.without(self.lexed, found.pop(name), self.functions.around)
            if places:
                found[name] = places
        return found

    @cached_property
    def known(self) -> dict[str, Name]:
        """The identifiers of `index` that are in the name tables, in its order."""
        return self.names.among(self.index)

    @cached_property
    def _listed(self) -> str:
        return "\n".join(("", *self.index))

    def starting_with(self, *prefixes: str) -> list[str]:
        """Return the identifiers of `index` that start with one of these, in its order."""
        if not any("\n" + prefix in self._listed for prefix in prefixes):
            return []
        return [name for name in self.index if name.startswith(prefixes)]

    @cached_property
    def strings(self) -> list[int]:
        """Indices of the string literals in live code (see `index`), raw ones included."""
        return self._live[1]

    @cached_property
    def string_text(self) -> str:
        """The string literals in live code, one a line, to search all of them at once."""
        return "\n".join(map(self.tokens.words.__getitem__, self.strings))

    @cached_property
    def _live(self) -> tuple[dict[str, list[int]], list[int]]:
        kinds = bytearray(self.lexed.tokens.kinds)
        for number, directive in enumerate(self.lexed.directives):
            if directive.name in _NO_CODE_IN or number in self.conditionals.platform_directives:
                first = directive.first - 2  # the # and the name
                kinds[first : directive.last] = bytes(directive.last - first)
        for branch in self.conditionals.one_sided():
            hidden = self.tokens_in(branch.start, branch.end)
            kinds[hidden.start : hidden.stop] = bytes(len(hidden))
        identifiers: defaultdict[str, list[int]] = defaultdict(list)
        is_name = kinds.translate(_IS_NAME)
        names = compress(self.lexed.tokens.words, is_name)
        for text, number in zip(names, compress(count(), is_name), strict=True):
            identifiers[text].append(number)
        strings = list(compress(count(), kinds.translate(_IS_STRING)))
        return dict(identifiers), strings

    @cached_property
    def all_headers(self) -> tuple[HeaderName, ...]:
        """Every header name: in #include, __has_include, and macros made of one."""
        return header_names(self.source.text, self.lexed)

    @cached_property
    def headers(self) -> tuple[HeaderName, ...]:
        """The header names in live code (see `index`)."""
        skipped = self.conditionals.platform_directives
        return tuple(
            header
            for header in self.all_headers
            if header.directive not in skipped and self.is_live(header.start)
        )

    def where(self, name: str) -> Sequence[int]:
        """Return the token indices of an identifier in live code (see `index`)."""
        return self.index.get(name, ())

    @cached_property
    def launches(self) -> Sequence[int]:
        """Indices of the `<<<` in live code."""
        if "<<<" not in self.source.text:
            return ()
        found = self.lexed.tokens.find("<<<")
        return [number for number in found if self.is_live(self.tokens[number].start)]

    def calls(self, name: str) -> Iterator[Call]:
        """Yield the calls of a function, macro or function template in live code."""
        for number in self.where(name):
            call = call_at(self.tokens, number)
            if call is not None:
                yield call

    def text_of(self, first: int, last: int) -> str:
        """Return the source text from token `first` up to, not including, token `last`."""
        if first >= last:
            return ""
        return self.source.text[self.tokens[first].start : self.tokens[last - 1].end]

    def tokens_in(self, start: int, end: int) -> range:
        """Return the indices of the tokens that start in `[start, end)`."""
        tokens = self.lexed.tokens
        return range(tokens.first_from(start), tokens.first_from(end))

    def is_live(self, offset: int) -> bool:
        """Whether a place is outside the branches that only one platform compiles."""
        return self.conditionals.side(offset) is Side.BOTH

    def hold(self, token: Token) -> Edit:
        """Return an edit that changes nothing and keeps later rules from touching the token."""
        return Edit(token.start, token.end, self.source.text[token.start : token.end], token.text)

    def diagnose(  # noqa: PLR0913 - one for each field that is not the same everywhere
        self,
        code: Code,
        at: Token | int,
        message: str,
        *,
        help: str = "",  # noqa: A002 - the field's name in the report
        symbol: str = "",
        end: int | None = None,
        severity: Severity | None = None,
        edits: Sequence[Edit] = (),
    ) -> Diagnostic:
        """Return a diagnostic at a token or byte offset of this file.

        `end`: offset of the last byte it speaks of.  `severity`: instead of the code's own.
        """
        start = at if isinstance(at, int) else at.start
        position = self.source.position(start)
        return Diagnostic(
            file=self.source.path,
            line=position.line,
            column=position.column,
            code=code.code,
            topic=code.topic,
            severity=severity or code.severity,
            message=message,
            help=help,
            symbol=symbol or ("" if isinstance(at, int) else at.text),
            end_line=position.line if end is None else self.source.line_of(end),
            edits=tuple(edits),
        )


class Rule(Protocol):
    """A family of findings: yields plain renames as edits, everything else as diagnostics.

    Edits are as small as can be (a token, an insertion), so that families compose; a file that
    is already ported yields nothing.
    """

    def __call__(self, unit: Unit) -> Iterator[Edit | Diagnostic]:
        """Yield the findings of one file."""
        ...
