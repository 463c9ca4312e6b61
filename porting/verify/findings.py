"""Results of compilations as diagnostics of the input: each fault once, at its place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, by_place
from porting.mapping import Names, Status
from porting.reports import Outcome
from porting.verify.codes import COMPILE_ERROR, MISSING_HEADER, NOT_COMPILED
from porting.verify.messages import ClangError
from porting.verify.results import DEVICE, Result

Origin = Callable[[str, int], tuple[str, int]]


@dataclass
class _Fault:
    """The same complaint at the same place, from however many compilations."""

    code: Code
    file: str
    line: int
    column: int
    text: str
    symbol: str = ""
    units: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)


def diagnostics(
    results: Sequence[Result], root: Path, target: Target, origin: Origin
) -> list[Diagnostic]:
    """Return the findings of all results, sorted by place.

    `origin` maps a file and line of the output to those of the input.  A fault in a header that
    many units share is one finding; one that only some architectures show names them.  What no
    unit is to blame for is one finding at the first unit.
    """
    faults: dict[tuple[str, str, int, int, str], _Fault] = {}
    for result in results:
        for fault in _faults(result, root):
            place = ("", 0, 0) if result.general else (fault.file, fault.line, fault.column)
            key = (fault.code.code, *place, fault.text)
            known = faults.setdefault(key, fault)
            _add(known.units, result.job.unit.path)
            _add(known.where, result.job.arch if result.job.stage == DEVICE else "host")
    return by_place(_diagnostic(fault, target, origin) for fault in faults.values())


def _faults(result: Result, root: Path) -> Iterable[_Fault]:
    unit = result.job.unit.path
    for error in result.errors:
        code = MISSING_HEADER if error.missing_header else COMPILE_ERROR
        file, line, column = _place(error, root, unit)
        yield _Fault(code, file, line, column, _text(error), error.missing_header)
    if result.outcome is Outcome.NOT_VERIFIED and not result.errors:
        yield _Fault(NOT_COMPILED, unit, 1, 1, f"not verified: {result.reason}")


def _place(error: ClangError, root: Path, unit: str) -> tuple[str, int, int]:
    """Return where in the tree an error belongs; what happened nowhere in it is the unit's.

    clang prints paths without links and dots, however the tree was named.
    """
    root = root.resolve()
    place = error.best_place(lambda path: Path(path).is_relative_to(root))
    if place is None:
        return unit, 1, 1
    return Path(place.path).relative_to(root).as_posix(), place.line, place.column


def _text(error: ClangError) -> str:
    if error.missing_header:
        return f"not verified: header {error.missing_header}"
    return error.text


def _diagnostic(fault: _Fault, target: Target, origin: Origin) -> Diagnostic:
    file, line = origin(fault.file, fault.line)
    message = fault.text + _only(fault.where, target.archs)
    return fault.code.at(
        file,
        message,
        _help(fault, target.rocm),
        line=line,
        column=fault.column,
        symbol=fault.symbol,
    )


def _only(where: Sequence[str], archs: Sequence[str]) -> str:
    """Return " (gfx1100)" for what not all compilations show, "" for what the others imply."""
    if "host" in where or set(archs) <= set(where):
        return ""
    return f" ({', '.join(where)})"


def _help(fault: _Fault, rocm: str) -> str:
    seen = f"in the output: {fault.file}:{fault.line}"
    others = [unit for unit in fault.units if unit != fault.file]
    if others:
        rest = f" and {len(others) - 1} more" if len(others) > 1 else ""
        seen += f", compiling {others[0]}{rest}"
    if fault.code is MISSING_HEADER:
        return f"{seen}; {_advice(fault.symbol, rocm)}"
    return seen


def _advice(header: str, rocm: str) -> str:
    """Return what to do about a header that is not there: no folder has one of CUDA's for HIP."""
    known = Names.load(rocm).header(header)
    if known is None or known.status is Status.UNCHANGED:
        return "name its folder in include-dirs, or verify where ROCm is installed"
    if known.status is Status.MAPPED:
        return (
            f"{header} is a header of CUDA, {known.target} in ROCm {rocm}: this text is not ported"
        )
    advice = f": {known.help}" if known.help else ""
    return f"{header} is a header of CUDA, and ROCm {rocm} has none in its place{advice}"


def _add(items: list[str], item: str) -> None:
    if item not in items:
        items.append(item)
