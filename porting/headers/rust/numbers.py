"""Where CUDA's numbers and HIP's differ: enumerations whose values must be translated in a call."""

from collections.abc import Mapping
from dataclasses import dataclass

from porting.headers.rust.shapes import Shapes

_ERRORS = frozenset(("cudaError", "cudaError_enum"))
_UNKNOWN_ERROR = 999  # cudaErrorUnknown and CUDA_ERROR_UNKNOWN


# Stands for a number that no enumeration of HIP's holds: HIP answers "invalid value".
NO_VALUE = None


@dataclass(frozen=True)
class Numbers:
    """The values of one CUDA enumeration whose numbers are other ones in HIP.

    `to_hip` and `to_cuda` hold the numbers that change, in order; the rest stays as it is.
    `cuda_type` and `hip_type` are the integers that hold them.
    """

    enum: str
    cuda_type: str
    hip_type: str
    to_hip: Mapping[int, int | None]
    to_cuda: Mapping[int, int | None]

    @property
    def same(self) -> bool:
        """Whether no number changes."""
        return not self.to_hip and not self.to_cuda


def numbers(shapes: Shapes, enum: str) -> Numbers:
    """Compare the values of a CUDA enumeration with those of its counterparts in HIP."""
    pairs: dict[int, int | None] = {}
    back: dict[int, int | None] = {}
    hip_enum = ""
    for name, value in shapes.cuda.enums[enum].values.items():
        found = shapes.names.get(name)
        target = found.target if found and found.target else ""
        theirs = shapes.hip.value(target)
        if theirs is None:
            continue
        hip_enum = shapes.hip.enum_of.get(target, hip_enum)
        pairs.setdefault(value, theirs)
        if theirs not in back or value == theirs:
            back[theirs] = value
    if any(have != want for table in (pairs, back) for have, want in table.items()):
        _mark_strangers(shapes, enum, hip_enum, pairs)
    if enum in _ERRORS:
        known = set(shapes.hip.enums[hip_enum].values.values()) if hip_enum else set()
        back |= dict.fromkeys(known - back.keys(), _UNKNOWN_ERROR)
    cuda_type = shapes.cuda.canonical(enum)
    hip_type = shapes.hip.canonical(hip_enum) if hip_enum else cuda_type
    return Numbers(enum, cuda_type, hip_type, _changes(pairs), _changes(back))


def _mark_strangers(shapes: Shapes, enum: str, hip_enum: str, pairs: dict[int, int | None]) -> None:
    """Keep a CUDA value without a counterpart from meaning something else in HIP."""
    taken = set(shapes.hip.enums[hip_enum].values.values()) if hip_enum else set()
    for value in shapes.cuda.enums[enum].values.values():
        if value in taken:
            pairs.setdefault(value, NO_VALUE)


def _changes(table: Mapping[int, int | None]) -> dict[int, int | None]:
    return {have: want for have, want in sorted(table.items()) if have != want}


def differing_fields(shapes: Shapes, name: str) -> list[str]:
    """Return the fields of a record, as `outer.inner`, that hold numbers HIP reads otherwise."""
    record = shapes.cuda.records.get(shapes.cuda.end(name))
    found: list[str] = []
    for part in record.fields if record else ():
        end = shapes.cuda.end(part.type)
        if end in shapes.cuda.enums and numbers(shapes, end).to_hip:
            found.append(part.name)
        elif end in shapes.cuda.records and end != name:
            found += [f"{part.name}.{inner}" for inner in differing_fields(shapes, end)]
    return found
