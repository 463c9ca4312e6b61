"""How a value of CUDA's type becomes one of HIP's, and back, in a call."""

import re

from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.shapes import Form, Shapes

_INTEGERS = frozenset(("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "usize", "isize"))
# The styles in which an enumeration is a type of its own, and no integer.
_DISTINCT = (EnumStyle.RUST, EnumStyle.NEWTYPE)


class Canonical:
    """CUDA's types as the module gives them, in the form in which HIP's are compared."""

    def __init__(self, shapes: Shapes, style: EnumStyle = EnumStyle.CONSTS) -> None:
        self.shapes = shapes
        self.style = style

    def cuda(self, kind: str) -> str:
        """Write a CUDA type with HIP's own types where the module gives those."""
        bare = re.sub(r"\b\w+: ", "", kind)
        return re.sub(r"[A-Za-z_]\w*", lambda match: self._word(match[0]), bare)

    def hip(self, kind: str) -> str:
        """Write a HIP type with its aliases followed."""
        return self.shapes.hip.canonical(kind)

    def _word(self, word: str) -> str:
        api = self.shapes.cuda
        if word not in api.types and word not in api.records and word not in api.enums:
            return api.canonical(word)
        shape = self.shapes.get(word)
        if shape is None:
            return f"?{word}"
        if shape.form is Form.PLAIN and word in api.types:
            return self.cuda(api.types[word])
        end = api.end(word)
        is_distinct = shape.form is Form.ENUM and self.style in _DISTINCT
        return {
            Form.RECORD: f"cuda::{end}",
            Form.INTEGER: api.canonical(word),
            Form.PLAIN: word,
        }.get(shape.form, f"enum {end}" if is_distinct else self.hip(shape.hip))

    def convert(self, value: str, have: str, want: str) -> str | None:
        """Return the expression that makes a `want` of a `have`; None where none does safely.

        Both types are canonical.
        """
        if have == want:
            return value
        newtype = self.style is EnumStyle.NEWTYPE
        match _sort(have), _sort(want):
            case ("pointer", "pointer"):
                made = self._pointer(value, have, want)
            case ("record", "record" | "other") | ("other", "record"):  # laid out alike
                made = f"std::mem::transmute({value})"
            case ("enum", "integer"):
                made = f"{value}.0 as _" if newtype else f"{value} as _"
            case ("integer", "enum"):
                name = want.removeprefix("enum ")
                made = f"{name}({value})" if newtype else f"std::mem::transmute({value})"
            case ("integer", "pointer"):
                made = f"{value} as usize as _"
            case ("integer" | "pointer", "integer"):
                made = f"{value} as _"
            case _:
                made = None
        return made

    def _pointer(self, value: str, have: str, want: str) -> str | None:
        if not self._same_target(have, want):
            return None
        same = have.split(" ", 1)[0] == want.split(" ", 1)[0]
        return f"{value}.cast()" if same else f"{value} as _"

    def _same_target(self, have: str, want: str) -> bool:
        """Whether pointers lead to values that may be taken for each other."""
        first, second = (kind.split(" ", 1)[1] for kind in (have, want))
        if "c_void" in (first, second):
            return True
        cuda, hip = self.shapes.cuda, self.shapes.hip
        first, second = (
            kind.removeprefix("enum ").removeprefix("cuda::") for kind in (first, second)
        )
        sizes = cuda.size(first) or hip.size(first), hip.size(second) or cuda.size(second)
        return sizes[0] is not None and sizes[0] == sizes[1]


def _sort(kind: str) -> str:
    """Say what kind of type a canonical one is: records are those in CUDA's layout."""
    if kind in _INTEGERS:
        return "integer"
    for sort, start in (("pointer", "*"), ("record", "cuda::"), ("enum", "enum ")):
        if kind.startswith(start):
            return sort
    return "array" if kind.startswith("[") else "other"
