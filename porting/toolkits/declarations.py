"""Function declarations of a preprocessed C header: a scanner, not a parser of all of C."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
_FUNCTION = re.compile(
    r"(?P<result>(?:const\s+|struct\s+|enum\s+|unsigned\s+)*\w+[\s*]+)(?P<name>\w+)\s*"
    r"\((?P<parameters>.*)\)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Function:
    """A declared C function; `result` and `parameters` as the header writes them."""

    result: str
    name: str
    parameters: str

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters, where they have one."""
        names = (re.search(r"(\w+)\s*(?:\[\w*\])?$", p.strip()) for p in self.parameters.split(","))
        return [match[1] for match in names if match]


def functions(text: str) -> Iterator[Function]:
    """Yield every function that preprocessed C `text` declares at its outermost level."""
    for statement in _statements(text):
        bare = _ATTRIBUTE.sub(" ", statement).strip().removeprefix("extern ")
        match = _FUNCTION.fullmatch(bare)
        if match and not bare.startswith(("typedef", "static", "return")):
            yield Function(" ".join(match["result"].split()), match["name"], match["parameters"])


def enumerators(text: str, enum: str) -> list[str]:
    """Return the names of `typedef enum enum { ... } enum;` in order."""
    match = re.search(rf"enum\s+{enum}\s*\{{([^}}]*)\}}", text)
    if match is None:
        return []
    items = (re.match(r"\s*(\w+)", item) for item in match[1].split(","))
    return [item[1] for item in items if item]


def _statements(text: str) -> Iterator[str]:
    """Yield what stands between semicolons outside braces; a brace body ends its statement."""
    start = depth = 0
    for match in re.finditer(r"[{};]", text):
        mark = match[0]
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0 and not _is_type(text[start : match.start()]):
                start = match.end()
        elif depth == 0:
            yield text[start : match.start()]
            start = match.end()


def _is_type(text: str) -> bool:
    """Whether an open brace belongs to a type, whose statement goes on after the brace."""
    head = text.partition("{")[0]
    return bool(re.search(r"\b(struct|union|enum)\b", head)) and ")" not in head
