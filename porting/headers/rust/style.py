"""How the bindings of a crate look: where HIP's declarations come from, enumerations, editions."""

from dataclasses import dataclass
from enum import StrEnum

from porting.headers.rust.enums import EnumStyle


class Bindings(StrEnum):
    """Where HIP's own declarations come from.

    DECLARED: they are in the generated file, which then needs no bindgen and no headers.
    BINDGEN: the crate's build script binds HIP's headers into OUT_DIR/hip_sys.rs.
    """

    DECLARED = "declared"
    BINDGEN = "bindgen"


@dataclass(frozen=True)
class Style:
    """How the crate's bindings look: enumerations, derived Default, the edition of the crate."""

    enums: EnumStyle = EnumStyle.CONSTS
    default: bool = False
    edition: str = "2021"
    bindings: Bindings = Bindings.DECLARED
