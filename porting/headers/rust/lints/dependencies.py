"""Dependencies that bind or open CUDA's libraries."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.headers.rust.codes import CUDA_CRATE
from porting.headers.rust.uses import CUDA_CRATES, Uses


def check_dependencies(uses: Uses) -> Iterator[Diagnostic]:
    """Yield a finding where code first reaches into each such crate."""
    for name in sorted(uses.crate.dependencies & CUDA_CRATES):
        for file in uses.crate.files:
            place = next((t for t in file.code if t.name == name), None)
            if place is not None:
                yield CUDA_CRATE.at(
                    file.path,
                    f"the crate {name} binds CUDA's libraries, which are not there on ROCm",
                    "make it optional, and take what is used of it from rocm_compat",
                    line=place.line,
                    column=place.column,
                    symbol=name,
                )
                break
