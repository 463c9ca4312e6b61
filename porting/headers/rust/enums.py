"""CUDA's enumerations in the style in which the crate's own bindings have them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from porting.headers.rust.formatting import WIDTH, statement


class EnumStyle(StrEnum):
    """bindgen's ways to write a C enumeration (its EnumVariation)."""

    CONSTS = "consts"  # pub const cudaError_cudaSuccess: cudaError = 0
    RUST = "rust"  # pub enum cudaError { cudaSuccess = 0 }
    NEWTYPE = "newtype"  # pub struct cudaError(pub c_uint), with associated constants
    MODULE = "moduleconsts"  # pub mod cudaError { pub type Type; pub const cudaSuccess }


@dataclass(frozen=True)
class Enumeration:
    """One enumeration over HIP: `members` are CUDA's enumerators with HIP's names.

    `others`: HIP's enumerators that no member stands for, which a Rust enum must hold too.
    """

    name: str
    hip: str
    repr: str
    members: Mapping[str, str]
    values: Mapping[str, int]
    others: Sequence[str] = ()


def enumeration_lines(
    enum: Enumeration, style: EnumStyle, hip: Mapping[str, str], indent: int
) -> Iterator[str]:
    """Yield the definition; `hip`: how a HIP enumerator is reached."""
    pad = " " * indent
    write = {EnumStyle.RUST: _rust_enum, EnumStyle.NEWTYPE: _newtype, EnumStyle.MODULE: _module}
    for line in write[style](enum, hip, indent):
        yield f"{pad}{line}" if line else ""


def _constant(name: str, kind: str, value: str, indent: int) -> Iterator[str]:
    """Yield `pub const` inside a block; `indent`: that of the block."""
    text = statement(f"pub const {name}: {kind}", value, indent + 4)
    yield from (line[indent:] for line in text.split("\n"))


def _rust_enum(enum: Enumeration, _: Mapping[str, str], indent: int) -> Iterator[str]:
    """Every number that HIP may return needs a variant: another one is undefined behaviour."""
    variants: dict[int, str] = {}
    twins: list[tuple[str, str]] = []
    for name, hip in (*enum.members.items(), *((o, o) for o in enum.others)):
        value = enum.values[hip]
        if value not in variants:
            variants[value] = name
        elif name in enum.members:
            twins.append((name, variants[value]))
    yield f"#[repr({enum.repr})]"
    yield "#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]"
    yield f"pub enum {enum.name} {{"
    for value, name in sorted(variants.items()):
        yield f"    {name} = {value},"
    yield "}"
    if twins:
        yield ""
        yield f"impl {enum.name} {{"
        for name, other in sorted(twins):
            yield from _constant(name, "Self", f"Self::{other}", indent)
        yield "}"


def _newtype(enum: Enumeration, hip: Mapping[str, str], indent: int) -> Iterator[str]:
    yield "#[repr(transparent)]"
    yield "#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]"
    line = f"pub struct {enum.name}(pub hip_sys::{enum.hip});"
    if indent + len(line) <= WIDTH:
        yield line
    else:
        yield from (f"pub struct {enum.name}(", f"    pub hip_sys::{enum.hip},", ");")
    if enum.members:
        yield ""
        yield f"impl {enum.name} {{"
        for name, target in sorted(enum.members.items()):
            yield from _constant(name, "Self", f"Self({hip[target]})", indent)
        yield "}"


def _module(enum: Enumeration, hip: Mapping[str, str], indent: int) -> Iterator[str]:
    yield f"pub mod {enum.name} {{"
    yield f"    pub type Type = super::hip_sys::{enum.hip};"
    for name, target in sorted(enum.members.items()):
        yield from _constant(name, "Type", f"super::{hip[target]}", indent)
    yield "}"
