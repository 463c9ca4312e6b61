"""Include guards of CUDA's headers, asked for to see whether a header was included."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.macros.chains import CONDITIONS
from porting.rules.macros.codes import HEADER_GUARD, HEADER_GUARD_OPEN
from porting.rules.unit import Unit
from porting.syntax import declares

_RUNTIME: Final = "HIP_INCLUDE_HIP_HIP_RUNTIME_H"
_API: Final = "HIP_INCLUDE_HIP_HIP_RUNTIME_API_H"
# Read off the headers of ROCm 6.2 and 7.1; those of the libraries off their repositories.
GUARDS: Final = {
    "__DRIVER_TYPES_H__": "HIP_INCLUDE_HIP_DRIVER_TYPES_H",
    "__CUDA_RUNTIME_H__": _RUNTIME,
    "__CUDA_RUNTIME_API_H__": _API,
    "__cuda_cuda_h__": _API,
    "__CUDA_H__": _API,
    "CUDA_H": _API,
    "__DEVICE_LAUNCH_PARAMETERS_H__": _RUNTIME,
    "__DEVICE_FUNCTIONS_H__": _RUNTIME,
    "__DEVICE_TYPES_H__": _RUNTIME,
    "__HOST_DEFINES_H__": "HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H",
    "__VECTOR_TYPES_H__": "HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H",
    "__VECTOR_FUNCTIONS_H__": "HIP_INCLUDE_HIP_HIP_VECTOR_TYPES_H",
    "__CHANNEL_DESCRIPTOR_H__": "HIP_INCLUDE_HIP_CHANNEL_DESCRIPTOR_H",
    "__LIBRARY_TYPES_H__": "HIP_INCLUDE_HIP_LIBRARY_TYPES_H",
    "__TEXTURE_TYPES_H__": "HIP_INCLUDE_HIP_TEXTURE_TYPES_H",
    "__SURFACE_TYPES_H__": "HIP_INCLUDE_HIP_SURFACE_TYPES_H",
    "__MATH_FUNCTIONS_H__": _RUNTIME,
    "__MATH_CONSTANTS_H__": "HIP_MATH_CONSTANTS_H",
    "__CUDA_FP16_H__": "HIP_INCLUDE_HIP_HIP_FP16_H",
    "__CUDA_FP16_HPP__": "HIP_INCLUDE_HIP_HIP_FP16_H",
    "__CUDA_BF16_H__": "HIP_INCLUDE_HIP_HIP_BF16_H",
    "__CUDA_FP8_H__": "HIP_INCLUDE_HIP_HIP_FP8_H",
    "CU_COMPLEX_H_": "HIP_INCLUDE_HIP_HIP_COMPLEX_H",
    "_COOPERATIVE_GROUPS_H_": "HIP_INCLUDE_HIP_HIP_COOPERATIVE_GROUP_H",
    "CUBLAS_H_": "HIPBLAS_H",
    "CUBLAS_V2_H_": "HIPBLAS_H",
    "CUBLAS_API_H_": "HIPBLAS_H",
    "_CUFFT_H_": "HIPFFT_H_",
    "CURAND_H_": "HIPRAND_H_",
    "CURAND_KERNEL_H_": "HIPRAND_KERNEL_H_",
    "CUSPARSE_H_": "HIPSPARSE_H",
    "CUSOLVER_COMMON_H_": "HIPSOLVER_H",
    "CUSOLVERDN_H_": "HIPSOLVER_H",
    "NCCL_H_": "NCCL_H_",
}
_SHAPE: Final = re.compile(r"_*(?:CU|NV|CUDA|cuda|nvml)\w*_(?:H|HPP|h)_*|__SM_\d+_\w+_H(?:PP)?__")
_ENDS: Final = ("H", "P", "h", "_")


def check_guards(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what becomes of the conditions that ask for a CUDA header's include guard."""
    for name in unit.index:
        if name not in GUARDS and not (name.endswith(_ENDS) and _SHAPE.fullmatch(name)):
            continue
        if name in unit.project.declared or _is_own(unit, name):
            continue
        for number in unit.where(name):
            finding = _finding(unit, number)
            if finding is not None:
                yield finding


def _is_own(unit: Unit, name: str) -> bool:
    """Whether the file defines the macro, as the guard of a header of the tree."""
    return any(declares(unit.lexed, number) for number in unit.where(name))


def _finding(unit: Unit, number: int) -> Diagnostic | None:
    token = unit.tokens[number]
    if token.directive < 0 or unit.lexed.directives[token.directive].name not in CONDITIONS:
        return None
    new = GUARDS.get(token.text)
    if new is None:
        if unit.names.get(token.text) is None:
            return None
        text = f"{token.text} is the guard of a CUDA header and undefined in HIP"
        help_text = "ask for something that the build defines, like __HIP_PLATFORM_AMD__"
        return unit.diagnose(
            HEADER_GUARD_OPEN, token, text, help=help_text, edits=[unit.hold(token)]
        )
    if new == token.text:
        return None
    edit = Edit(token.start, token.end, new, token.text)
    text = f"include guard {token.text} becomes {new}"
    return unit.diagnose(HEADER_GUARD, token, text, edits=[edit])
