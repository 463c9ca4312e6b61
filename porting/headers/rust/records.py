"""How a C struct or union is written in Rust."""

from collections.abc import Iterator
from dataclasses import dataclass

from porting.headers.rust.api import Record
from porting.headers.rust.formatting import member


@dataclass(frozen=True)
class Derives:
    """What a record implements besides Copy and Clone; a union cannot derive Debug."""

    debug: bool = True
    default: bool = False


def record_lines(name: str, record: Record, derives: Derives, indent: int) -> Iterator[str]:
    """Yield a record's definition, indented."""
    pad = " " * indent
    is_blob = record.keyword == "blob"
    yield f"{pad}#[repr(C, align({record.align}))]" if is_blob else f"{pad}#[repr(C)]"
    yield f"{pad}#[derive({'Debug, ' if derives.debug else ''}Copy, Clone)]"
    yield f"{pad}pub {'union' if record.keyword == 'union' else 'struct'} {name} {{"
    if record.keyword == "opaque":
        yield f"{pad}    _unused: [u8; 0],"
    elif is_blob:
        yield f"{pad}    _bits: [u8; {record.size}],"
    for part in record.fields:
        yield member(part.name, part.type, indent + 4)
    yield f"{pad}}}"
    if derives.default and record.keyword != "opaque":
        yield ""
        yield f"{pad}impl Default for {name} {{"
        yield f"{pad}    fn default() -> Self {{"
        yield f"{pad}        unsafe {{ std::mem::zeroed() }}"
        yield f"{pad}    }}"
        yield f"{pad}}}"
