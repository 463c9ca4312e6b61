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
        if shape.form is Form.RECORD:
            return f"cuda::{api.end(word)}"
        if shape.form is Form.INTEGER:
            return api.canonical(word)
        if shape.form is Form.PLAIN:
            return self.cuda(api.types[word]) if word in api.types else word
        if shape.form is Form.ENUM and self.style in _DISTINCT:
            return f"enum {api.end(word)}"
        return self.hip(shape.hip)

    def convert(self, value: str, have: str, want: str) -> str | None:
        """Return the expression that makes a `want` of a `have`; None where none does safely.

        Both types are canonical.
        """
        if have == want:
            return value
        if have.startswith("*") and want.startswith("*"):
            if not self._same_target(have, want):
                return None
            mutability = have.split(" ", 1)[0], want.split(" ", 1)[0]
            return f"{value}.cast()" if mutability[0] == mutability[1] else f"{value} as _"
        if "cuda::" in (have[:6], want[:6]):
            records = all(k not in _INTEGERS and k[:1] not in "*[" for k in (have, want))
            return f"std::mem::transmute({value})" if records else None
        if have.startswith("enum ") and want in _INTEGERS:
            return f"{value}.0 as _" if self.style is EnumStyle.NEWTYPE else f"{value} as _"
        if have in _INTEGERS and want.startswith("enum "):
            name = want.removeprefix("enum ")
            newtype = self.style is EnumStyle.NEWTYPE
            return f"{name}({value})" if newtype else f"std::mem::transmute({value})"
        if have in _INTEGERS and want in _INTEGERS:
            return f"{value} as _"
        if have in _INTEGERS and want.startswith("*"):
            return f"{value} as usize as _"
        if have.startswith("*") and want in _INTEGERS:
            return f"{value} as _"
        return None

    def _same_target(self, have: str, want: str) -> bool:
        """Whether pointers lead to values that may be taken for each other."""
        first, second = (kind.split(" ", 1)[1] for kind in (have, want))
        if "c_void" in (first, second):
            return True
        cuda, hip = self.shapes.cuda, self.shapes.hip
        first, second = (kind.removeprefix("enum ").removeprefix("cuda::") for kind in (first, second))
        sizes = cuda.size(first) or hip.size(first), hip.size(second) or cuda.size(second)
        return sizes[0] is not None and sizes[0] == sizes[1]
