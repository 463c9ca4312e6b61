"""Allocations that HIP refuses while a stream captures, where CUDA's relaxed mode allows them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.semantics.codes import CAPTURE
from porting.rules.unit import Unit
from porting.syntax import Call

_BEGIN: Final = ("cudaStreamBeginCapture", "cuStreamBeginCapture", "cudaStreamBeginCaptureToGraph")
_END: Final = ("cudaStreamEndCapture", "cuStreamEndCapture")
_EXCHANGE: Final = ("cudaThreadExchangeStreamCaptureMode", "cuThreadExchangeStreamCaptureMode")
_RELAXED: Final = ("cudaStreamCaptureModeRelaxed", "CU_STREAM_CAPTURE_MODE_RELAXED")
# The stream is the last argument.
_POOLED: Final = (
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaFreeAsync",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
)
_PLAIN: Final = (
    "cudaMalloc",
    "cudaFree",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaFreeHost",
    "cudaHostRegister",
    "cudaMemPoolTrimTo",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemAllocHost",
    "cuMemHostAlloc",
)


@dataclass
class _Scope:
    """What one function does with captures, by token index."""

    begins: list[tuple[int, str]] = field(default_factory=list)  # and the captured stream
    ends: list[int] = field(default_factory=list)
    exchanges: list[int] = field(default_factory=list)
    relaxed: list[int] = field(default_factory=list)

    def captured(self, index: int) -> frozenset[str]:
        """Return the streams whose capture is open at a token."""
        last_end = max((end for end in self.ends if end < index), default=-1)
        return frozenset(stream for at, stream in self.begins if last_end < at < index)

    def is_relaxed(self, index: int) -> bool:
        """Whether the thread was put into relaxed mode before a token, and not put back."""
        if self.exchanges:
            return sum(at < index for at in self.exchanges) % 2 == 1
        return any(at < index for at in self.relaxed)


def check_capture(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the allocations in a capture or in a relaxed window."""
    scopes = _scopes(unit)
    if not scopes:
        return
    for name in (*_POOLED, *_PLAIN):
        for call in unit.calls(name):
            scope = scopes.get(_key(unit, call.name))
            if scope is None:
                continue
            captured = scope.captured(call.name)
            if not captured and not scope.is_relaxed(call.name):
                continue
            if name in _POOLED and _text(unit, call, -1) in captured:
                continue  # a node of the graph on both platforms
            yield _report(unit, call)


def _report(unit: Unit, call: Call) -> Diagnostic:
    token = unit.tokens[call.name]
    return unit.diagnose(
        CAPTURE,
        token,
        f"'{token.text}' while a stream may be capturing: HIP refuses it with error 900 where CUDA"
        " allows it in relaxed mode",
        help="allocate before the capture begins, or on the capturing stream",
    )


def _scopes(unit: Unit) -> dict[int, _Scope]:
    """Return the functions that begin captures or change the mode, by their first token."""
    found: defaultdict[int, _Scope] = defaultdict(_Scope)
    begun: set[int] = set()  # tokens inside the calls that begin a capture
    for call in _calls(unit, _BEGIN):
        found[_key(unit, call.name)].begins.append((call.name, _text(unit, call, 0)))
        begun.update(range(call.open, call.close))
    for call in _calls(unit, _EXCHANGE):
        found[_key(unit, call.name)].exchanges.append(call.name)
    for call in _calls(unit, _END):
        found[_key(unit, call.name)].ends.append(call.name)
    for number in (n for name in _RELAXED for n in unit.where(name) if n not in begun):
        found[_key(unit, number)].relaxed.append(number)
    return dict(found)


def _calls(unit: Unit, names: Sequence[str]) -> Iterator[Call]:
    return (call for name in names for call in unit.calls(name))


def _key(unit: Unit, index: int) -> int:
    function = unit.functions.around(index)
    return -1 if function is None else function.first


def _text(unit: Unit, call: Call, argument: int) -> str:
    if not call.arguments:
        return ""
    place = call.arguments[argument]
    return "".join(t.text for t in unit.tokens[place.first : place.last])
