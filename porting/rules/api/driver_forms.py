"""Functions of the driver API, of both APIs, and of libraries, whose forms differ."""

from typing import Final

from porting.rules.api.changes import Cast, DropNull, Insert, OnlyNull, Rename
from porting.rules.api.forms import forms

# The pointer lists of a batch of copies; data() and &list[0] of another element type need it.
_BATCH: Final = (Cast(0, "void**"), Cast(1, "void**"), Cast(2, "size_t*"))

DRIVER_FORMS: Final = (
    *forms(
        "cuTexRefSetFilterMode cuTexRefSetMipmapFilterMode",
        Cast(1, "hipTextureFilterMode"),
        note="HIP takes the runtime's enumeration, which has the same values",
    ),
    *forms(
        "cuTexRefSetAddressMode",
        Cast(2, "hipTextureAddressMode"),
        note="HIP takes the runtime's enumeration, which has the same values",
    ),
    *forms(
        "cuTexRefGetFilterMode cuTexRefGetMipmapFilterMode",
        Cast(0, "hipTextureFilterMode*"),
        note="HIP gives the runtime's enumeration, which has the same values",
    ),
    *forms(
        "cuTexRefGetAddressMode",
        Cast(0, "hipTextureAddressMode*"),
        note="HIP gives the runtime's enumeration, which has the same values",
    ),
    *forms(
        "cuCtxGetApiVersion",
        Cast(1, "int*"),
        note="HIP writes an int before ROCm 7.0",
        until=(7, 0),
    ),
    *forms(
        "cuGraphAddMemsetNode",
        refuse="it takes another structure before ROCm 7.0",
        help="fill a HIP_MEMSET_NODE_PARAMS, whose members have CUDA's names, and pass that",
        until=(7, 0),
    ),
    *forms(
        "cuMipmappedArrayCreate",
        Cast(1, "HIP_ARRAY3D_DESCRIPTOR*", addresses=False),
        note="HIP takes the descriptor without const",
    ),
    *forms(
        "cuGraphBatchMemOpNodeSetParams",
        Cast(1, "hipBatchMemOpNodeParams*", addresses=False),
        note="HIP takes the parameters without const",
        since=(7, 1),
    ),
    *forms(
        "cuGraphExecGetFlags",
        Cast(1, "unsigned long long*"),
        note="HIP writes an unsigned long long",
    ),
    *forms(
        "cudaEventCreate cuEventCreate",
        Rename("hipEventCreateWithFlags"),
        note="the form with flags is hipEventCreateWithFlags",
        counts=(2,),
    ),
    *forms(
        "cuStreamCreate",
        Rename("hipStreamCreateWithFlags"),
        note="hipStreamCreate takes no flags",
        counts=(2,),
    ),
    *forms(
        "cuCtxCreate cuCtxCreate_v4",
        Rename("hipCtxCreate"),
        DropNull(1, "the creation parameters of CUDA 13"),
        note="HIP's contexts have no creation parameters; the null argument was dropped",
        counts=(4,),
        help="call hipCtxCreate(&context, flags, device): HIP has no execution affinity",
    ),
    *forms(
        "cuCtxCreate_v3",
        Rename("hipCtxCreate"),
        DropNull(1, "execution affinity"),
        DropNull(2, "execution affinity"),
        note="HIP's contexts have no execution affinity; the null arguments were dropped",
        counts=(5,),
        help="call hipCtxCreate(&context, flags, device): HIP has no execution affinity",
    ),
    *forms(
        "cuMemcpyHtoD cuMemcpyHtoD_v2 cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2",
        Cast(1, "void*"),
        note="hipMemcpyHtoD takes a source that is not const before ROCm 7.0",
        until=(7, 0),
    ),
    *forms(
        "cuMemcpy",
        Rename("hipMemcpy"),
        Insert(3, "hipMemcpyDefault"),
        note="hipMemcpy takes the kind of copy",
        counts=(3,),
    ),
    *forms(
        "cuMemcpyAsync",
        Rename("hipMemcpyAsync"),
        Insert(3, "hipMemcpyDefault"),
        note="hipMemcpyAsync takes the kind of copy",
        counts=(4,),
    ),
    *forms(
        "cuMemcpyPeer cuMemcpyPeerAsync",
        refuse="HIP names the two devices by number, CUDA by context",
        help="pass the device numbers: hipMemcpyPeer(dst, dstDevice, src, srcDevice, bytes)",
    ),
    *forms(
        "cuFuncSetAttribute",
        refuse="hipFuncSetAttribute takes the host function of a kernel, not a loaded function",
        help="a loaded function needs no opt-in for dynamic LDS on AMD GPUs: launch with the size"
        " (64 KB at most before gfx950) and drop the call",
    ),
    *forms(
        "cuFuncSetCacheConfig cuFuncSetSharedMemConfig",
        refuse="the HIP function takes the host function of a kernel, not a loaded function",
        help="AMD GPUs have no such setting: drop the call",
    ),
    *forms(
        "cuOccupancyMaxPotentialBlockSize",
        Rename("hipModuleOccupancyMaxPotentialBlockSize"),
        DropNull(3, "a function that gives the shared memory for a block size"),
        note="HIP takes no shared memory function; the null argument was dropped",
        counts=(6,),
        help="ask hipModuleOccupancyMaxActiveBlocksPerMultiprocessor for each block size",
    ),
    *forms(
        "cuOccupancyMaxPotentialBlockSizeWithFlags",
        Rename("hipModuleOccupancyMaxPotentialBlockSizeWithFlags"),
        DropNull(3, "a function that gives the shared memory for a block size"),
        note="HIP takes no shared memory function; the null argument was dropped",
        counts=(7,),
        help="ask hipModuleOccupancyMaxActiveBlocksPerMultiprocessor for each block size",
    ),
    *forms(
        "cudaLibraryLoadData cudaLibraryLoadFromFile cuLibraryLoadData cuLibraryLoadFromFile",
        OnlyNull(2, "the type of the JIT options"),
        OnlyNull(5, "the type of the library options"),
        counts=(8,),
        help="pass null options: HIP's type for them is a pointer to a pointer",
        since=(7, 1),
    ),
    *forms(
        "cuCtxGetDevice_v2 cuCtxSynchronize_v2",
        refuse="HIP asks the current context only",
        help="make the context current by hipCtxPushCurrent, then call the form without it",
    ),
    *forms(
        "nvmlInit nvmlInit_v2",
        Rename("amdsmi_init"),
        Insert(0, "AMDSMI_INIT_AMD_GPUS"),
        note="amdsmi_init takes the kinds of processors to look for",
        counts=(0,),
    ),
    *forms(
        "nvmlErrorString",
        refuse="amdsmi_status_code_to_string writes the text through its second argument",
        help="pass the address of a const char* as the second argument",
    ),
    *forms(
        "cusparseSpSM_solve",
        refuse="HIP takes the buffer of the analysis as an eleventh argument",
        counts=(10,),
        help="pass the buffer that hipsparseSpSM_analysis was given as the last argument",
    ),
    *forms(
        "cuDeviceGetTexture1DLinearMaxWidth",
        refuse="HIP takes a channel description instead of a format and a channel count",
        counts=(4,),
        help="describe the format by hipCreateChannelDesc and pass its address",
    ),
    *forms(
        "cudaUserObjectCreate",
        refuse="HIP has no form that deletes a typed object",
        counts=(3, 4),
        help="pass a destructor function: hipUserObjectCreate(&object, pointer, destroy, refs,"
        " flags)",
    ),
    *forms(
        "cudaMemcpyBatchAsync",
        refuse="HIP has no form with one attribute for all copies",
        counts=(6, 7),
        help="pass an array of attributes with one element, an array of indices with a 0, and 1",
        since=(7, 1),
    ),
    *forms(
        "cudaMemcpyBatchAsync cuMemcpyBatchAsync cuMemcpyBatchAsync_v2",
        *_BATCH,
        Insert(7, "nullptr"),
        note="HIP keeps the index of the failed copy that CUDA 13 dropped",
        counts=(8,),
        since=(7, 1),
    ),
    *forms(
        "cudaMemcpyBatchAsync cuMemcpyBatchAsync",
        *_BATCH,
        note="HIP takes plain lists of pointers",
        counts=(9,),
        since=(7, 1),
    ),
    *forms(
        "cudaMemcpy3DBatchAsync cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2",
        Insert(2, "nullptr"),
        note="HIP keeps the index of the failed copy that CUDA 13 dropped",
        counts=(4,),
        since=(7, 1),
    ),
    *forms(
        "cuGetProcAddress",
        Insert(4, "nullptr"),
        note="hipGetProcAddress has a fifth argument for the result of the look-up",
        counts=(4,),
    ),
)
