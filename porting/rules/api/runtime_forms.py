"""Runtime functions whose forms differ: symbols, kernels, allocations, graphs, defaults."""

from typing import Final

from porting.rules.api.changes import Cast, DropNull, Insert, Plain, Rename, Symbol
from porting.rules.api.forms import Signature, forms

_KERNEL: Final = "const void*"
_EDGES: Final = "edge data"

_SYMBOLS: Final = (
    *forms(
        "cudaMemcpyToSymbol",
        Symbol(0),
        note="the symbol is passed in HIP_SYMBOL",
    ),
    *forms(
        "cudaMemcpyFromSymbol cudaGetSymbolAddress cudaGetSymbolSize",
        Symbol(1),
        note="the symbol is passed in HIP_SYMBOL",
    ),
    *forms(
        "cudaGraphAddMemcpyNodeToSymbol",
        Symbol(4, address=True),
        note="the symbol is passed by its address",
    ),
    *forms(
        "cudaGraphAddMemcpyNodeFromSymbol",
        Symbol(5, address=True),
        note="the symbol is passed by its address",
    ),
    *forms(
        "cudaGraphMemcpyNodeSetParamsToSymbol",
        Symbol(1, address=True),
        note="the symbol is passed by its address",
    ),
    *forms(
        "cudaGraphMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol",
        Symbol(2, address=True),
        note="the symbol is passed by its address",
    ),
    *forms(
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
    *forms(
        "cudaFuncSetAttribute cudaFuncSetCacheConfig cudaFuncSetSharedMemConfig cudaLaunchKernel",
        Plain(),
        Cast(0, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
    ),
    *forms(
        "cudaFuncGetAttributes cudaGetFuncBySymbol",
        Plain(),
        Cast(1, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
    ),
    *forms(
        "cudaLaunchKernelExC",
        Cast(1, _KERNEL, reinterpret=True),
        note="HIP takes the kernel as const void*",
        since=(7, 0),
    ),
)

_ALLOCATIONS: Final = (
    *forms(
        "cudaMallocHost",
        Rename("hipHostMalloc"),
        note="hipMallocHost takes neither a typed pointer nor flags",
    ),
    *forms(
        "cudaHostAlloc",
        Rename("hipHostMalloc"),
        note="hipHostAlloc takes no typed pointer before ROCm 7.1",
        until=(7, 1),
    ),
    *forms(
        "cudaMallocPitch",
        Cast(0, "void**"),
        note="hipMallocPitch takes no typed pointer before ROCm 7.1",
        until=(7, 1),
    ),
    *forms(
        "cudaHostGetDevicePointer",
        Cast(0, "void**"),
        note="hipHostGetDevicePointer takes no typed pointer",
    ),
)


def _capture_info(prefix: str, id_cast: tuple[Cast, ...]) -> tuple[Signature, ...]:
    """HIP has two forms; the driver's counts captures in a type of its own."""
    name = f"{prefix}StreamGetCaptureInfo"
    named = "the form that returns the graph is hipStreamGetCaptureInfo_v2"
    target = Rename("hipStreamGetCaptureInfo_v2")
    return (
        *forms(
            f"{name} {name}_v3",
            target,
            *id_cast,
            DropNull(5, _EDGES),
            note="HIP's graphs carry no edge data; the null argument was dropped",
            counts=(7,),
            help="HIP has no edge data: take the dependencies alone",
        ),
        *forms(name, target, note=named, counts=(2,)),
        *forms(f"{name} {name}_v2", target, *id_cast, note=named, counts=(4, 5, 6)),
        *(forms(name, *id_cast, note="HIP counts in unsigned long long", counts=(3,))),
    )


_GRAPHS: Final = (
    *forms(
        "cudaGraphInstantiate cuGraphInstantiate",
        Rename("hipGraphInstantiateWithFlags"),
        note="the three-argument form is hipGraphInstantiateWithFlags",
        counts=(3,),
    ),
    *forms(
        "cudaGraphInstantiate cuGraphInstantiate",
        Rename("hipGraphInstantiateWithFlags"),
        Insert(2, "0"),
        note="the two-argument form is hipGraphInstantiateWithFlags with flags 0",
        counts=(2,),
    ),
    *forms(
        "cudaGraphInstantiateWithFlags",
        Insert(2, "0"),
        note="hipGraphInstantiateWithFlags has no default for the flags",
        counts=(2,),
    ),
    *forms(
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
    *forms(
        "cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2",
        Rename("hipStreamUpdateCaptureDependencies"),
        DropNull(2, _EDGES),
        note="HIP's graphs carry no edge data; the null argument was dropped",
        counts=(4,),
        null=2,
    ),
    *(
        form
        for prefix, id_cast in (("cuda", ()), ("cu", (Cast(2, "unsigned long long*"),)))
        for form in _capture_info(prefix, id_cast)
    ),
)

# CUDA's C++ headers have defaults for these last arguments, HIP's do not.
_DEFAULTS: Final = (
    *forms(
        "cudaLaunchCooperativeKernel",
        Insert(4, "0"),
        Insert(5, "nullptr"),
        note="HIP has no defaults for the shared memory and the stream",
        counts=(4,),
    ),
    *forms(
        "cudaLaunchCooperativeKernel",
        Insert(5, "nullptr"),
        note="HIP has no default for the stream",
        counts=(5,),
    ),
    *forms(
        "cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2"
        " cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2",
        Insert(3, "nullptr"),
        note="HIP has no default for the stream",
        counts=(3,),
    ),
    *forms(
        "cudaMalloc3DArray",
        Insert(3, "0"),
        note="HIP has no default for the flags",
        counts=(3,),
    ),
    *forms(
        "cudaGraphCreate",
        Insert(1, "0"),
        note="HIP has no default for the flags",
        counts=(1,),
    ),
    *forms(
        "cuStreamBeginCapture",
        Insert(1, "hipStreamCaptureModeGlobal"),
        note="HIP takes the mode that CUDA 10.0 had no argument for",
        counts=(1,),
    ),
    *forms(
        "cudaMemcpy2DArrayToArray",
        Insert(8, "hipMemcpyDeviceToDevice"),
        note="HIP has no default for the kind",
        counts=(8,),
    ),
)

# HIP leaves out a const here, so a pointer to const does not fit.
_CONSTS: Final = (
    *forms(
        "cudaMemcpy3DPeer cudaMemcpy3DPeerAsync",
        Cast(0, "hipMemcpy3DPeerParms*", addresses=False),
        note="HIP takes the parameters without const",
    ),
    *forms(
        "cudaGraphExecMemcpyNodeSetParams",
        Cast(2, "hipMemcpy3DParms*", addresses=False),
        note="HIP takes the parameters without const",
    ),
)

RUNTIME_FORMS: Final = (
    *_SYMBOLS,
    *_async_symbol("cudaMemcpyToSymbolAsync", 0, "hipMemcpyHostToDevice"),
    *_async_symbol("cudaMemcpyFromSymbolAsync", 1, "hipMemcpyDeviceToHost"),
    *_KERNEL_POINTERS,
    *_ALLOCATIONS,
    *_GRAPHS,
    *_DEFAULTS,
    *_CONSTS,
)
