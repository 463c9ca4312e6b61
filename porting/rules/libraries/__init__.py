"""Libraries beyond renames: CUB, Thrust, libcu++, cuBLAS, and those that ROCm has no port of."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.libraries.blas import check_blas
from porting.rules.libraries.codes import CODES
from porting.rules.libraries.cub import check_cub
from porting.rules.libraries.foreign import check_foreign
from porting.rules.libraries.libcudacxx import check_libcudacxx
from porting.rules.libraries.thrust import check_thrust
from porting.rules.unit import Unit

__all__ = ["CODES", "check"]


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of the names of CUDA's C++ libraries and of foreign ones."""
    yield from check_thrust(unit)
    yield from check_libcudacxx(unit)
    yield from check_cub(unit)
    yield from check_foreign(unit)
    yield from check_blas(unit)
