"""Declarations of CUDA's and HIP's C interfaces as Rust sees them: what bindgen read, as data."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

from porting.config import release_key

_WORD = re.compile(r"[A-Za-z_]\w*")
# The C types that a declaration ends in, with the Rust type of the same size.
PRIMITIVES: Mapping[str, str] = {
    "c_char": "i8",
    "c_schar": "i8",
    "c_uchar": "u8",
    "c_short": "i16",
    "c_ushort": "u16",
    "c_int": "i32",
    "c_uint": "u32",
    "c_long": "i64",
    "c_ulong": "u64",
    "c_longlong": "i64",
    "c_ulonglong": "u64",
    "c_float": "f32",
    "c_double": "f64",
}
_SIZES = {
    "i8": 1,
    "u8": 1,
    "bool": 1,
    "i16": 2,
    "u16": 2,
    "i32": 4,
    "u32": 4,
    "f32": 4,
    "i64": 8,
    "u64": 8,
    "f64": 8,
    "usize": 8,
    "isize": 8,
}
_POINTER = 8
_ARRAY = re.compile(r"\[(?P<item>.+); (?P<count>\d+)(?:usize)?\]")


@dataclass(frozen=True, slots=True)
class Signature:
    """A C function: its result (empty for none), and the name and type of each parameter."""

    result: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a record and its offset in bytes."""

    name: str
    type: str
    offset: int


@dataclass(frozen=True, slots=True)
class Record:
    """A struct or union; keyword `opaque`: declared only; `blob`: bit fields, so bytes."""

    keyword: str
    size: int = 0
    align: int = 1
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Enum:
    """An enumeration: the C type that holds it, and its enumerators."""

    repr: str
    values: Mapping[str, int]


@dataclass(frozen=True)
class Api:
    """What the headers of one side declare."""

    functions: Mapping[str, Signature]
    types: Mapping[str, str]
    enums: Mapping[str, Enum]
    constants: Mapping[str, tuple[str, int]]
    records: Mapping[str, Record]
    macros: Mapping[str, str]

    @cached_property
    def enum_of(self) -> Mapping[str, str]:
        """Enumerator -> the enumeration that declares it."""
        return {value: name for name, enum in self.enums.items() for value in enum.values}

    def function_name(self, name: str) -> str | None:
        """Return the declared function that a name stands for: a macro may give the version."""
        versions = (name, self.macros.get(name, ""), f"{name}_v2", f"{name}_v3")
        return next((v for v in versions if v in self.functions), None)

    def type_name(self, name: str) -> str | None:
        """Return the declared type that a name stands for."""
        for candidate in (name, self.macros.get(name, "")):
            if candidate in self.types or candidate in self.enums or candidate in self.records:
                return candidate
        return None

    def end(self, name: str) -> str:
        """Follow aliases to an enumeration, a record, a primitive or a composed type."""
        while name in self.types:
            name = self.types[name]
        return name

    def value(self, name: str) -> int | None:
        """Return the number of an enumerator or a macro."""
        if name in self.enum_of:
            return self.enums[self.enum_of[name]].values[name]
        return self.constants[name][1] if name in self.constants else None

    def canonical(self, kind: str) -> str:
        """Write a type with every alias followed: equal texts are one type to the ABI."""
        bare = re.sub(r"\b\w+: ", "", kind)  # the names of a callback's parameters
        return _WORD.sub(lambda match: self._canonical_word(match[0]), bare)

    def _canonical_word(self, word: str) -> str:
        if word in PRIMITIVES:
            return PRIMITIVES[word]
        if word in self.enums:
            return self.canonical(self.enums[word].repr)
        return self.canonical(self.types[word]) if word in self.types else word

    def size(self, kind: str) -> int | None:
        """Return the size of a type in bytes, None where it is not known."""
        text = self.canonical(kind)
        if text.startswith(("*", "Option<")):
            return _POINTER
        array = _ARRAY.fullmatch(text)
        if array:
            item = self.size(array["item"])
            return None if item is None else item * int(array["count"])
        if text in self.records:
            return self.records[text].size or None
        return _SIZES.get(text)


def with_size_t(api: Api, size_t: str) -> Api:
    """Return an interface whose size_t is another Rust type: bindgen had c_ulong up to 0.60."""
    if size_t == "usize":
        return api

    def respelled(kind: str) -> str:
        return re.sub(r"\busize\b", size_t, kind)

    return Api(
        {name: _respelled(declared, respelled) for name, declared in api.functions.items()},
        {name: respelled(kind) for name, kind in api.types.items()},
        api.enums,
        api.constants,
        {
            name: replace(
                record, fields=tuple(replace(f, type=respelled(f.type)) for f in record.fields)
            )
            for name, record in api.records.items()
        },
        api.macros,
    )


def _respelled(declared: Signature, respelled: Callable[[str], str]) -> Signature:
    parameters = tuple((name, respelled(kind)) for name, kind in declared.parameters)
    return Signature(respelled(declared.result), parameters)


def mentioned(kind: str) -> list[str]:
    """Return the names in a type."""
    return _WORD.findall(kind)


@cache
def cuda_api() -> Api:
    """Return what CUDA's headers declare: 12.9, and what only 13.0 or 11.8 has."""
    return _load("cuda")


@cache
def hip_api(rocm: str) -> Api:
    """Return what HIP's and RCCL's headers declare in a release.

    Headers are known of 6.2 and 7.1: a release has those of its major version.  A name that came
    later within a major version is declared as the newer headers do.
    """
    if release_key(rocm) >= (7, 0):
        return _load("hip_7.1")
    older, newer = _load("hip_6.2"), _load("hip_7.1")
    return Api(
        {**newer.functions, **older.functions},
        {**newer.types, **older.types},
        {**newer.enums, **older.enums},
        {**newer.constants, **older.constants},
        {**newer.records, **older.records},
        {**newer.macros, **older.macros},
    )


@cache
def _load(name: str) -> Api:
    path = resources.files("porting.headers.rust") / "data" / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return Api(
        {k: _signature(v) for k, v in data["functions"].items()},
        data["types"],
        {k: Enum(v["repr"], v["values"]) for k, v in data["enums"].items()},
        {k: (v[0], v[1]) for k, v in data["constants"].items()},
        {k: _record(v) for k, v in data["records"].items()},
        data["macros"],
    )


def _signature(row: list[str]) -> Signature:
    return Signature(row[0], tuple(zip(row[1::2], row[2::2], strict=True)))


def _record(row: dict[str, object]) -> Record:
    fields = row.get("fields", [])
    if not isinstance(fields, list):
        raise TypeError(fields)
    size, align = row.get("size", 0), row.get("align", 1)
    if not isinstance(size, int) or not isinstance(align, int):
        raise TypeError(row)
    return Record(str(row["keyword"]), size, align, tuple(Field(*f) for f in fields))
