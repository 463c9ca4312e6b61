"""How an identifier that may be a namespace is used at one place."""

from enum import Enum, auto

from porting.rules.unit import Unit
from porting.syntax import IDENT

_KEYWORDS = frozenset(
    ("typedef", "typename", "return", "using", "const", "static", "else", "case", "new", "throw")
)
_TYPE_KEYS = frozenset(("struct", "class", "union", "enum"))


class Use(Enum):
    """What an occurrence of a namespace's name is."""

    QUALIFIER = auto()  # cub::X
    TARGET = auto()  # namespace a = cub; using namespace cub;
    OPENED = auto()  # namespace cub {
    OTHER = auto()  # a variable, a member, somebody else's namespace


def qualifier(unit: Unit, number: int) -> str:
    """Return the identifier before `::` in front of a token; empty for `::name` and `name`.

    In `typedef ::cub::Sum` and `hipError_t ::cub::f()` the `::` begins the name.
    """
    tokens = unit.tokens
    if number < 2 or tokens[number - 1].text != "::":  # noqa: PLR2004
        return ""
    before, colons = tokens[number - 2], tokens[number - 1]
    if before.kind != IDENT or before.text in _KEYWORDS:
        return ""
    apart, joined = before.end < colons.start, colons.end == tokens[number].start
    return "" if apart and joined else before.text


def use_of(unit: Unit, number: int) -> Use:
    """Tell how the namespace name at a token is used, whoever's namespace it is."""
    tokens = unit.tokens
    before = tokens[number - 1].text if number else ""
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if before in (".", "->"):
        return Use.OTHER
    if before == "namespace":
        using = number >= 2 and tokens[number - 2].text == "using"  # noqa: PLR2004
        return Use.TARGET if using else Use.OPENED
    if after == "::":
        return Use.QUALIFIER
    start = number
    while start >= 2 and tokens[start - 1].text == "::":  # noqa: PLR2004
        start -= 2 if tokens[start - 2].kind == IDENT else 1
    head = [t.text for t in tokens[max(start - 3, 0) : start]]
    if after == ";" and (_is_alias(head) or head[-2:] == ["using", "namespace"]):
        return Use.TARGET
    return Use.OTHER


def _is_alias(head: list[str]) -> bool:
    return len(head) == 3 and head[0] == "namespace" and head[2] == "="  # noqa: PLR2004


def declares(unit: Unit, name: str) -> bool:
    """Whether the file declares a namespace or type of that name itself."""
    keys = _TYPE_KEYS | {"namespace"}
    for number in unit.where(name):
        if number and unit.tokens[number - 1].text in keys:
            after = unit.tokens[number + 1].text if number + 1 < len(unit.tokens) else ""
            using = number >= 2 and unit.tokens[number - 2].text == "using"  # noqa: PLR2004
            if not using and after in ("{", ":", ";", "::"):
                return True
    return False


def includes(unit: Unit, *folders: str) -> bool:
    """Whether the file includes a header under one of these folders."""
    return any(header.path.startswith(folders) for header in unit.headers)


def opened(unit: Unit, namespace: str) -> bool:
    """Whether the file says `using namespace NAMESPACE`."""
    return any(
        use_of(unit, number) is Use.TARGET and unit.tokens[number - 1].text == "namespace"
        for number in unit.where(namespace)
    )


def aliases(unit: Unit, namespace: str) -> frozenset[str]:
    """Return the file's own names for a namespace (`namespace prim = cub;`)."""
    found = set()
    for number in unit.where(namespace):
        before = [t.text for t in unit.tokens[max(number - 4, 0) : number] if t.text != "::"]
        if _is_alias(before[-3:]):
            found.add(before[-2])
    return frozenset(found)
