"""What must not meet in one process: two runtimes, two versions of one library."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from porting.diagnostics import Code, Diagnostic
from porting.link.codes import NOT_FOUND, TWO_CUDARTS, TWO_HIPS, TWO_MAJORS, WHICH_COPY
from porting.link.follows import has_static_cudart
from porting.link.libraries import VendorFile, vendor_file
from porting.link.reach import Reach

_HIP = ("cudart", "rocm")
_CUDART = ("cudart", "cuda")


@dataclass(frozen=True, slots=True)
class _Copy:
    """A vendor's library in the process, loaded or missing; `by` needs it."""

    name: str
    vendor: VendorFile
    place: str
    by: str


def check_process(about: str, reach: Reach) -> Iterator[Diagnostic]:
    """Yield the findings of a process; `about` is the file that they are told of."""
    copies = _copies(reach)
    yield from _cudarts(about, reach, copies)
    for key, found in copies.items():
        if len(found) > 1:
            yield from _versions(about, key, found)
    for name, path, by in reach.others:
        if vendor_file(name):
            message = f"{by} would load {path}, and another {name} is loaded before it"
            advice = "let the RUNPATH of every file of the process name one folder"
            yield WHICH_COPY.at(about, message, advice, symbol=name)
    for missing in reach.missing:
        message = f"{missing.name}, needed by {missing.by}, is not found on this machine"
        advice = "install it, or audit on the machine that is to run the file"
        yield NOT_FOUND.at(about, message, advice, symbol=missing.name)


def _copies(reach: Reach) -> dict[tuple[str, str], list[_Copy]]:
    """Return the vendors' libraries of a process by library and platform, each name once."""
    found: dict[tuple[str, str], dict[str, _Copy]] = defaultdict(dict)
    named = [(i.file.soname or i.path.name, str(i.path), i.by) for i in reach.loaded]
    named += [(missing.name, "not found", missing.by) for missing in reach.missing]
    for name, place, by in named:
        vendor = vendor_file(name)
        if vendor:
            key = (vendor.library.id, vendor.platform)
            found[key].setdefault(name, _Copy(name, vendor, place, by))
    return {key: list(copies.values()) for key, copies in found.items()}


def _cudarts(
    about: str, reach: Reach, copies: dict[tuple[str, str], list[_Copy]]
) -> Iterator[Diagnostic]:
    shared = copies.get(_CUDART, [])
    holders = [item.file.name for item in reach.loaded if has_static_cudart(item.file)]
    apart = [name for name in holders if any(copy.by != name for copy in shared)]
    if apart and shared:
        message = f"{apart[0]} holds a static cudart, and {_shown(shared[0])} is loaded too"
        advice = "link every file of the process with -cudart static, or every one with shared"
        yield TWO_CUDARTS.at(about, message, advice, symbol=shared[0].name)


def _versions(about: str, key: tuple[str, str], copies: list[_Copy]) -> Iterator[Diagnostic]:
    """Yield a finding for libraries that the loader takes for different ones.

    A HIP runtime without a number in its name is a second one beside one with it: packages of
    torch carry their own under such a name.
    """
    first, second = copies[0], copies[1]
    code: Code = TWO_HIPS if key == _HIP else TWO_MAJORS
    majors = {copy.vendor.major for copy in copies} - {""}
    if key != _HIP and len(majors) < 2:  # noqa: PLR2004 - two of them
        return
    message = f"{_shown(first)} and {_shown(second)} are both loaded"
    advice = "build every file of the process against one copy"
    yield code.at(about, message, advice, symbol=second.name)


def _shown(copy: _Copy) -> str:
    by = f", needed by {copy.by}" if copy.by else ""
    return f"{copy.name} ({copy.place}{by})"
