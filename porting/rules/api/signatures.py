"""Where HIP's parameter lists differ from CUDA's, as data.

Read off by comparing every prototype of CUDA 11.8, 12.9 and 13.0 (runtime and driver headers) with
that of its HIP counterpart in the headers of ROCm 6.2 and 7.1, and with AMD's Python stubs of 6.2,
6.4, 7.0, 7.1 and 7.2 for the release in which a form appeared.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Final, TypedDict, Unpack

from porting.rules.api.changes import (
    Cast,
    Change,
    DropNull,
    Insert,
    OnlyNull,
    Rename,
    Symbol,
)

_KERNEL: Final = "const void*"
_EDGES: Final = "edge data"


@dataclass(frozen=True)
class Signature:
    """One way to call a CUDA function, and what makes a HIP call of it.

    `counts`: the numbers of arguments that mean this way; empty: any.  `since`, `until`: the ROCm
    releases it is for, `until` not included.  `null`: the argument that must be a null pointer for
    this form.  `note`: what the message says was done; `help`: what to do when the changes are
    refused.  `refuse`: why there is no change that fits.
    """

    name: str
    changes: tuple[Change, ...]
    note: str
    counts: tuple[int, ...] = ()
    null: int = -1
    refuse: str = ""
    help: str = ""
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] = (99, 0)

    def covers(self, count: int | None, release: tuple[int, int]) -> bool:
        """Whether this is the form of a call with `count` arguments (None: not known)."""
        if not self.since <= release < self.until:
            return False
        return not self.counts or count in self.counts


class _More(TypedDict, total=False):
    counts: tuple[int, ...]
    null: int
    refuse: str
    help: str
    since: tuple[int, int]
    until: tuple[int, int]


def _same(
    names: str, *changes: Change, note: str = "", **more: Unpack[_More]
) -> tuple[Signature, ...]:
    return tuple(Signature(name, changes, note, **more) for name in names.split())


_SYMBOLS: Final = (
    *_same(
        "cudaMemcpyToSymbol",
        Symbol(0),
        note="the symbol is passed in HIP_SYMBOL",
    ),
    *_same(
        "cudaMemcpyFromSymbol cudaGetSymbolAddress cudaGetSymbolSize",
        Symbol(1),
        note="the symbol is passed in HIP_SYMBOL",
    ),
    *_same(
        "cudaGraphAddMemcpyNodeToSymbol",
        Symbol(4, address=True),
        note="the symbol is passed by its address",
    ),
    *_same(
        "cudaGraphAddMemcpyNodeFromSymbol",
        Symbol(5, address=True),
        note="the symbol is passed by its address",
    ),
    *_same(
        "cudaGraphMemcpyNodeSetParamsToSymbol",
        Symbol(1, address=True),
        note="the symbol is passed by its address",
    ),
    *_same(
        "cudaGraphMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol",
        Symbol(2, address=True),
        note="the symbol is passed by its address",
    ),
    *_same(
        "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
        Symbol(3, address=True),
        note="the symbol is passed by its address",
    ),
)


def _async_symbol(name: str, symbol: int, kind: str) -> tuple[Signature, ...]:
    """HIP's asynchronous copies have no default for the offset and the kind."""
    note = "the symbol is passed in HIP_SYMBOL"
    more = f"{note}; HIP has no default for "
    return (
        Signature(
            name,
            (Symbol(symbol), Insert(3, "0"), Insert(4, kind)),
            f"{more}offset and kind",
            (3,),
        ),
        Signature(name, (Symbol(symbol), Insert(4, kind)), f"{more}the kind", (4,)),
        Signature(name, (Symbol(symbol),), note),
    )


_KERNEL_POINTERS: Final = (
    *_same(
        "cudaFuncSetAttribute cudaFuncSetCacheConfig cudaFuncSetSharedMemConfig cudaLaunchKernel",
        Cast(0, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
    ),
    *_same(
        "cudaFuncGetAttributes cudaGetFuncBySymbol",
        Cast(1, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
    ),
    *_same(
        "cudaLaunchKernelExC",
        Cast(1, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
        since=(7, 0),
    ),
)

_ALLOCATIONS: Final = (
    *_same(
        "cudaMallocHost",
        Rename("hipHostMalloc"),
        note="hipMallocHost takes neither a typed pointer nor flags",
    ),
    *_same(
        "cudaHostAlloc",
        Rename("hipHostMalloc"),
        note="hipHostAlloc takes no typed pointer before ROCm 7.1",
        until=(7, 1),
    ),
    *_same(
        "cudaMallocPitch",
        Cast(0, "void**"),
        note="hipMallocPitch takes no typed pointer before ROCm 7.1",
        until=(7, 1),
    ),
    *_same(
        "cudaHostGetDevicePointer",
        Cast(0, "void**"),
        note="hipHostGetDevicePointer takes no typed pointer",
    ),
)

_GRAPHS: Final = (
    *_same(
        "cudaGraphInstantiate cuGraphInstantiate",
        Rename("hipGraphInstantiateWithFlags"),
        note="the three-argument form is hipGraphInstantiateWithFlags",
        counts=(3,),
    ),
    *_same(
        "cudaGraphInstantiate cuGraphInstantiate",
        Rename("hipGraphInstantiateWithFlags"),
        Insert(2, "0"),
        note="the two-argument form is hipGraphInstantiateWithFlags with flags 0",
        counts=(2,),
    ),
    *_same(
        "cudaGraphInstantiateWithFlags",
        Insert(2, "0"),
        note="hipGraphInstantiateWithFlags has no default for the flags",
        counts=(2,),
    ),
    *_same(
        "cudaGraphExecUpdate cuGraphExecUpdate cuGraphExecUpdate_v2",
        refuse="HIP returns the error node and the result through two arguments",
        counts=(3,),
        help="call hipGraphExecUpdate(exec, graph, &errorNode, &result) with a hipGraphNode_t and a"
        " hipGraphExecUpdateResult in place of the result structure of CUDA 12",
    ),
    *(
        Signature(
            name + suffix,
            (Rename(target), DropNull(argument, _EDGES)),
            "HIP's graphs carry no edge data; the null argument was dropped",
            (count,),
            help="HIP has no edge data: build the graph with plain dependencies",
        )
        for stem, argument, count in (
            ("GraphAddDependencies", 3, 5),
            ("GraphRemoveDependencies", 3, 5),
            ("GraphGetEdges", 3, 5),
            ("GraphNodeGetDependencies", 2, 4),
            ("GraphNodeGetDependentNodes", 2, 4),
            ("GraphAddNode", 3, 6),
            ("StreamUpdateCaptureDependencies", 2, 5),
        )
        for name, suffix, target in (
            (f"cuda{stem}", "", f"hip{stem}"),
            (f"cuda{stem}", "_v2", f"hip{stem}"),
            (f"cu{stem}", "", f"hip{stem}"),
            (f"cu{stem}", "_v2", f"hip{stem}"),
        )
    ),
    *_same(
        "cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2",
        Rename("hipStreamUpdateCaptureDependencies"),
        DropNull(2, _EDGES),
        note="HIP's graphs carry no edge data; the null argument was dropped",
        counts=(4,),
        null=2,
    ),
    *_same(
        "cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3"
        " cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v3",
        Rename("hipStreamGetCaptureInfo_v2"),
        DropNull(5, _EDGES),
        note="HIP's graphs carry no edge data; the null argument was dropped",
        counts=(7,),
        help="HIP has no edge data: take the dependencies alone, by hipStreamGetCaptureInfo_v2",
    ),
    *_same(
        "cudaStreamGetCaptureInfo cuStreamGetCaptureInfo",
        Rename("hipStreamGetCaptureInfo_v2"),
        note="the form that returns the graph is hipStreamGetCaptureInfo_v2",
        counts=(2, 4, 5, 6),
    ),
)

_DRIVER: Final = (
    *_same(
        "cudaEventCreate cuEventCreate",
        Rename("hipEventCreateWithFlags"),
        note="the form with flags is hipEventCreateWithFlags",
        counts=(2,),
    ),
    *_same(
        "cuStreamCreate",
        Rename("hipStreamCreateWithFlags"),
        note="hipStreamCreate takes no flags",
        counts=(2,),
    ),
    *_same(
        "cuCtxCreate cuCtxCreate_v4",
        Rename("hipCtxCreate"),
        DropNull(1, "the creation parameters of CUDA 13"),
        note="HIP's contexts have no creation parameters; the null argument was dropped",
        counts=(4,),
        help="call hipCtxCreate(&context, flags, device): HIP has no execution affinity",
    ),
    *_same(
        "cuCtxCreate_v3",
        Rename("hipCtxCreate"),
        DropNull(1, "execution affinity"),
        DropNull(2, "execution affinity"),
        note="HIP's contexts have no execution affinity; the null arguments were dropped",
        counts=(5,),
        help="call hipCtxCreate(&context, flags, device): HIP has no execution affinity",
    ),
    *_same(
        "cuMemcpyHtoD cuMemcpyHtoD_v2 cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2",
        Cast(1, "void*"),
        note="hipMemcpyHtoD takes a source that is not const before ROCm 7.0",
        until=(7, 0),
    ),
    *_same(
        "cuMemcpy",
        Rename("hipMemcpy"),
        Insert(3, "hipMemcpyDefault"),
        note="hipMemcpy takes the kind of copy",
        counts=(3,),
    ),
    *_same(
        "cuMemcpyAsync",
        Rename("hipMemcpyAsync"),
        Insert(3, "hipMemcpyDefault"),
        note="hipMemcpyAsync takes the kind of copy",
        counts=(4,),
    ),
    *_same(
        "cuMemcpyPeer cuMemcpyPeerAsync",
        refuse="HIP names the two devices by number, CUDA by context",
        help="pass the device numbers: hipMemcpyPeer(dst, dstDevice, src, srcDevice, bytes)",
    ),
    *_same(
        "cuFuncSetAttribute",
        refuse="hipFuncSetAttribute takes the host function of a kernel, not a loaded function",
        help="a loaded function needs no opt-in for dynamic LDS on AMD GPUs: launch with the size"
        " (64 KB at most before gfx950) and drop the call",
    ),
    *_same(
        "cuFuncSetCacheConfig cuFuncSetSharedMemConfig",
        refuse="the HIP function takes the host function of a kernel, not a loaded function",
        help="AMD GPUs have no such setting: drop the call",
    ),
    *_same(
        "cuOccupancyMaxPotentialBlockSize",
        Rename("hipModuleOccupancyMaxPotentialBlockSize"),
        DropNull(3, "a function that gives the shared memory for a block size"),
        note="HIP takes no shared memory function; the null argument was dropped",
        counts=(6,),
        help="ask hipModuleOccupancyMaxActiveBlocksPerMultiprocessor for each block size",
    ),
    *_same(
        "cuOccupancyMaxPotentialBlockSizeWithFlags",
        Rename("hipModuleOccupancyMaxPotentialBlockSizeWithFlags"),
        DropNull(3, "a function that gives the shared memory for a block size"),
        note="HIP takes no shared memory function; the null argument was dropped",
        counts=(7,),
        help="ask hipModuleOccupancyMaxActiveBlocksPerMultiprocessor for each block size",
    ),
    *_same(
        "cudaLibraryLoadData cudaLibraryLoadFromFile cuLibraryLoadData cuLibraryLoadFromFile",
        OnlyNull(2, "the type of the JIT options"),
        OnlyNull(5, "the type of the library options"),
        counts=(8,),
        help="pass null options: HIP's type for them is a pointer to a pointer",
        since=(7, 1),
    ),
    *_same(
        "cuCtxGetDevice_v2 cuCtxSynchronize_v2",
        refuse="HIP asks the current context only",
        help="make the context current by hipCtxPushCurrent, then call the form without it",
    ),
    *_same(
        "cusparseSpSM_solve",
        refuse="HIP takes the buffer of the analysis as an eleventh argument",
        counts=(10,),
        help="pass the buffer that hipsparseSpSM_analysis was given as the last argument",
    ),
    *_same(
        "cuDeviceGetTexture1DLinearMaxWidth",
        refuse="HIP takes a channel description instead of a format and a channel count",
        counts=(4,),
        help="describe the format by hipCreateChannelDesc and pass its address",
    ),
    *_same(
        "cudaUserObjectCreate",
        refuse="HIP has no form that deletes a typed object",
        counts=(3, 4),
        help="pass a destructor function: hipUserObjectCreate(&object, pointer, destroy, refs,"
        " flags)",
    ),
    *_same(
        "cudaMemcpyBatchAsync",
        refuse="HIP has no form with one attribute for all copies",
        counts=(6, 7),
        help="pass an array of attributes with one element, an array of indices with a 0, and 1",
        since=(7, 1),
    ),
    *_same(
        "cudaMemcpyBatchAsync cuMemcpyBatchAsync",
        Insert(7, "nullptr"),
        note="HIP keeps the index of the failed copy that CUDA 13 dropped",
        counts=(8,),
        since=(7, 1),
    ),
    *_same(
        "cudaMemcpy3DBatchAsync cuMemcpy3DBatchAsync",
        Insert(2, "nullptr"),
        note="HIP keeps the index of the failed copy that CUDA 13 dropped",
        counts=(4,),
        since=(7, 1),
    ),
    *_same(
        "cuGetProcAddress",
        Insert(4, "nullptr"),
        note="hipGetProcAddress has a fifth argument for the result of the look-up",
        counts=(4,),
    ),
)

# CUDA's C++ headers have defaults for these last arguments, HIP's do not.
_DEFAULTS: Final = (
    *_same(
        "cudaLaunchCooperativeKernel",
        Insert(4, "0"),
        Insert(5, "nullptr"),
        note="HIP has no defaults for the shared memory and the stream",
        counts=(4,),
    ),
    *_same(
        "cudaLaunchCooperativeKernel",
        Insert(5, "nullptr"),
        note="HIP has no default for the stream",
        counts=(5,),
    ),
    *_same(
        "cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2"
        " cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2",
        Insert(3, "nullptr"),
        note="HIP has no default for the stream",
        counts=(3,),
    ),
    *_same(
        "cudaMalloc3DArray",
        Insert(3, "0"),
        note="HIP has no default for the flags",
        counts=(3,),
    ),
    *_same(
        "cudaMemcpy2DArrayToArray",
        Insert(8, "hipMemcpyDeviceToDevice"),
        note="HIP has no default for the kind",
        counts=(8,),
    ),
)

SIGNATURES: Final[dict[str, tuple[Signature, ...]]] = {}
for _entry in chain(
    _SYMBOLS,
    _async_symbol("cudaMemcpyToSymbolAsync", 0, "hipMemcpyHostToDevice"),
    _async_symbol("cudaMemcpyFromSymbolAsync", 1, "hipMemcpyDeviceToHost"),
    _KERNEL_POINTERS,
    _DEFAULTS,
    _ALLOCATIONS,
    _GRAPHS,
    _DRIVER,
):
    SIGNATURES[_entry.name] = (*SIGNATURES.get(_entry.name, ()), _entry)
