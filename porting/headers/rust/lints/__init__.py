"""What is wrong, or works otherwise on ROCm, in a Rust crate that uses CUDA."""

from collections.abc import Iterator

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.headers.rust.lints.cfgs import check_cfgs
from porting.headers.rust.lints.declarations import check_declarations
from porting.headers.rust.lints.dependencies import check_dependencies
from porting.headers.rust.lints.handles import check_handles
from porting.headers.rust.lints.libraries import check_libraries
from porting.headers.rust.lints.statuses import check_statuses
from porting.headers.rust.shapes import Shapes
from porting.headers.rust.uses import Uses

__all__ = ["lint"]


def lint(uses: Uses, shapes: Shapes, target: Target) -> Iterator[Diagnostic]:
    """Yield the findings in one crate."""
    yield from check_handles(uses, shapes)
    yield from check_cfgs(uses.crate)
    yield from check_statuses(uses)
    yield from check_libraries(uses, target)
    yield from check_declarations(uses, shapes)
    yield from check_dependencies(uses)
