"""The token stream and what can be read from it without a compiler."""

from porting.syntax.calls import (
    Argument,
    Call,
    call_at,
    callee_of,
    enclosing_bracket,
    match_angle,
    match_bracket,
    split_arguments,
    statement_end,
    statement_start,
)
from porting.syntax.conditionals import Branch, Conditionals, Side, chains, condition_holds, scopes
from porting.syntax.declarations import NOT_A_TYPE, declared_names, declares
from porting.syntax.expressions import Truth, evaluate
from porting.syntax.includes import INCLUDE_DIRECTIVES, HeaderName, header_names
from porting.syntax.lexer import tokenize
from porting.syntax.shape import has_trace_of_cuda, looks_like_cuda
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
    Tokens,
)

__all__ = [
    "CHAR",
    "IDENT",
    "INCLUDE_DIRECTIVES",
    "NOT_A_TYPE",
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
    "HeaderName",
    "Lexed",
    "Side",
    "Token",
    "Tokens",
    "Truth",
    "call_at",
    "callee_of",
    "chains",
    "condition_holds",
    "declared_names",
    "declares",
    "enclosing_bracket",
    "evaluate",
    "has_trace_of_cuda",
    "header_names",
    "looks_like_cuda",
    "match_angle",
    "match_bracket",
    "scopes",
    "split_arguments",
    "statement_end",
    "statement_start",
    "tokenize",
]
