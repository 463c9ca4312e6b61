"""Structures: members with another name, members HIP lacks, and members in another order.

Read off by comparing every structure of CUDA 11.8, 12.9 and 13.0 with that of its HIP counterpart
in the headers of ROCm 6.2 and 7.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.api.codes import FIELD, FIELD_ORDER, FIELD_RENAMED
from porting.rules.unit import Unit
from porting.rules.variables import is_a, owner_of
from porting.syntax import IDENT, match_bracket, split_arguments


@dataclass(frozen=True)
class _Renamed:
    """A member under another name.  `owners`: only in variables of these types, when given."""

    field: str
    target: str
    owners: tuple[str, ...] = ()
    until: tuple[int, int] = (99, 0)


_KERNEL_PARAMS: Final = (
    "CUDA_KERNEL_NODE_PARAMS",
    "CUDA_KERNEL_NODE_PARAMS_v1",
    "CUDA_KERNEL_NODE_PARAMS_v2",
)
_RENAMED: Final = (
    _Renamed("sparseCudaArraySupported", "sparseHipArraySupported"),
    _Renamed("deferredMappingCudaArraySupported", "deferredMappingHipArraySupported"),
    _Renamed("requestedHandleTypes", "requestedHandleType", until=(7, 0)),
    _Renamed("hUploadStream", "uploadStream"),
    _Renamed("hErrNode_out", "errNode_out"),
    _Renamed("memoryType", "type", ("cudaPointerAttributes",)),
    *(
        _Renamed(f"{side}Dim{axis}", f"{side}Dim.{axis.lower()}", _KERNEL_PARAMS)
        for side in ("grid", "block")
        for axis in "XYZ"
    ),
)
_NO_CLUSTERS: Final = "AMD GPUs have no thread block clusters"
_MISSING: Final = {
    "deviceNumaConfig": "ask hipDeviceGetAttribute or sysfs (numa_node of the PCI device)",
    "deviceNumaId": "read numa_node of the PCI device in sysfs",
    "hostNumaId": "read numa_node of the PCI device in sysfs",
    "hostNumaMultinodeIpcSupported": "there is no such query",
    "mpsEnabled": "AMD GPUs have no MPS",
    "gpuPciDeviceID": "read the PCI ids in sysfs",
    "gpuPciSubsystemID": "read the PCI ids in sysfs",
    "clusterDimMustBeSet": _NO_CLUSTERS,
    "requiredClusterWidth": _NO_CLUSTERS,
    "requiredClusterHeight": _NO_CLUSTERS,
    "requiredClusterDepth": _NO_CLUSTERS,
    "clusterSchedulingPolicyPreference": _NO_CLUSTERS,
    "nonPortableClusterSizeAllowed": _NO_CLUSTERS,
    "clusterDim": _NO_CLUSTERS,
    "programmaticStreamSerializationAllowed": "order the kernels by streams and events",
    "launchCompletionEvent": "record an event after the launch",
    "disableTrilinearOptimization": "drop the setting",
    "seamlessCubemap": "drop the setting",
    "copyCtx": "make the context current before the node is added",
}
# Structures whose members have another order in HIP: what CUDA's order is.
_ORDER: Final = {
    "cudaKernelNodeParams": "func, gridDim, blockDim, sharedMemBytes, kernelParams, extra",
    "cudaMemsetParams": "dst, pitch, value, elementSize, width, height",
    "CUDA_MEMSET_NODE_PARAMS": "dst, pitch, value, elementSize, width, height",
    "cudaAccessPolicyWindow": "base_ptr, num_bytes, hitRatio, hitProp, missProp",
    "CUaccessPolicyWindow": "base_ptr, num_bytes, hitRatio, hitProp, missProp",
    "cudaGraphEdgeData": "from_port, to_port, type, reserved",
    "cudaGraphInstantiateParams": "flags, uploadStream, errNode_out, result_out",
    **dict.fromkeys(_KERNEL_PARAMS, "func, gridDimX, gridDimY, gridDimZ, blockDimX, ..."),
}


def check_fields(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what differs in the members of a file's structures."""
    for renamed in _RENAMED:
        if renamed.field in unit.index and unit.target.release < renamed.until:
            yield from _rename(unit, renamed)
    for name in sorted(_MISSING.keys() & unit.index.keys()):
        yield from _missing(unit, name)
    for name in sorted(_ORDER.keys() & unit.index.keys()):
        yield from _positional(unit, name)


def _rename(unit: Unit, renamed: _Renamed) -> Iterator[Diagnostic]:
    for number in unit.where(renamed.field):
        if unit.tokens[number - 1].text not in (".", "->"):
            continue
        owner = owner_of(unit, number)
        if renamed.owners and (owner is None or not is_a(unit, owner, renamed.owners)):
            continue
        token = unit.tokens[number]
        yield unit.diagnose(
            FIELD_RENAMED,
            token,
            f"member '{renamed.field}' is {renamed.target} in HIP",
            edits=[Edit(token.start, token.end, renamed.target, renamed.field)],
        )


def _missing(unit: Unit, name: str) -> Iterator[Diagnostic]:
    for number in unit.where(name):
        if number and unit.tokens[number - 1].text in (".", "->"):
            yield unit.diagnose(
                FIELD,
                unit.tokens[number],
                f"HIP's structure has no member '{name}'",
                help=_MISSING[name],
            )


def _positional(unit: Unit, name: str) -> Iterator[Diagnostic]:
    """Yield initializers of a structure that give its members by position."""
    for number in unit.where(name):
        opener = _initializer(unit, number)
        closer = match_bracket(unit.tokens, opener) if opener is not None else None
        if opener is None or closer is None:
            continue
        values = split_arguments(unit.tokens, opener + 1, closer)
        if len(values) < 2 or unit.tokens[opener + 1].text == ".":  # noqa: PLR2004
            continue
        yield unit.diagnose(
            FIELD_ORDER,
            unit.tokens[number],
            f"'{name}' is initialized by position, and HIP's members have another order",
            help=f"assign the members by name; the values here are for {_ORDER[name]}",
        )


def _initializer(unit: Unit, number: int) -> int | None:
    """Return the `{` of `T x = {`, `T x{`, `T{` or `(T){`, None when there is none."""
    tokens = unit.tokens
    at = number + 1
    if at < len(tokens) and tokens[at].text == ")":
        at += 1
    elif at < len(tokens) and tokens[at].kind == IDENT:
        at += 1
        if at < len(tokens) and tokens[at].text == "=":
            at += 1
    return at if at < len(tokens) and tokens[at].text == "{" else None
