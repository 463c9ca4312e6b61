"""The items of a Rust file that speak to C: foreign functions, types, constants, `use` lists."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porting.headers.rust.lexer import Kind, Token, string_value, tokens

_OPEN = {"(": ")", "[": "]", "{": "}"}
_QUALIFIERS = frozenset(("unsafe", "extern", "const", "async", "safe", "default"))
_TIGHT_AFTER = frozenset("([<&!#")
_TIGHT_BEFORE = frozenset(")]>,;:<(?.")


@dataclass(frozen=True)
class Attribute:
    """`#[name(...)]`: its tokens between the brackets."""

    body: tuple[Token, ...]
    inner: bool = False

    @property
    def name(self) -> str:
        """The attribute's path; that inside `unsafe(...)` where it has one."""
        words = [t.text for t in self.body]
        return words[2] if words[:2] == ["unsafe", "("] and len(words) > 2 else "".join(words[:1])  # noqa: PLR2004

    def value(self, key: str) -> Token | None:
        """Return the string literal of `key = "..."`."""
        for at in range(len(self.body) - 2):
            name, equals, literal = self.body[at : at + 3]
            if name.name == key and equals.text == "=" and literal.kind in _STRINGS:
                return literal
        return None


_STRINGS = (Kind.STRING, Kind.RAW_STRING)


@dataclass(frozen=True)
class Parameter:
    """A function's parameter or a record's field; `type` is written with single spaces."""

    name: str
    type: str


@dataclass(frozen=True)
class Function:
    """A function that an `extern` block declares; `link_name`: the symbol if it is another one."""

    name: Token
    parameters: tuple[Parameter, ...]
    result: str
    link_name: str = ""
    variadic: bool = False

    @property
    def symbol(self) -> str:
        """The name that the linker looks for."""
        return self.link_name or self.name.name


@dataclass(frozen=True)
class ForeignBlock:
    """`extern "C" { ... }` with the libraries that its #[link] attributes name."""

    functions: tuple[Function, ...]
    links: tuple[Token, ...]


@dataclass(frozen=True)
class Alias:
    """`type Name = target;`."""

    name: Token
    target: str


@dataclass(frozen=True)
class Constant:
    """`const NAME: type = value;`."""

    name: Token
    type: str
    value: tuple[Token, ...]


@dataclass(frozen=True)
class Record:
    """A struct or union with named fields, and what is in its attributes."""

    name: Token
    keyword: str
    fields: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True)
class Enumeration:
    """`enum Name { A = 1, ... }`: the variants with their values' tokens."""

    name: Token
    variants: tuple[tuple[Token, tuple[Token, ...]], ...]


@dataclass(frozen=True)
class Use:
    """One path that a `use` brings in; `path[-1]` is `*` for a glob."""

    path: tuple[Token, ...]
    alias: str = ""
    public: bool = False


@dataclass
class Items:
    """The items of one file, modules looked into."""

    blocks: list[ForeignBlock] = field(default_factory=list)
    aliases: list[Alias] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    enumerations: list[Enumeration] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    modules: list[Token] = field(default_factory=list)


def read_items(text: str) -> Items:
    """Return the items of a file; what is no item, or not understood, is passed over."""
    found = Items()
    _Reader(tokens(text), found).items()
    return found


def spell(parts: Sequence[Token]) -> str:
    """Write tokens on one line, as rustfmt spaces a type."""
    text = ""
    for at, token in enumerate(parts):
        word = token.text
        after = parts[at - 1] if at else None
        if word == "::" and after is not None and after.text in ("const", "mut"):
            space = " "
        elif (
            after is None
            or word in _TIGHT_BEFORE
            or "::" in (word, after.text)
            or after.text in _TIGHT_AFTER
            or (after.text == "*" and word in ("const", "mut"))
            or word == ">"
            or (word == "(" and after.name in ("fn", "Option"))
        ):
            space = ""
        else:
            space = " "
        text += space + word
    return text


def bracketed(code: Sequence[Token], at: int) -> int:
    """Return the index of the bracket that closes the one at `at`, or the last index."""
    depth = 0
    for index in range(at, len(code)):
        token = code[index]
        if token.kind is Kind.PUNCT:
            depth += (token.text in _OPEN) - (token.text in _OPEN.values())
            if depth == 0:
                return index
    return len(code) - 1


def split(
    code: Sequence[Token], mark: str = ",", opening: str = "([{<", closing: str = ")]}>"
) -> Iterator[tuple[Token, ...]]:
    """Yield what stands between marks outside all brackets."""
    part: list[Token] = []
    depth = 0
    for token in code:
        word = token.text if token.kind is Kind.PUNCT else ""
        if word == mark and depth == 0:
            yield tuple(part)
            part = []
            continue
        if word:
            depth += (word in opening) - (word in closing)
        part.append(token)
    if part:
        yield tuple(part)


def split_text(text: str) -> list[str]:
    """Split the text of a parameter list at its commas."""
    return [spell(part) for part in split(tokens(text))]


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
            public = self.visibility()
            self.item(tuple(attributes), public=public)
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

    def visibility(self) -> bool:
        if self.word() != "pub":
            return False
        self.at += 1
        if self.word() == "(" and self.word(1) in ("crate", "super", "self", "in"):
            self.at = bracketed(self.code, self.at) + 1
        return True

    def item(self, attributes: tuple[Attribute, ...], *, public: bool) -> None:
        """Read one item, or pass over one token or one statement."""
        match self.word():
            case "use":
                self.use(public=public)
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
            case "unsafe" | "extern" if self.foreign_block(attributes):
                pass
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
            self.at = bracketed(self.code, self.at) + 1 if self.word() in _OPEN else self.at + 1
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
        variants = []
        # A value may hold a shift: `<` is no bracket here.
        for part in split(self.code[self.at + 1 : end], opening="([{", closing=")]}"):
            bare = _without_attributes(part)
            if bare:
                variants.append(
                    (bare[0], bare[2:] if len(bare) > 1 and bare[1].text == "=" else ())
                )
        self.found.enumerations.append(Enumeration(name, tuple(variants)))
        self.at = end + 1

    def foreign_block(self, attributes: tuple[Attribute, ...]) -> bool:
        """Read `unsafe extern "C" { ... }`; say whether it was one."""
        at = self.at + (self.word() == "unsafe")
        if at >= len(self.code) or self.code[at].text != "extern":
            return self._pass_over()
        at += 1
        if at < len(self.code) and self.code[at].kind in _STRINGS:
            at += 1
        if at >= len(self.code) or self.code[at].text != "{":
            return self._pass_over()
        end = bracketed(self.code, at)
        links = [a.value("name") for a in attributes if a.name == "link"]
        inside = _foreign_functions(self.code[at + 1 : end])
        block = ForeignBlock(tuple(inside), tuple(link for link in links if link))
        self.found.blocks.append(block)
        self.at = end + 1
        return True

    def _pass_over(self) -> bool:
        self.at += 1
        return True

    def use(self, *, public: bool) -> None:
        statement = self.statement()
        self.found.uses += _use_tree(statement[1:], (), public=public)


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
        variadic = any(t.text == "..." for t in inside)
        yield Function(rest[at + 1], _parameters(inside), result, link_name, variadic)


def _use_tree(code: Sequence[Token], prefix: tuple[Token, ...], *, public: bool) -> Iterator[Use]:
    """Yield the paths of a `use` tree."""
    for part in split(code):
        brace = next((i for i, t in enumerate(part) if t.text == "{"), -1)
        if brace >= 0:
            path = (*prefix, *(t for t in part[:brace] if t.kind is Kind.IDENT))
            yield from _use_tree(part[brace + 1 : bracketed(part, brace)], path, public=public)
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
            yield Use(path, alias, public)
