"""Error codes and error state: what a missing device returns, deferred checks, bare numbers."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.semantics.codes import DEFERRED, DEVICE_COUNT, ERROR_NUMBER, FAILS, NO_DRIVER
from porting.rules.unit import Unit
from porting.rules.variables import (
    declarations,
    initial_value,
    integer,
    is_a,
    is_result_unused,
)
from porting.syntax import NUMBER

# Every number that hip_runtime_api.h (ROCm 6.2 to 7.1) gives to an error, all of CUDA's meaning.
_SHARED: Final = frozenset(
    (
        *(*range(10), 12, 13, 17, 21, 35, 52, 53, 98, 100, 101, 200, 201, 202, *range(205, 220)),
        *(300, 301, 302, 303, 304, 400, 401, 500, 600, 700, 701, 702, 704, 705, 708, 709, 710),
        *(712, 713, 719, 720, 801, *range(900, 909), 910, 911, 912, 999),
    )
)
_ERROR_TYPES: Final = ("cudaError_t", "cudaError", "CUresult", "hipError_t")
_COUNTS: Final = ("cudaGetDeviceCount", "cuDeviceGetCount")
_CHECKS: Final = ("cudaGetLastError", "cudaPeekAtLastError")
_PROFILER: Final = ("cudaProfilerStart", "cudaProfilerStop", "cuProfilerStart", "cuProfilerStop")
_API_CALL: Final = re.compile(r"cu(?:da)?[A-Z]\w*")
_RUNTIME_CALL: Final = re.compile(r"cuda(?!Error|Success|GetErrorString|GetErrorName)[A-Z]\w*")


def check_errors(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what differs in error codes and error state."""
    yield from _check_counts(unit)
    yield from _check_no_driver(unit)
    yield from _check_numbers(unit)
    yield from _check_profiler(unit)
    if unit.target.release < (7, 0):
        yield from _check_deferred(unit)


def _check_counts(unit: Unit) -> Iterator[Diagnostic]:
    for name in _COUNTS:
        for call in unit.calls(name):
            if len(call.arguments) != 1 or not is_result_unused(unit, call):
                continue
            words = [t.text for t in unit.tokens[call.arguments[0].first : call.arguments[0].last]]
            if len(words) != 2 or words[0] != "&":  # noqa: PLR2004
                continue
            value = initial_value(unit, call.name, words[1])
            if value not in ("", "0"):
                yield unit.diagnose(
                    DEVICE_COUNT,
                    unit.tokens[call.name],
                    f"'{words[1]}' is {value} before '{name}' and read after it: on failure HIP"
                    " sets it to 0",
                    help="test the result of the call instead of the count",
                )


def _check_no_driver(unit: Unit) -> Iterator[Diagnostic]:
    handled = {_function(unit, n) for n in unit.where("cudaErrorNoDevice")}
    for number in unit.where("cudaErrorInsufficientDriver"):
        before = unit.tokens[number - 1].text if number else ""
        after = unit.tokens[number + 1].text if number + 1 < len(unit.tokens) else ""
        compared = before in ("==", "!=", "case") or after in ("==", "!=")
        if compared and _function(unit, number) not in handled:
            yield unit.diagnose(
                NO_DRIVER,
                unit.tokens[number],
                "without a driver HIP returns hipErrorNoDevice, not hipErrorInsufficientDriver",
                help="test for hipErrorNoDevice too",
            )


def _check_numbers(unit: Unit) -> Iterator[Diagnostic]:
    """Yield comparisons of an error variable with a number that is no HIP error."""
    typed = {d for kind in _ERROR_TYPES for d in declarations(unit, kind)}
    deduced = {d for d in declarations(unit, "auto") if _is_result_of_call(unit, d)}
    for name in sorted({unit.tokens[d].text for d in typed | deduced}):
        for number in unit.where(name):
            value = _compared_number(unit, number)
            if value is None or value in _SHARED:
                continue
            function = _function(unit, number)
            if is_a(unit, number, _ERROR_TYPES) or any(
                unit.tokens[d].text == name and _function(unit, d) == function for d in deduced
            ):
                yield unit.diagnose(
                    ERROR_NUMBER,
                    unit.tokens[number],
                    f"'{name}' is compared with {value}, which is no HIP error",
                    help="compare with the name of the error",
                )


def _is_result_of_call(unit: Unit, declared: int) -> bool:
    """Whether a variable is initialized by a call of either API (`auto e = cudaMalloc(...)`)."""
    after = unit.tokens.words[declared + 1 : declared + 4]
    return (
        len(after) == 3  # noqa: PLR2004
        and after[0] in ("=", "{")
        and after[2] == "("
        and _API_CALL.fullmatch(after[1]) is not None
    )


def _compared_number(unit: Unit, number: int) -> int | None:
    """Return the number that the variable at a token is compared with, if any."""
    tokens = unit.tokens
    for operator, operand in ((number + 1, number + 2), (number - 1, number - 2)):
        if not (0 <= operand < len(tokens) and tokens[operator].text in ("==", "!=")):
            continue
        if tokens[operand].kind == NUMBER:
            return integer(tokens[operand].text)
    return None


def _check_profiler(unit: Unit) -> Iterator[Diagnostic]:
    for name in _PROFILER:
        for call in unit.calls(name):
            if not is_result_unused(unit, call):
                yield unit.diagnose(
                    FAILS,
                    unit.tokens[call.name],
                    f"'{name}' returns hipErrorNotSupported on some releases, and its result is"
                    " used",
                    help="do not check the result, or steer the profiler by roctxProfilerResume",
                )


def _check_deferred(unit: Unit) -> Iterator[Diagnostic]:
    """Yield checks of a launch that another runtime call stands in front of."""
    launches = unit.launches
    if not launches:
        return
    runtime = sorted(
        number
        for name, numbers in unit.index.items()
        if _RUNTIME_CALL.fullmatch(name)
        for number in numbers
        if number + 1 < len(unit.tokens) and unit.tokens[number + 1].text == "("
    )
    checks = sorted(number for name in _CHECKS for number in unit.where(name))
    for check in checks:
        function = _function(unit, check)
        launch = max((n for n in launches if n < check), default=-1)
        if launch < 0 or _function(unit, launch) != function:
            continue
        between = [n for n in runtime if launch < n < check]
        end = _end_of_launch(unit, launch)
        between = [n for n in between if n > end]
        if between and between[0] not in checks:
            other = unit.tokens[between[0]].text
            yield unit.diagnose(
                DEFERRED,
                unit.tokens[check],
                f"in ROCm {unit.target.rocm} '{other}' overwrites the error of the launch before"
                f" '{unit.tokens[check].text}' reads it",
                help="read the error right after the launch",
            )


def _end_of_launch(unit: Unit, launch: int) -> int:
    for index in range(launch, len(unit.tokens)):
        if unit.tokens[index].text == ";":
            return index
    return launch


def _function(unit: Unit, index: int) -> int:
    function = unit.functions.around(index)
    return -1 if function is None else function.first
