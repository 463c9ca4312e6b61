"""The errors of `--faults` by the vendors' names: the numbers that a platform's headers give them.

The libraries read numbers.  Of a name the family has to be that of the call, since a test for
CUDA_ERROR_OUT_OF_MEMORY never sees a cudaError_t, whichever number it has.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from porting.emulate.toolkits import Headers
from porting.errors import UsageError
from porting.mapping import Names

_NAMED = re.compile(r"^\s*((?:cudaError|CUDA_ERROR_|hipError)\w+)\s*=\s*([1-9]\d*)\b", re.MULTILINE)


@dataclass(frozen=True)
class _Family:
    """The errors of one interface: how names begin, what its calls look like, who declares it."""

    platform: str
    prefix: str
    calls: re.Pattern[str]
    header: str


_FAMILIES = (
    _Family("cuda", "cudaError", re.compile("cuda"), "driver_types.h"),
    _Family("cuda", "CUDA_ERROR_", re.compile("cu(?!da)"), "cuda.h"),
    _Family("rocm", "hipError", re.compile("hip"), "hip/hip_runtime_api.h"),
)


def numbered(faults: str, headers: Headers) -> str:
    """Return a list of faults with numbers for names.

    Raises UsageError for what the platform's headers have no error of, with the name that is
    meant where there is one.
    """
    entries = filter(None, faults.split(";"))
    return ";".join(_numbered(entry, headers) for entry in entries)


def without_those_of_others(faults: str, platform: str) -> str:
    """Leave out the faults whose error another platform has by its name."""
    entries = filter(None, faults.split(";"))
    return ";".join(
        entry
        for entry in entries
        if (family := _family_of(_error_of(entry))) is None or family.platform == platform
    )


def _numbered(entry: str, headers: Headers) -> str:
    error = _error_of(entry)
    if error.isdecimal():
        return entry
    call = entry.removesuffix(f"={error}")
    family = _family_of(error)
    known = _numbers(headers.include, headers.platform)
    if family is not None and family.platform != headers.platform:
        right = [name for name in _counterparts(error, headers) if _may_end(call, name)]
        raise _refused(entry, f"{error} is no error of {headers.platform}", right)
    if error not in known:
        what = f"{error} is no error of {headers.platform} {headers.release}"
        candidates = [name for name in known if _may_end(call, name)]
        raise _refused(entry, what, _nearest(error, candidates))
    if not _may_end(call, error):
        right = [name for name in known if known[name] == known[error] and _may_end(call, name)]
        raise _refused(entry, f"no call of that interface returns {error}", right)
    return f"{call}={known[error]}"


def _nearest(error: str, known: list[str]) -> list[str]:
    """Return the names that are most alike; what all of them begin with says nothing."""
    by_rest = {_rest_of(name): name for name in known}
    return [by_rest[rest] for rest in get_close_matches(_rest_of(error), by_rest, 3)]


def _rest_of(error: str) -> str:
    return re.sub("^(cudaError|CUDA_ERROR_|hipError)", "", error).lower()


def _refused(entry: str, what: str, right: list[str]) -> UsageError:
    advice = (
        f"write {' or '.join(right)}" if right else "give the number of the error that is meant"
    )
    return UsageError(f"--faults has '{entry}', but {what}; {advice}")


def _error_of(entry: str) -> str:
    return entry.rpartition("=")[2]


def _family_of(error: str) -> _Family | None:
    return next((each for each in _FAMILIES if error.startswith(each.prefix)), None)


def _may_end(call: str, error: str) -> bool:
    """Whether a call is of the error's interface; kernels end with what either has."""
    family = _family_of(error)
    return call.startswith("kernel ") or (family is not None and bool(family.calls.match(call)))


def _counterparts(error: str, headers: Headers) -> list[str]:
    """Return the names that an error of another platform has in this one."""
    known = _numbers(headers.include, headers.platform)
    if headers.platform == "rocm":
        found = _newest().get(error)
        target = found.target if found is not None else None
        return [target] if target is not None and target in known else []
    return [name for name, record in _newest().among(known).items() if record.target == error]


@cache
def _newest() -> Names:
    return Names.load(Names.load("7.0").releases()[-1])


@cache
def _numbers(include: Path, platform: str) -> Mapping[str, int]:
    """Return the number of each error that a platform's headers declare."""
    texts = (
        (include / family.header).read_text(errors="replace")
        for family in _FAMILIES
        if family.platform == platform
    )
    return {name: int(number) for text in texts for name, number in _NAMED.findall(text)}
