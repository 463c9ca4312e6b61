"""Say which used names a compat header cannot provide, in the words of a port of the same tree."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.headers.compat import compat_findings
from porting.headers.generate import Headers
from porting.mapping import Names
from porting.rules import Unit
from porting.rules.names import UNSUPPORTED
from porting.suppress import Suppressions

# What a port finds in one file: what it tells, and what a comment of the file answers for.
Porter = Callable[[Unit], tuple[Sequence[Diagnostic], Sequence[Diagnostic]]]
_UNTOLD: Final[Code] = replace(UNSUPPORTED, severity=Severity.WARNING)


def names_without(
    made: Headers, units: Iterable[Unit], names: Names, port: Porter
) -> Iterator[Diagnostic]:
    """Yield each file's first finding about a name that HIP has nothing for, as a port has it.

    Files without such a name are not ported.  A name that a port says nothing of, as one that a
    macro joins, is a warning at its first use.
    """
    wanted = {item.name for item in made.missing}
    spoken: set[str] = set()
    for unit in units:
        if any(unit.where(name) for name in wanted):
            kept, suppressed = port(unit)
            left = list(_left(kept, unit, made, names))
            spoken.update(found.symbol for found in (*kept, *suppressed))
            yield from _firsts(found for found in left if found.symbol in wanted)
    yield from _untold(made, spoken)


def _left(
    kept: Sequence[Diagnostic], unit: Unit, made: Headers, names: Names
) -> Iterator[Diagnostic]:
    """Yield what is left in a compat tree and has no ignore comment."""
    ignores = Suppressions.read(unit.source, unit.lexed.comments)
    found = compat_findings(kept, unit, made, names)
    return (finding for finding in found if not ignores.covers(finding))


def _firsts(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the first finding about each name, the gravest where they differ."""
    best: dict[str, Diagnostic] = {}
    for finding in found:
        held = best.setdefault(finding.symbol, finding)
        if finding.severity.rank > held.severity.rank:
            best[finding.symbol] = finding
    yield from best.values()


def _untold(made: Headers, spoken: set[str]) -> Iterator[Diagnostic]:
    for item in made.missing:
        place = made.uses.place(item.name)
        if place is not None and item.name not in spoken:
            yield _UNTOLD.at(
                place.file,
                f"no HIP name for {item.name}: {item.reason}",
                item.help,
                line=place.line,
                column=place.column,
                symbol=item.name,
            )
