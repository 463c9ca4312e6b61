"""The items of a Rust file that speak to C: foreign functions, types, constants, `use` lists."""

from dataclasses import dataclass, field

from porting.headers.rust.lexer import Kind, Token

# Kinds of string literals.
STRINGS = (Kind.STRING, Kind.RAW_STRING)


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
            if name.name == key and equals.text == "=" and literal.kind in STRINGS:
                return literal
        return None


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

    @property
    def symbol(self) -> str:
        """The name that the linker looks for."""
        return self.link_name or self.name.name


@dataclass(frozen=True)
class ForeignBlock:
    """`extern "C" { ... }` with the libraries that its #[link] attributes name."""

    functions: tuple[Function, ...]
    links: tuple[Token, ...]
    attributes: tuple[Attribute, ...] = ()

    def depends_on(self, cfg: str) -> bool:
        """Whether it is there only where a cfg holds, or does not."""
        conditions = (a.body for a in self.attributes if a.name == "cfg")
        return any(token.name == cfg for body in conditions for token in body)


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
    """`enum Name { ... }`."""

    name: Token


@dataclass(frozen=True)
class Use:
    """One path that a `use` brings in; `path[-1]` is `*` for a glob."""

    path: tuple[Token, ...]
    alias: str = ""


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
