"""The token stream and what can be read from it without a compiler."""

from porting.syntax.calls import (
    Argument,
    Call,
    call_at,
    match_angle,
    match_bracket,
    split_arguments,
    statement_end,
    statement_start,
)
from porting.syntax.conditionals import Branch, Conditionals, Side
from porting.syntax.declarations import declared_names
from porting.syntax.tokens import (
    CHAR,
    IDENT,
    NUMBER,
    PUNCT,
    RAW_STRING,
    STRING,
    Comment,
    Directive,
    Lexed,
    Token,
    tokenize,
)

__all__ = [
    "CHAR",
    "IDENT",
    "NUMBER",
    "PUNCT",
    "RAW_STRING",
    "STRING",
    "Argument",
    "Branch",
    "Call",
    "Comment",
    "Conditionals",
    "Directive",
    "Lexed",
    "Side",
    "Token",
    "call_at",
    "declared_names",
    "match_angle",
    "match_bracket",
    "split_arguments",
    "statement_end",
    "statement_start",
    "tokenize",
]
