"""Find the items of a Rust file: a walk over its tokens that passes over what it does not know."""

from collections.abc import Iterator, Sequence

from porting.headers.rust.items import (
    STRINGS,
    Alias,
    Attribute,
    Constant,
    Enumeration,
    ForeignBlock,
    Function,
    Items,
    Parameter,
    Record,
    Use,
)
from porting.headers.rust.lexer import Kind, Token, string_value, tokens
from porting.headers.rust.spelling import OPEN, bracketed, spell, split


def read_items(text: str) -> Items:
    """Return the items of a file; what is no item, or not understood, is passed over."""
    found = Items()
    _Reader(tokens(text), found).items()
    return found


class _Reader:
    """Walks over the tokens of a file, item by item."""

    def __init__(self, code: Sequence[Token], found: Items) -> None:
        self.code = code
        self.found = found
        self.at = 0

    def word(self, ahead: int = 0) -> str:
        """Return the text of a token ahead, empty past the end."""
        index = self.at + ahead
        return self.code[index].text if index < len(self.code) else ""

    def items(self) -> None:
        """Read items to the end."""
        attributes: list[Attribute] = []
        while self.at < len(self.code):
            if self.word() == "#":
                attributes += self.attribute()
                continue
            self.pass_visibility()
            self.item(tuple(attributes))
            attributes = []

    def attribute(self) -> list[Attribute]:
        inner = self.word(1) == "!"
        start = self.at + 1 + inner
        if start >= len(self.code) or self.code[start].text != "[":
            self.at += 1
            return []
        end = bracketed(self.code, start)
        attribute = Attribute(tuple(self.code[start + 1 : end]), inner)
        self.found.attributes.append(attribute)
        self.at = end + 1
        return [attribute]

    def pass_visibility(self) -> None:
        if self.word() != "pub":
            return
        self.at += 1
        if self.word() == "(" and self.word(1) in ("crate", "super", "self", "in"):
            self.at = bracketed(self.code, self.at) + 1

    def item(self, attributes: tuple[Attribute, ...]) -> None:
        """Read one item, or pass over one token or one statement."""
        match self.word():
            case "use":
                self.use()
            case "type" if self.word(2) in ("=", "<", ":"):
                self.alias()
            case "const" | "static" if self.word(2) == ":" or self.word(1) == "mut":
                self.constant()
            case "struct" | "union" if self.word(2) in ("{", "<"):
                self.record(attributes)
            case "enum":
                self.enumeration()
            case "mod" if self.word(2) in ("{", ";"):
                self.found.modules.append(self.code[self.at + 1])
                self.at += 3  # its items are read as the file's own
            case "unsafe" | "extern":
                self.foreign_block(attributes)
            case "macro_rules":
                self.at = self.skip_to("{") + 1
                self.at = bracketed(self.code, self.at - 1) + 1
            case "fn":
                self.function_body()
            case _:
                self.at += 1

    def skip_to(self, mark: str) -> int:
        for index in range(self.at, len(self.code)):
            if self.code[index].text == mark:
                return index
        return len(self.code)

    def statement(self) -> tuple[Token, ...]:
        """Return the tokens up to the `;` that ends the statement, and step past it."""
        start = self.at
        while self.at < len(self.code) and self.word() != ";":
            self.at = bracketed(self.code, self.at) + 1 if self.word() in OPEN else self.at + 1
        self.at += 1
        return tuple(self.code[start : self.at - 1])

    def function_body(self) -> None:
        """Step into a function: items in its body are read too."""
        while self.at < len(self.code) and self.word() not in ("{", ";"):
            self.at = bracketed(self.code, self.at) + 1 if self.word() in "([" else self.at + 1
        self.at += 1

    def alias(self) -> None:
        statement = self.statement()
        equals = next((i for i, t in enumerate(statement) if t.text == "="), len(statement))
        self.found.aliases.append(Alias(statement[1], spell(statement[equals + 1 :])))

    def constant(self) -> None:
        statement = self.statement()
        at = 2 if statement[1].text == "mut" else 1
        equals = next((i for i, t in enumerate(statement) if t.text == "="), len(statement))
        kind = spell(statement[at + 2 : equals])
        self.found.constants.append(Constant(statement[at], kind, statement[equals + 1 :]))

    def record(self, attributes: tuple[Attribute, ...]) -> None:
        keyword, name = self.word(), self.code[self.at + 1]
        self.at = self.skip_to("{")
        end = bracketed(self.code, self.at) if self.at < len(self.code) else len(self.code)
        fields = _parameters(self.code[self.at + 1 : end])
        self.found.records.append(Record(name, keyword, fields, attributes))
        self.at = end + 1

    def enumeration(self) -> None:
        name = self.code[self.at + 1] if self.at + 1 < len(self.code) else self.code[self.at]
        self.at = self.skip_to("{")
        end = bracketed(self.code, self.at) if self.at < len(self.code) else len(self.code)
        self.found.enumerations.append(Enumeration(name))
        self.at = end + 1

    def foreign_block(self, attributes: tuple[Attribute, ...]) -> None:
        """Read `unsafe extern "C" { ... }`, or pass over a word that begins something else."""
        ahead = int(self.word() == "unsafe")
        is_extern = self.word(ahead) == "extern"
        at = self.at + ahead + 1
        if at < len(self.code) and self.code[at].kind in STRINGS:
            at += 1
        if not is_extern or at >= len(self.code) or self.code[at].text != "{":
            self.at += 1
            return
        end = bracketed(self.code, at)
        links = [a.value("name") for a in attributes if a.name == "link"]
        inside = _foreign_functions(self.code[at + 1 : end])
        block = ForeignBlock(tuple(inside), tuple(link for link in links if link), attributes)
        self.found.blocks.append(block)
        self.at = end + 1

    def use(self) -> None:
        self.found.uses += _use_tree(self.statement()[1:], ())


def _without_attributes(part: Sequence[Token]) -> tuple[Token, ...]:
    at = 0
    while at + 1 < len(part) and part[at].text == "#" and part[at + 1].text == "[":
        at = bracketed(part, at + 1) + 1
    return tuple(part[at:])


def _parameters(code: Sequence[Token]) -> tuple[Parameter, ...]:
    """Read `name: type, ...`; visibility and attributes are left out."""
    found = []
    for part in split(code):
        bare = _without_attributes(part)
        colon = next((i for i, t in enumerate(bare) if t.text == ":"), -1)
        if colon > 0:
            found.append(Parameter(bare[colon - 1].name, spell(bare[colon + 1 :])))
    return tuple(found)


def _foreign_functions(code: Sequence[Token]) -> Iterator[Function]:
    """Yield the functions between the braces of an `extern` block."""
    for part in split(code, ";"):
        link_name, rest = "", tuple(part)
        while rest and rest[0].text == "#" and len(rest) > 1:
            end = bracketed(rest, 1)
            literal = Attribute(tuple(rest[2:end])).value("link_name")
            link_name = string_value(literal) if literal else link_name
            rest = rest[end + 1 :]
        at = next((i for i, t in enumerate(rest) if t.text == "fn"), -1)
        if at < 0 or at + 2 >= len(rest) or rest[at + 2].text != "(":
            continue
        end = bracketed(rest, at + 2)
        inside = rest[at + 3 : end]
        arrow = end + 1 < len(rest) and rest[end + 1].text == "->"
        result = spell(rest[end + 2 :]) if arrow else ""
        yield Function(rest[at + 1], _parameters(inside), result, link_name)


def _use_tree(code: Sequence[Token], prefix: tuple[Token, ...]) -> Iterator[Use]:
    """Yield the paths of a `use` tree."""
    for part in split(code):
        brace = next((i for i, t in enumerate(part) if t.text == "{"), -1)
        if brace >= 0:
            path = (*prefix, *(t for t in part[:brace] if t.kind is Kind.IDENT))
            yield from _use_tree(part[brace + 1 : bracketed(part, brace)], path)
            continue
        alias = ""
        names = [t for t in part if t.kind is Kind.IDENT or t.text == "*"]
        if len(names) > 2 and names[-2].text == "as":  # noqa: PLR2004
            alias, names = names[-1].name, names[:-2]
        elif len(names) == 2 and names[-1].text == "as":  # noqa: PLR2004 - `use x as _`
            names = names[:-1]
        path = (*prefix, *names)
        if path and path[-1].text == "self" and len(path) > 1:
            path = path[:-1]
        if path:
            yield Use(path, alias)
