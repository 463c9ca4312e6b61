"""Functions whose HIP counterpart has a default argument, or an overload, in C++ alone.

Read off by compiling a call of every function of CUDA's C headers (11.8, 12.9, 13.0; runtime and
driver) that HIP has, with the arguments that CUDA's C prototype takes, as C against the headers of
ROCm 6.2 and 7.1.
"""

from typing import Final

from porting.rules.api.changes import Insert, Rename
from porting.rules.api.forms import Signature, forms

_ONLY_CXX: Final = "HIP's default for the last argument is for C++ alone"
_FORMS: Final = (
    *forms(
        "cuStreamWaitValue32 cuStreamWaitValue32_v2 cuStreamWaitValue32_ptsz"
        " cuStreamWaitValue32_v2_ptsz",
        Insert(4, "0xffffffffu"),
        note=_ONLY_CXX,
        counts=(4,),
    ),
    *forms(
        "cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWaitValue64_ptsz"
        " cuStreamWaitValue64_v2_ptsz",
        Insert(4, "0xffffffffffffffffull"),
        note=_ONLY_CXX,
        counts=(4,),
    ),
    *forms(
        "cudaMallocHost",
        Rename("hipHostMalloc"),
        Insert(2, "hipHostMallocDefault"),
        note="hipHostMalloc has a default for the flags in C++ alone",
        counts=(2,),
    ),
)
C_SIGNATURES: Final[dict[str, tuple[Signature, ...]]] = {form.name: (form,) for form in _FORMS}
