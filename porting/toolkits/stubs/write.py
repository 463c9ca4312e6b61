"""Write the headers of a set of stubs into a tree."""

from pathlib import Path

from porting.toolkits import wheels
from porting.toolkits.stubs import pxd
from porting.toolkits.stubs.c_header import render
from porting.toolkits.stubs.libraries import Library, StubSet
from porting.toolkits.stubs.values import load
from porting.toolkits.wheels import Say


def write_headers(stubs: StubSet, include: Path, say: Say) -> list[str]:
    """Write the headers of `stubs` below `include`; return their paths below it.

    Raises ToolchainError when the wheel cannot be had or a stub is of an unknown form.
    """
    folder = wheels.fetch(stubs.wheel, say)
    for library in stubs.libraries:
        header = include / library.header
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(_text(stubs, library, folder))
    return [library.header for library in stubs.libraries]


def _text(stubs: StubSet, library: Library, folder: Path) -> str:
    declarations = pxd.parse((folder / library.stub).read_text())
    values = dict(load(stubs.values)[library.module])
    if library.borrowed is not None:
        lender = next(other for other in stubs.libraries if other.module == library.borrowed.module)
        lent = pxd.parse((folder / lender.stub).read_text())
        values |= load(stubs.values)[lender.module]
        declarations = [d for d in lent if d.name in library.borrowed.names] + declarations
    return render(library, declarations, values, stubs.rocm, stubs.wheel.pin)
