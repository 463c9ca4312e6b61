"""What the generated module holds: HIP under CUDA's names, for the names that are asked for."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from porting.headers.rust.api import Record, Signature, mentioned
from porting.headers.rust.conversions import Canonical
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.formatting import call, let, signature, statement
from porting.headers.rust.hip_side import HipSide
from porting.headers.rust.records import Derives, record_lines
from porting.headers.rust.shapes import Form, Shape, Shapes
from porting.headers.rust.style import Bindings, Style
from porting.mapping import Name

INDENT = 4
_PAD = " " * INDENT


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name as the code spells it, and the CUDA name that it means.

    `enum`: the enumeration through which an enumerator is reached; `member`: by a path
    (`cudaError::cudaSuccess`), else by a prefix (`cudaError_cudaSuccess`) or by neither.
    """

    spelled: str
    cuda: str
    enum: str = ""
    member: bool = False


@dataclass
class Module:
    """Collects what the names need, then writes it.  `missing`: name -> why HIP has nothing."""

    shapes: Shapes
    style: Style = field(default_factory=Style)
    missing: dict[str, str] = field(default_factory=dict)
    types: dict[str, list[str]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    renamed: set[tuple[str, str]] = field(default_factory=set)
    wrappers: dict[str, str] = field(default_factory=dict)
    members: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with nothing needed of HIP."""
        self.hip = HipSide(self.shapes.hip, default=self.style.default)
        self.canonical = Canonical(self.shapes, self.style.enums)

    def provide(self, wanted: Iterable[Wanted]) -> None:
        """Take in names, each with what it needs."""
        for one in sorted(wanted, key=lambda w: (w.spelled, w.enum)):
            self._provide(one)

    def _provide(self, one: Wanted) -> None:
        cuda = self.shapes.cuda
        name = self.shapes.names.get(one.cuda)
        if name is not None and name.target is None:
            self.missing[one.cuda] = name.reason or "HIP has no counterpart"
        elif name is not None and name.kind == "function":
            self._function(one, name)
        elif one.cuda in cuda.enum_of:
            self._enumerator(one, name)
        elif one.cuda in cuda.constants:
            self._macro(one, name)
        elif not self._type(one.cuda):
            self.missing[one.cuda] = "the module has no declaration of it"

    # Types

    def _type(self, name: str) -> bool:
        """Give a type; say whether that can be done."""
        if name in self.types:
            return True
        shape = self.shapes.get(name)
        if shape is None:
            return False
        self.types[name] = []  # it may mention itself
        self.types[name] = list(self._type_lines(shape))
        return True

    def _type_lines(self, shape: Shape) -> Iterator[str]:
        name, cuda = shape.name, self.shapes.cuda
        base = cuda.end(name)
        if shape.hip:
            self.hip.add_types(shape.hip)
        if shape.form is Form.ENUM and self.style.enums is not EnumStyle.CONSTS:
            yield from self._enum_name(name, base)
        elif shape.form is Form.INTEGER:
            yield statement(f"pub type {name}", cuda.canonical(name), INDENT)
        elif shape.record is not None and name == base:
            for part in shape.record.fields:
                self._types_in(part.type)
            record = self._spelled(shape.record)
            default = self.style.default and self._zero_is_valid(shape.record)
            derives = Derives(debug=not self._has_union(name), default=default)
            yield from record_lines(name, record, derives, INDENT)
        elif shape.form in (Form.RECORD, Form.PLAIN):
            target = base if shape.form is Form.RECORD else cuda.types[name]
            self._types_in(target)
            yield statement(f"pub type {name}", self.type_text(target), INDENT)
        else:
            yield statement(f"pub type {name}", f"hip_sys::{shape.hip}", INDENT)

    def _enum_name(self, name: str, base: str) -> Iterator[str]:
        """Give an enumeration's own definition later, when its members are known."""
        self.members.setdefault(base, {})
        if name != base:
            self._type(base)
            is_module = self.style.enums is EnumStyle.MODULE
            yield statement(f"pub type {name}", f"{base}::Type" if is_module else base, INDENT)

    def _spelled(self, record: Record) -> Record:
        fields = (replace(part, type=self.type_text(part.type)) for part in record.fields)
        return replace(record, fields=tuple(fields))

    def _types_in(self, kind: str) -> None:
        for word in mentioned(kind):
            self._type(word)

    def _has_union(self, name: str) -> bool:
        record = self.shapes.cuda.records.get(name)
        if record is None:
            shape = self.shapes.get(name)
            return shape is not None and self.hip.has_union(self.shapes.hip.end(shape.hip))
        inside = (self.shapes.cuda.end(w) for part in record.fields for w in mentioned(part.type))
        return record.keyword == "union" or any(self._has_union(w) for w in inside if w != name)

    def integer_handles(self) -> dict[str, str]:
        """Return HIP's pointers that are integers in CUDA: those given, and device memory's."""
        shapes = (self.shapes.get(name) for name in ("CUdeviceptr", *self.types))
        return {
            shape.hip: self.shapes.cuda.canonical(shape.name)
            for shape in shapes
            if shape is not None and shape.form is Form.INTEGER
        }

    def _zero_is_valid(self, record: Record) -> bool:
        """Whether all-zero bytes are a value: a Rust enum needs a variant for them."""
        if self.style.enums is not EnumStyle.RUST:
            return True
        cuda, hip = self.shapes.cuda, self.shapes.hip
        ends = {cuda.end(word) for part in record.fields for word in mentioned(part.type)}
        enums = [hip.enums[hip.end(self.hip_of(end))] for end in ends if end in cuda.enums]
        inner = (cuda.records[end] for end in ends if end in cuda.records)
        return all(0 in e.values.values() for e in enums) and all(map(self._zero_is_valid, inner))

    # Constants

    def _enumerator(self, one: Wanted, name: Name | None) -> None:
        cuda, hip = self.shapes.cuda, self.shapes.hip
        target = name.target if name else None
        enum = cuda.enum_of[one.cuda]
        if target is None or hip.value(target) is None or not self._type(enum):
            self.missing[one.cuda] = "the module has no declaration of it"
            return
        self.hip.add_constant(target)
        if self.style.enums is not EnumStyle.CONSTS:
            self.members.setdefault(enum, {})[one.cuda] = target
            if one.member:
                return
        self.constants[one.spelled] = statement(
            f"pub const {one.spelled}: {self.type_text(enum)}",
            self._enum_value(enum, one.cuda, target),
            INDENT,
        )

    def _enum_value(self, enum: str, cuda: str, target: str) -> str:
        match self.style.enums:
            case EnumStyle.CONSTS | EnumStyle.MODULE:
                return self._reached(target, self.shapes.hip.canonical(self.hip_of(enum)))
            case _:
                return f"{enum}::{cuda}"

    def hip_of(self, name: str) -> str:
        """Return HIP's name of a CUDA type, empty without one."""
        shape = self.shapes.get(name)
        return shape.hip if shape else ""

    def _reached(self, target: str, want: str) -> str:
        """Return the expression for a HIP constant, of the canonical type wanted."""
        hip = self.shapes.hip
        enum = hip.enum_of.get(target)
        have = hip.canonical(enum or hip.constants[target][0])
        return f"{self.path(target)}{'' if have == want else f' as {want}'}"

    def path(self, target: str) -> str:
        """Return the path of a HIP constant: bindgen puts the enumeration's name before it."""
        if self.style.bindings is Bindings.BINDGEN and target in self.shapes.hip.enum_of:
            return f"hip_sys::{self.shapes.hip.enum_of[target]}_{target}"
        return f"hip_sys::{target}"

    def _macro(self, one: Wanted, name: Name | None) -> None:
        target = name.target if name else None
        if target is None or self.shapes.hip.value(target) is None:
            self.missing[one.cuda] = "the module has no number for it"
            return
        self.hip.add_constant(target)
        kind = self.shapes.cuda.canonical(self.shapes.cuda.constants[one.cuda][0])
        value = self._reached(target, kind)
        self.constants[one.spelled] = statement(f"pub const {one.spelled}: {kind}", value, INDENT)

    # Functions

    def _function(self, one: Wanted, name: Name) -> None:
        cuda, hip = self.shapes.cuda, self.shapes.hip
        declared = cuda.function_name(one.cuda)
        target = hip.function_name(name.target or "")
        if declared is None or target is None:
            self.missing[one.cuda] = undeclared(name)
            return
        ours, theirs = cuda.functions[declared], hip.functions[target]
        if self._same(ours, theirs):
            self.renamed.add((target, one.spelled))
            self.hip.add_function(target)
            return
        text = self._wrapper(one.spelled, ours, target, theirs)
        if text is None:
            why = name.reason or f"{target} takes other arguments"
            self.missing[one.cuda] = why
            return
        self.wrappers[one.spelled] = text
        self.hip.add_function(target)

    def _same(self, ours: Signature, theirs: Signature) -> bool:
        return [self.canonical.cuda(k) for k in _kinds(ours)] == [
            self.canonical.hip(k) for k in _kinds(theirs)
        ]

    def _wrapper(self, name: str, ours: Signature, target: str, theirs: Signature) -> str | None:
        """Return a function that converts what HIP takes and gives otherwise."""
        if len(ours.parameters) != len(theirs.parameters):
            return None
        arguments = []
        for (own, mine), (_, other) in zip(ours.parameters, theirs.parameters, strict=True):
            have, want = self.canonical.cuda(mine), self.canonical.hip(other)
            arguments.append(self.canonical.convert(own, have, want))
        result = "result" if ours.result else ""
        back = self.canonical.convert(
            "result", self.canonical.hip(theirs.result), self.canonical.cuda(ours.result)
        )
        if back is None or None in arguments:
            return None
        for kind in _kinds(ours):
            self._types_in(kind)
        inputs = [f"{own}: {self.type_text(kind)}" for own, kind in ours.parameters]
        head = signature(f"pub unsafe fn {name}", inputs, self.type_text(ours.result), " {", INDENT)
        plain = [a for a in arguments if a is not None]
        body = _body(f"hip_sys::{target}", plain, back if result else "")
        return f"{head}\n{body}{_PAD}}}"

    def type_text(self, kind: str) -> str:
        """Write a CUDA type as the module spells it."""
        if self.style.enums is not EnumStyle.MODULE:
            return kind
        words = {w for w in mentioned(kind) if w in self.shapes.cuda.enums}
        for word in words:
            kind = re.sub(rf"\b{word}\b", f"{word}::Type", kind)
        return kind


def undeclared(name: Name) -> str:
    """Say that a function has a counterpart, and that its declaration is not known here."""
    return (
        f"{name.target} is there, and the declarations of {name.library} are not known here:"
        f" call {name.target} in the ROCm build"
    )


def _kinds(declared: Signature) -> list[str]:
    return [declared.result, *(kind for _, kind in declared.parameters)]


def _body(function: str, arguments: list[str], back: str) -> str:
    """Write the body of a wrapper; `back`: what becomes of `result`, empty for no result."""
    pad = " " * (2 * INDENT)
    inner = 3 * INDENT
    if back in ("", "result"):
        line = call(function, arguments, 2 * INDENT, len("unsafe {  }"))
        if "\n" not in line:
            return f"{pad}unsafe {{ {line} }}\n"
        text = call(function, arguments, inner)
        return f"{pad}unsafe {{\n{pad}    {text}\n{pad}}}\n"
    first = let("result", function, arguments, inner)
    return f"{pad}unsafe {{\n{first}\n{pad}    {back}\n{pad}}}\n"
