"""Whether host code can be put where the loader likes."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.elf import Kind
from porting.link.codes import NOT_PIC, TEXTREL
from porting.link.subject import Subject


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding for an object that cannot go into a shared library, or one that did."""
    places = subject.file.fixed_places
    if places:
        first = places[0]
        message = f"{first.relocation} against {first.symbol or 'a local place'} in {first.section}"
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        message += f"{more}: the object cannot go into a shared library"
        advice = "compile it with -fPIC (nvcc: -Xcompiler -fPIC)"
        yield subject.found(NOT_PIC, message, advice, first.symbol)
    if subject.file.kind is Kind.SHARED and subject.file.text_relocations:
        message = "DT_TEXTREL is set: code without -fPIC was linked in"
        yield subject.found(TEXTREL, message, "compile every object with -fPIC; link with -z text")
