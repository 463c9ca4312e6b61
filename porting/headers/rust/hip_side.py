"""The module `hip_sys`: HIP's own declarations, as many as CUDA's names need, and no more."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from porting.headers.rust.api import PRIMITIVES, Api, mentioned
from porting.headers.rust.formatting import imports, signature, statement
from porting.headers.rust.records import Derives, record_lines

_INDENT = 4


@dataclass
class HipSide:
    """What is needed of HIP; `add_...` take a name with everything that it mentions.

    `default`: records implement Default, as bindgen can be told to.
    """

    api: Api
    functions: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    default: bool = False

    def add_function(self, name: str) -> None:
        """Need a function, and the types of its signature."""
        self.functions.add(name)
        declared = self.api.functions[name]
        for kind in (declared.result, *(kind for _, kind in declared.parameters)):
            self.add_types(kind)

    def add_types(self, kind: str) -> None:
        """Need every type that a type mentions."""
        for word in mentioned(kind):
            if word not in self.types and self._is_type(word):
                self.types.add(word)
                self._add_inside(word)

    def add_constant(self, name: str) -> None:
        """Need an enumerator, with its enumeration, or a macro's number."""
        self.constants.add(name)
        if name in self.api.enum_of:
            self.add_types(self.api.enum_of[name])

    def _is_type(self, word: str) -> bool:
        api = self.api
        return word in api.types or word in api.enums or word in api.records

    def _add_inside(self, word: str) -> None:
        if word in self.api.types:
            self.add_types(self.api.types[word])
        elif word in self.api.records:
            for part in self.api.records[word].fields:
                self.add_types(part.type)

    def primitives(self) -> list[str]:
        """Return the C types that the declarations mention, sorted."""
        words: set[str] = set()
        for name in self.functions:
            declared = self.api.functions[name]
            for kind in (declared.result, *(kind for _, kind in declared.parameters)):
                words.update(mentioned(kind))
        for name in self.types:
            words.update(self._words_of(name))
        for name in self.constants - self.api.enum_of.keys():
            words.add(self.api.constants[name][0])
        return sorted(words & ({*PRIMITIVES, "c_void"}))

    def _words_of(self, name: str) -> Iterator[str]:
        if name in self.api.types:
            yield from mentioned(self.api.types[name])
        elif name in self.api.enums:
            yield self.api.enums[name].repr
        else:
            for part in self.api.records[name].fields:
                yield from mentioned(part.type)

    def lines(self, extern: str) -> Iterator[str]:
        """Yield the text of the declarations, indented; `extern`: the head of foreign blocks."""
        pad = " " * _INDENT
        if self.primitives():
            yield imports("std::os::raw", self.primitives(), _INDENT)
            yield ""
        records = sorted(self.types & self.api.records.keys())
        for name in sorted(self.types - self.api.records.keys()):
            enum = self.api.enums.get(name)
            yield statement(
                f"pub type {name}", enum.repr if enum else self.api.types[name], _INDENT
            )
        for name in sorted(self.constants):
            kind, value = self._constant(name)
            yield statement(f"pub const {name}: {kind}", str(value), _INDENT)
        for name in records:
            yield ""
            yield from record_lines(name, self.api.records[name], self._derives(name), _INDENT)
        if self.functions:
            yield ""
            yield f'{pad}{extern} "C" {{'
            for name in sorted(self.functions):
                declared = self.api.functions[name]
                inputs = [f"{n}: {kind}" for n, kind in declared.parameters]
                yield signature(f"pub fn {name}", inputs, declared.result, ";", 2 * _INDENT)
            yield f"{pad}}}"

    def _derives(self, name: str) -> Derives:
        return Derives(debug=not self.has_union(name), default=self.default)

    def _constant(self, name: str) -> tuple[str, int]:
        if name in self.api.enum_of:
            enum = self.api.enum_of[name]
            return enum, self.api.enums[enum].values[name]
        return self.api.constants[name]

    def has_union(self, name: str) -> bool:
        """Whether a record is or holds a union, of which Debug cannot be derived."""
        record = self.api.records.get(name)
        if record is None:
            return False
        inside = (w for part in record.fields for w in mentioned(self.api.canonical(part.type)))
        return record.keyword == "union" or any(self.has_union(w) for w in inside if w != name)
