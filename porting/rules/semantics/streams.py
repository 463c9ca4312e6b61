"""Streams: the per-thread default stream, and priorities outside HIP's range."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.semantics.codes import DEFAULT_STREAM, DIFFERS
from porting.rules.unit import Unit
from porting.rules.variables import integer

_PER_THREAD: Final = ("CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_API_PER_THREAD_DEFAULT_STREAM")
_CREATE: Final = ("cudaStreamCreateWithPriority", "cuStreamCreateWithPriority")
_HIGHEST: Final = -1  # hipDeviceGetStreamPriorityRange on AMD GPUs gives 1 to -1


def check_streams(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what differs in default streams and priorities."""
    for name in _PER_THREAD:
        for number in unit.where(name):
            yield unit.diagnose(
                DEFAULT_STREAM,
                unit.tokens[number],
                f"'{name}' has no effect in HIP: the default stream stays the shared one",
                help="compile with -fgpu-default-stream=per-thread",
            )
    for name in _CREATE:
        for call in unit.calls(name):
            if len(call.arguments) != 3:  # noqa: PLR2004
                continue
            place = call.arguments[2]
            value = integer(unit.text_of(place.first, place.last).replace(" ", ""))
            if value is not None and value < _HIGHEST:
                message = (
                    f"priority {value} is outside of HIP's range, which ends at {_HIGHEST}: the"
                    " stream gets that one"
                )
                yield unit.diagnose(DIFFERS, unit.tokens[call.name], message)
