"""What the strings of a build script become for ROCm; None for one that nobody understands."""

import re
from dataclasses import dataclass

from porting.buildfiles.libraries import library
from porting.rules.strings.machine import CUDA_FOLDER, HOME_VARIABLE, ROCM_HOME, ROCM_VARIABLE

_HOME = re.compile(rf"(?<!\w){HOME_VARIABLE}(?!\w)")
_CUDA_WORD = re.compile(
    r"(?i)cuda|nvcc|nvrtc|cublas|cufft|curand|cusparse|cusolver|cudnn|nvidia|\bnccl|"
    r"\blib64\b|\bsm_\d|compute_\d"
)
_LINK = re.compile(
    r"(cargo::?rustc-link-lib=)(?:(static|dylib)(:[-+\w,]+)?=)?([\w.+-]+)(.*)", re.DOTALL
)
_INLINE = re.compile(r"(?<!\{)\{[A-Za-z_]\w*(?::[^}]*)?\}")
_PREFIX = re.compile(r"cargo::?[\w-]+=")
_DEFAULT = re.compile(CUDA_FOLDER)
_FOLDERS = (
    (re.compile(r"\blib64(?:/stubs)?(?![\w.])"), "lib"),
    (re.compile(r"\btargets/[\w-]+/lib(?:/stubs)?(?![\w.])"), "lib"),
    (re.compile(r"\btargets/[\w-]+/include\b"), "include"),
)
# Where a word of CUDA's is somebody's own name or a message.
_HARMLESS = re.compile(
    r"CARGO_FEATURE_\w+|CARGO_CFG_\w+|[\w./{}-]*\.(?:cu|cuh|cpp|cc|c|h|hpp|rs|o|a|lib)|"
    r"cargo::?rerun-if-changed=.*|cargo::?warning=.*|cargo::?rustc-check-cfg=.*|"
    r"cargo::?rustc-cfg=.*|cargo::?rerun-if-env-changed=CARGO_.*"
)


@dataclass(frozen=True)
class LinkLine:
    """A line that tells cargo to link a library: its key, ROCm's names, what follows the name."""

    key: str
    names: tuple[str, ...]
    reason: str

    def lines(self, more: tuple[str, ...]) -> tuple[str, ...]:
        """Return the lines for ROCm, with more libraries; none of them is static."""
        return tuple(f"{self.key}dylib={name}" for name in (*self.names, *more))


def link_line(text: str) -> LinkLine | None:
    """Return a line that links a library of CUDA's, None for any other string."""
    match = _LINK.fullmatch(text)
    row = library(match[4]) if match else None
    if match is None or row is None or match[5]:
        return None
    return LinkLine(match[1], row.link, row.reason)


def is_of_cuda(text: str) -> bool:
    """Whether a string has a word of CUDA's in it that the build depends on."""
    return bool(_CUDA_WORD.search(text)) and not _HARMLESS.fullmatch(text)


def for_rocm(text: str) -> str | None:
    """Return a string about folders, programs and variables for ROCm, None when it is not clear."""
    done = _HOME.sub(ROCM_VARIABLE, text)
    done = _DEFAULT.sub(ROCM_HOME, done)
    for pattern, folder in _FOLDERS:
        done = pattern.sub(folder, done)
    done = re.sub(r"(?<![\w-])nvcc(?![\w-])", "hipcc", done)
    # A name in braces is a variable of the script, whatever it is called.
    return None if is_of_cuda(_INLINE.sub("{}", done)) else done


def sets_search(text: str) -> bool:
    """Whether a string tells cargo where libraries are."""
    return bool(re.match(r"cargo::?rustc-link-search=", text))


def rpath_line(text: str) -> str:
    """Return the line that lets what is built find its libraries where cargo searched for them."""
    return re.sub(r"^(cargo::?)rustc-link-search=(?:\w+=)?", r"\1rustc-link-arg=-Wl,-rpath,", text)
