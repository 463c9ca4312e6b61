"""Which plan a built file follows, read from what it needs, holds and leaves undefined."""

import re
from enum import StrEnum
from typing import Final

from porting.elf import ElfFile, Kind, Wanted
from porting.link.libraries import vendor_file

# What tells a cudart that was linked in, stripped or not: the names of its errors, and the driver
# that it opens.  Not its functions: forwarders of CUDA's names to HIP are hidden ones too.
_CUDART_FUNCTION: Final = "cudaGetDeviceCount"
_CUDART_TEXT: Final = b"cudaErrorCudartUnloading\0"
_DRIVER: Final = "libcuda.so.1"
_REGISTERS: Final = frozenset(("__cudaRegisterFatBinary", "__cudaUnregisterFatBinary"))
WANTED: Final = Wanted(texts=(_CUDART_TEXT,), libraries=True)

# Functions of CUDA's and of HIP's libraries.  "cu" alone begins too many names of other people.
CUDA_NAME: Final = re.compile(
    r"(?:__)?cuda[A-Z]\w*|cu(?:blas|fft|rand|solver|sparse|dnn|pti)[A-Z]\w*|nvrtc[A-Z]\w*|nvml[A-Z]\w*"
    r"|cu(?:Init|Mem|Ctx|Device|Launch|Module|Stream|Event|Func|Get|Link|Graph|Pointer|Array|Mipmapped"
    r"|Tex|Surf|Kernel|Library|Driver|Multicast|Occupancy|Ipc|Profiler|External|Import|Destroy"
    r"|DevicePrimaryCtx|ThreadExchange|UserObject)[A-Z_]?\w*"
)
HIP_NAME: Final = re.compile(
    r"(?:__)?hip[A-Z]\w*|hip(?:blas|fft|rand|solver|sparse|rtc)[A-Z]\w*|roctx[A-Z]\w*"
)


class Follows(StrEnum):
    """The plan of a file; CUDA is that of a file which is not linked yet."""

    CUDA_STATIC = "cuda-static"
    CUDA_SHARED = "cuda-shared"
    CUDA = "cuda"
    ROCM = "rocm"
    MIXED = "mixed"
    NONE = "none"

    @property
    def has_cuda(self) -> bool:
        """Whether CUDA is in it."""
        return self not in (Follows.ROCM, Follows.NONE)

    @property
    def has_rocm(self) -> bool:
        """Whether ROCm is in it."""
        return self in (Follows.ROCM, Follows.MIXED)


def follows(file: ElfFile) -> Follows:
    """Return the plan a file follows; WANTED must have been looked for in it."""
    needed = {found.platform for name in file.needed if (found := vendor_file(name))}
    code = {code.platform for code in file.device_code}
    own = vendor_file(file.soname)
    is_static = has_static_cudart(file)
    # Undefined functions of the other vendor are leftovers: they do not make a file that vendor's.
    told = needed | code | ({"cuda"} if is_static else set()) | ({own.platform} if own else set())
    if not told:
        told = _by_names(file)
    if len(told) > 1:
        return Follows.MIXED if len(needed) > 1 or is_static else Follows(_linked(file, needed))
    if told == {"rocm"}:
        return Follows.ROCM
    if told == {"cuda"}:
        return _cuda(file, is_static=is_static)
    return Follows.NONE


def _by_names(file: ElfFile) -> set[str]:
    """Return the platforms whose functions a file without any library of theirs calls."""
    names = [symbol.name for symbol in file.undefined]
    patterns = {"cuda": CUDA_NAME, "rocm": HIP_NAME}
    return {p for p, pattern in patterns.items() if any(map(pattern.fullmatch, names))}


def _linked(file: ElfFile, needed: set[str]) -> Follows:
    """Return the plan of a file that carries device code of both vendors and needs one at most."""
    if needed == {"cuda"}:
        return _cuda(file, is_static=False)
    return Follows.ROCM if needed else Follows.MIXED


def _cuda(file: ElfFile, *, is_static: bool) -> Follows:
    if file.kind is Kind.OBJECT:
        return Follows.CUDA
    return Follows.CUDA_STATIC if is_static else Follows.CUDA_SHARED


def has_static_cudart(file: ElfFile) -> bool:
    """Whether NVIDIA's runtime was linked into a file."""
    if file.kind is Kind.OBJECT or _is_cudart(file.soname):
        return False
    if _CUDART_FUNCTION in file.defined:  # a library that gives cudart's functions to others
        return False
    if _CUDART_TEXT.decode() in file.holds and _DRIVER in file.libraries:
        return True
    # Objects of nvcc call these, those without kernels one of them: where neither is left to
    # another file, cudart gave them.
    has_kernels = file.has_section(".nvFatBinSegment")
    return has_kernels and all(symbol.name not in _REGISTERS for symbol in file.undefined)


def _is_cudart(name: str) -> bool:
    found = vendor_file(name)
    return found is not None and found.platform == "cuda" and found.library.id == "cudart"
