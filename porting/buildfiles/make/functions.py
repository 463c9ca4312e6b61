"""Functions of make whose result is a compiler of CUDA's, or options for its host compiler."""

import re

from porting.buildfiles.make.model import FINDS_NVCC

_OPTION = r"(?:-Xcompiler|--compiler-options)[ =]"
# Each hands every word of a list to nvcc as an option of the host compiler's.
_HANDED_ON = tuple(
    re.compile(rf"\$[({{]{pattern}[)}}]", re.DOTALL)
    for pattern in (
        rf"addprefix\s+{_OPTION},\s*(?P<all>.*)",
        rf"patsubst\s+%,{_OPTION}%,\s*(?P<all>.*)",
        rf"(?P<name>[\w.-]+):%={_OPTION}%",
        rf"foreach\s+(?P<each>\w+),\s*(?P<all>.*),\s*{_OPTION}\$[({{](?P=each)[)}}]",
    )
)


def for_rocm(text: str, compiler: str) -> str | None:
    """Return what stands for a call of a function, None for one that has nothing of CUDA's.

    `compiler`: the one of HIP where a call looks for nvcc; "" to look for hipcc.
    """
    if FINDS_NVCC.fullmatch(text):
        return compiler or text.replace("nvcc", "hipcc")
    for pattern in _HANDED_ON:
        if found := pattern.fullmatch(text):
            groups = found.groupdict()
            return groups["all"] if "all" in groups else f"$({groups['name']})"
    return None
