"""How each of CUDA's types is given over HIP: as HIP's own, as an integer, or in CUDA's layout."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from porting.headers.rust.api import PRIMITIVES, Api, Field, Record, mentioned
from porting.mapping import Names

_INTEGERS = frozenset(("i32", "u32", "i64", "u64", "usize"))
_ANONYMOUS = "__bindgen_anon_"


class Form(StrEnum):
    """What stands for a CUDA type.

    ALIAS: HIP's type under CUDA's name.  ENUM: likewise, for an enumeration.
    INTEGER: CUDA's integer, where HIP has a pointer.
    RECORD: a struct with CUDA's fields, laid out as HIP's.  DIFFERENT: HIP's struct, whose layout
    or fields are not CUDA's.  PLAIN: CUDA's own definition, which asks nothing of HIP.
    """

    ALIAS = "alias"
    ENUM = "enum"
    INTEGER = "integer"
    RECORD = "record"
    DIFFERENT = "different"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Shape:
    """A CUDA type over HIP; `hip`: HIP's type; `record`: CUDA's own layout where it is written."""

    name: str
    form: Form
    hip: str = ""
    record: Record | None = None


@dataclass(frozen=True)
class Shapes:
    """CUDA's types as one ROCm release gives them; `distinct`: enumerations are no integers."""

    names: Names
    cuda: Api
    hip: Api
    distinct: bool = False
    _known: dict[str, Shape | None] = field(default_factory=dict)

    def get(self, name: str) -> Shape | None:
        """Return what stands for a type, None where HIP has nothing for it."""
        if name not in self._known:
            self._known[name] = None  # a type that is met again while it is looked at
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> Shape | None:
        hip = self._counterpart(name)
        if hip is None:
            return self._plain(name)
        end = self.cuda.end(name)
        if end in self.cuda.records and self.cuda.records[end].keyword != "opaque":
            return self._record(name, end, hip)
        if self.cuda.canonical(name) in _INTEGERS and self.hip.canonical(hip).startswith("*"):
            return Shape(name, Form.INTEGER, hip)
        is_enum = end in self.cuda.enums
        return Shape(name, Form.ENUM if is_enum else Form.ALIAS, hip)

    def _counterpart(self, name: str) -> str | None:
        """Return HIP's declared type for a CUDA type, by its own name or one that means it."""
        for candidate in (name, *self._others.get(self.cuda.end(name), ())):
            found = self.names.get(candidate)
            if found is not None:
                return self.hip.type_name(found.target) if found.target else None
        return None

    @cached_property
    def _others(self) -> Mapping[str, tuple[str, ...]]:
        """Record or enumeration -> the names that are aliases of it."""
        found: dict[str, list[str]] = {}
        for alias in self.cuda.types:
            end = self.cuda.end(alias)
            if end in self.cuda.records or end in self.cuda.enums:
                found.setdefault(end, [end]).append(alias)
        return {end: tuple(aliases) for end, aliases in found.items()}

    def _plain(self, name: str) -> Shape | None:
        """Take CUDA's own definition where no HIP function can mean the type as another."""
        if name in self.cuda.types and name not in PRIMITIVES:
            inner = mentioned(self.cuda.types[name])
            known = all(self.is_known(word) for word in inner)
            return Shape(name, Form.PLAIN) if known and self.names.get(name) is None else None
        record = self.cuda.records.get(name)
        if record is None or record.keyword == "opaque" or self.names.get(name) is not None:
            return None
        return Shape(name, Form.PLAIN, record=record) if self._is_written(record) else None

    def _is_written(self, record: Record) -> bool:
        """Whether the types of all fields have a shape."""
        return all(self.is_known(word) for part in record.fields for word in mentioned(part.type))

    def is_known(self, word: str) -> bool:
        """Whether a word in a type can be written: a primitive, a keyword, a type with a shape."""
        return not self._is_cuda(word) or self.get(word) is not None

    def _is_cuda(self, word: str) -> bool:
        api = self.cuda
        return word in api.types or word in api.records or word in api.enums

    def _record(self, name: str, end: str, hip: str) -> Shape:
        ours, target = self.cuda.records[end], self.hip.end(hip)
        theirs = self.hip.records.get(target)
        if theirs is None or theirs.keyword in ("opaque", "blob"):
            return Shape(name, Form.ALIAS, hip)
        placed = {f.name: f for f in self._flat(theirs)}
        direct = {f.name for f in theirs.fields}
        members = [m for m in ours.fields if not _is_filling(m.name)]
        there = {m.name: placed.get(self._field_name(name, end, m.name)) for m in members}
        alike = all((o := there[m.name]) is not None and self._same_place(m, o) for m in members)
        if not alike or ours.size != theirs.size:
            return Shape(name, Form.DIFFERENT, hip)
        distinct = self.distinct and self._has_enum(ours) and self._is_written(ours)
        if distinct or any(m.name not in direct for m in members):
            return Shape(name, Form.RECORD, hip, ours)
        return Shape(name, Form.ALIAS, hip)

    def _has_enum(self, record: Record) -> bool:
        ends = {self.cuda.end(word) for part in record.fields for word in mentioned(part.type)}
        inner = (self.cuda.records[end] for end in ends if end in self.cuda.records)
        return bool(ends & self.cuda.enums.keys()) or any(
            self._has_enum(r) for r in inner if r is not record
        )

    def _field_name(self, name: str, end: str, member: str) -> str:
        for struct in (name, *self._others.get(end, ())):
            found = self.names.get(f"{struct}::{member.removesuffix('_')}")
            if found is not None and found.target:
                target = found.target.partition("::")[2]
                return target + "_" * (member.endswith("_") and target == "type")
        return member

    def _flat(self, record: Record, offset: int = 0) -> Iterator[Field]:
        """Yield a record's fields; those of anonymous members as its own."""
        for member in record.fields:
            inner = self.hip.records.get(member.type)
            if member.name.startswith(_ANONYMOUS) and inner is not None:
                # bindgen's layout tests give no offset of what lies in a union: it is the member's.
                yield from self._flat(inner, offset + self._offset(record, member))
            else:
                yield Field(member.name, member.type, offset + member.offset)

    def _offset(self, record: Record, member: Field) -> int:
        """Return an anonymous member's offset: behind the field before it, aligned."""
        at = record.fields.index(member)
        if member.offset or at == 0:
            return member.offset
        before = record.fields[at - 1]
        end = self._offset(record, before) + (self.hip.size(before.type) or 0)
        align = self.hip.records[member.type].align
        return -(-end // align) * align

    def _same_place(self, ours: Field, theirs: Field) -> bool:
        if ours.offset != theirs.offset and not ours.name.startswith(_ANONYMOUS):
            return False
        return self._same_size(ours.type, theirs.type) or self._same_leaves(ours.type, theirs.type)

    def _same_size(self, ours: str, theirs: str) -> bool:
        return self.cuda.size(ours) == self.hip.size(theirs)

    def _same_leaves(self, ours: str, theirs: str) -> bool:
        """Whether two records differ in what fills them only."""
        mine, other = self.cuda.records.get(ours), self.hip.records.get(theirs)
        if mine is None or other is None:
            return False
        leaves = {f.name: f for f in other.fields}
        return all(
            f.name in leaves
            and f.offset == leaves[f.name].offset
            and self._same_size(f.type, leaves[f.name].type)
            for f in mine.fields
            if not _is_filling(f.name)
        )


def _is_filling(name: str) -> bool:
    return name.startswith(("reserved", "pad", "_bindgen"))
