"""Names that compile under their HIP name and do not do quite the same, as data.

Source of every entry: the comment beside the name in hip_runtime_api.h of ROCm 7.1, unless said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.rules.semantics.codes import (
    DIFFERS,
    IGNORED,
    SIGNAL_MEMORY,
    UNREGISTERED,
    UNSUPPORTED_FLAG,
)
from porting.rules.unit import Unit
from porting.syntax import call_at


@dataclass(frozen=True)
class _Mention:
    """What is to be said where one of `names` stands; once a file when `once`.

    `severity`: of a call, instead of the code's own.  `fine_with`: with one of these names in the
    file, there is nothing to do.
    """

    names: str
    code: Code
    what: str
    advice: str = ""
    once: bool = False
    severity: Severity | None = None
    fine_with: tuple[str, ...] = ()


_MENTIONS: Final = (
    _Mention(
        "cudaHostRegisterIoMemory CU_MEMHOSTREGISTER_IOMEMORY",
        UNSUPPORTED_FLAG,
        "is not supported: I/O memory, such as a NIC's doorbell, cannot be registered",
        "map the device memory by the driver of the device, or pass doorbells by the host",
    ),
    _Mention(
        "cudaGraphInstantiateFlagAutoFreeOnLaunch cudaGraphInstantiateFlagUseNodePriority"
        " CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH"
        " CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY",
        UNSUPPORTED_FLAG,
        "is ignored: hipGraphInstantiateWithFlags supports no flag, says AMD's header",
        "free in the graph what the graph allocates, and set priorities on streams",
    ),
    _Mention(
        "cudaGraphInstantiateFlagDeviceLaunch CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH",
        UNSUPPORTED_FLAG,
        "is not supported: graphs are launched from the host only",
        "launch the graph from the host",
    ),
    _Mention(
        "cudaHostAllocWriteCombined CU_MEMHOSTALLOC_WRITECOMBINED"
        " cudaHostRegisterReadOnly CU_MEMHOSTREGISTER_READ_ONLY cudaDeviceLmemResizeToMax"
        " CU_CTX_LMEM_RESIZE_TO_MAX",
        IGNORED,
        "is accepted and ignored",
    ),
    _Mention(
        "cudaFuncSetCacheConfig cudaDeviceSetCacheConfig cuFuncSetCacheConfig"
        " cuCtxSetCacheConfig cudaFuncSetSharedMemConfig cudaDeviceSetSharedMemConfig"
        " cuCtxSetSharedMemConfig cuFuncSetSharedMemConfig"
        " cudaFuncAttributePreferredSharedMemoryCarveout",
        IGNORED,
        "is a hint that AMD GPUs ignore: their caches and LDS are not configurable",
    ),
    _Mention(
        "cudaStreamAttachMemAsync cuStreamAttachMemAsync",
        IGNORED,
        "does nothing yet in HIP: managed memory is not tied to streams",
    ),
    _Mention(
        "cudaLimitPrintfFifoSize CU_LIMIT_PRINTF_FIFO_SIZE",
        UNSUPPORTED_FLAG,
        "is not supported: hipDeviceSetLimit does not size the buffer of printf",
        "do without the limit, or do not check the result",
    ),
    _Mention(
        "cudaStreamWaitValue32 cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue64"
        " cuStreamWaitValue64_v2",
        SIGNAL_MEMORY,
        "waits on memory that hipExtMallocWithFlags gave with hipMallocSignalMemory",
        "allocate the flag with hipMallocSignalMemory",
    ),
    _Mention(
        "cudaMemoryTypeUnregistered",
        UNREGISTERED,
        "is never returned: hipPointerGetAttributes fails with hipErrorInvalidValue instead",
        "treat hipErrorInvalidValue as unregistered, and clear it by hipGetLastError",
    ),
    _Mention(
        "cudaMallocManaged cuMemAllocManaged",
        DIFFERS,
        "migrates pages only where XNACK is on (HSA_XNACK=1, gfx90a and gfx942); elsewhere the"
        " memory stays on the host and is read over the bus",
        once=True,
    ),
    _Mention(
        "cuMemGetHandleForAddressRange",
        DIFFERS,
        "exports the whole allocation that holds the range, not the range",
        "pass the range's offset along",
        severity=Severity.WARNING,
    ),
    _Mention(
        "cudaMemcpyBatchAsync cuMemcpyBatchAsync",
        DIFFERS,
        "takes the copy attributes and does not support them",
        once=True,
    ),
    _Mention(
        "cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuLibraryLoadData"
        " cuLibraryLoadFromFile cudaLibraryLoadData cudaLibraryLoadFromFile",
        DIFFERS,
        "loads AMD code objects: PTX and cubin images do not load",
        "build the kernel for the target by hiprtc or clang --offload-arch",
        once=True,
        severity=Severity.WARNING,
        fine_with=("nvrtcGetPTX", "nvrtcGetCUBIN", "hiprtcGetCode"),
    ),
)


_NAMES: Final = {
    name: number for number, mention in enumerate(_MENTIONS) for name in mention.names.split()
}


def check_mentions(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the difference of every name in the table that the file uses."""
    for number in sorted({_NAMES[name] for name in _NAMES.keys() & unit.index.keys()}):
        yield from _check(unit, _MENTIONS[number])


def _check(unit: Unit, mention: _Mention) -> Iterator[Diagnostic]:
    told = False
    is_fine = any(map(unit.where, mention.fine_with))
    for name in mention.names.split():
        if name in unit.project.declared:
            continue
        for number in unit.where(name):
            if told and mention.once:
                break
            told = True
            is_note = is_fine or (
                mention.severity is not None and call_at(unit.tokens, number) is None
            )
            yield unit.diagnose(
                mention.code,
                unit.tokens[number],
                f"'{name}' {mention.what}",
                help="" if is_note else mention.advice,
                severity=None if is_note else mention.severity,
            )
