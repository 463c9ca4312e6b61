"""Which names of a build script stand for CUDA's folders: a simple flow from strings to names."""

from porting.buildfiles.cargo.script import Range, Script, inline_names
from porting.buildfiles.cargo.texts import is_of_cuda
from porting.headers.rust.lexer import Kind
from porting.rules.strings.machine import is_home

_NO_NAMES = frozenset(("let", "mut", "if", "while", "for", "in", "Some", "Ok", "Err", "ref"))
_ROUNDS = 4  # longer chains of names are nobody's build script


def tainted_names(script: Script) -> frozenset[str]:
    """Return the names that are bound to something with CUDA's folder in it, or return it."""
    found: set[str] = set()
    for number, text in script.texts():
        if is_of_cuda(text):
            found |= _bound_by(script, number)
    for _ in range(_ROUNDS):
        before = len(found)
        for number in range(len(script.tokens)):
            if uses(script, Range(number, number + 1), found):
                found |= _bound_by(script, number)
        if len(found) == before:
            break
    return frozenset(found)


def uses(script: Script, where: Range, names: frozenset[str] | set[str]) -> bool:
    """Whether code reads one of the names, in a format string too."""
    for number in range(*where):
        token = script.tokens[number]
        if token.kind is Kind.IDENT and token.name in names:
            return True
        if script.is_text(number) and any(n in names for n in inline_names(script.value(number))):
            return True
    return False


def enclosing_function(script: Script, number: int) -> tuple[str, int]:
    """Return the name of the function around a token and the number of its body's brace."""
    at = number
    while at >= 0:
        if script.tokens[at].text == "{" and script.partner.get(at, 0) > number:
            name = _function_before(script, at)
            if name:
                return name, at
        at -= 1
    return "", -1


def _function_before(script: Script, brace: int) -> str:
    """Return the name of the function whose body begins at a brace, "" for another block."""
    for at in range(brace - 1, -1, -1):
        text = script.tokens[at].text
        if text in ("{", "}", ";"):
            return ""
        if text == "fn":
            return script.tokens[at + 1].name
    return ""


def _bound_by(script: Script, number: int) -> set[str]:
    """Return the names that take what the code at a token makes."""
    statement = script.statement(number)
    names: set[str] = set()
    for at in range(statement.first, number):
        token = script.tokens[at]
        if token.text == "=" or (token.text == "in" and names):
            break
        if token.kind is Kind.IDENT and token.name not in _NO_NAMES:
            names.add(token.name)
    else:
        names = set()
    head = script.tokens[statement.first].text
    if head not in ("let", "if", "while", "for"):
        names = set()
    function, _ = enclosing_function(script, number)
    is_tail = script.tokens[statement.end - 1].text != ";"
    if function not in ("", "main") and (is_tail or head == "return"):
        names.add(function)
    return names


def home_name(script: Script, number: int) -> tuple[str, bool]:
    """Return the variable with CUDA's folder at a token, and whether it is a path; ("", False).

    It must be bound before, in the same function, and not be given away on the way.
    """
    _, body = enclosing_function(script, number)
    for at, text in script.texts():
        if not body < at < number or not is_home(text):
            continue
        statement = script.statement(at)
        head = [t.text for t in script.tokens[statement.first : statement.first + 4]]
        head = [word for word in head if word != "mut"]
        if head[0] != "let" or head[2] not in ("=", ":"):
            continue
        name = head[1]
        if not _is_given_away(script, Range(statement.end, number), name):
            return name, "Path" in script.text(statement)
    return "", False


def _is_given_away(script: Script, where: Range, name: str) -> bool:
    return any(
        script.tokens[at].text == name
        and script.tokens[at - 1].text in ("(", ",", "=")
        and script.tokens[at + 1].text in (")", ",", ";")
        for at in range(*where)
    )
