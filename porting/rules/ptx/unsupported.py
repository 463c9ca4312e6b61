"""What to do about PTX instructions that have no equivalent on AMD GPUs."""

from typing import Final

_MATRIX: Final = (
    "use rocWMMA, or the MFMA builtins of CDNA (__builtin_amdgcn_mfma_*) and the WMMA builtins of"
    " RDNA 3 (__builtin_amdgcn_wmma_*), with the fragment layouts of AMD's matrix units"
)
_BULK: Final = "load with plain vector loads into shared memory and a __syncthreads()"
_CLUSTER: Final = "AMD GPUs have no clusters of blocks: exchange data through global memory"
_TENSOR: Final = (
    "AMD GPUs have no tensor memory: keep accumulators in registers, with rocWMMA or MFMA"
)
_ADVICE: Final = {
    "mma": _MATRIX,
    "wmma": _MATRIX,
    "wgmma": _MATRIX,
    "ldmatrix": _MATRIX,
    "stmatrix": _MATRIX,
    "movmatrix": _MATRIX,
    "tcgen05": _TENSOR,
    "mbarrier": _BULK,
    "tensormap": _BULK,
    "multimem": "reduce through RCCL, or with plain loads from peer memory",
    "mapa": _CLUSTER,
    "getctarank": _CLUSTER,
    "clusterlaunchcontrol": _CLUSTER,
    "setmaxnreg": "remove it: the registers of a wavefront are fixed when it starts",
    "redux": "write a loop of __shfl_xor steps over the lanes",
    "match": "call __match_any or __match_all",
    "vote": "call __ballot, __any or __all",
    "elect": "compare the lane with __ffsll(__ballot(1)) - 1",
    "exit": "return from the kernel: s_endpgm would end the whole wavefront",
    "atom": "call the atomic function of HIP's headers",
    "red": "call the atomic function of HIP's headers",
    "bar": "split the work into blocks, or use __syncthreads(): there are no named barriers",
    "barrier": "split the work into blocks, or use __syncthreads(): there are no named barriers",
}
_ASYNC: Final = {"bulk": _BULK, "reduce": _BULK, "mbarrier": _BULK}
# Instructions that the port has emitters for are known from those; these are known to be PTX too.
OTHERS: Final = frozenset(_ADVICE) | frozenset(
    (
        *("addc", "subc", "madc", "mul24", "mad24", "sad", "copysign", "testp", "isspacep"),
        *("istypep", "suld", "sust", "sured", "tex", "tld4", "txq", "vadd", "vsub", "vabsdiff"),
        *("vabsdiff4", "vadd2", "vadd4", "vavrg4", "vset4", "vmin4", "vmax4", "vmad", "dp2a"),
        *("szext", "bmsk", "fns", "call", "ret", "bra", "brx", "set", "slct", "cnot", "rem"),
        *("ex2", "lg2", "sin", "cos", "tanh", "stackrestore", "stacksave", "alloca"),
        *("alternate_register",),
    )
)


def advice(opcode: tuple[str, ...]) -> str:
    """Return the way out for an instruction."""
    if opcode[0] == "cp" and len(opcode) > 2:  # noqa: PLR2004 - cp.async.bulk...
        return _ASYNC.get(opcode[2], _BULK)
    if opcode[0] in ("barrier", "fence") and len(opcode) > 1 and opcode[1] in ("cluster", "proxy"):
        return _CLUSTER
    if opcode[0] == "cvt" and {"e4m3x2", "e5m2x2", "tf32"} & set(opcode):
        return "use the fp8 types of hip/hip_fp8.h; tf32 does not exist, plain float does"
    return _ADVICE.get(opcode[0], "write it in C++")
