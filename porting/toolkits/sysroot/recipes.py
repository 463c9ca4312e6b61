"""What each ROCm tree is made of: data about the wheels that carry AMD's headers and stubs."""

from dataclasses import dataclass

from porting.toolkits.stubs.libraries import STUBS_6_2, STUBS_7_1, STUBS_10_0, SYSTEMS_10_0, StubSet
from porting.toolkits.wheels import Wheel

# The AMD backend of triton carries HIP's headers and AMD's device libraries as bitcode (MIT).
_TRITON = r"triton/backends/amd/(include/.+[^/]|lib/(ocml|ockl)\.bc)"
TRITON_FOLDER = "triton/backends/amd"
HIP_7_1 = Wheel(
    "triton",
    "3.6.0",
    "e8e323d608e3a9bfcc2d9efcc90ceefb764a82b99dea12a86d643c72539ad5d3",
    _TRITON,
)
HIP_6_2 = Wheel(
    "triton",
    "3.4.0",
    "7b70f5e6a41e52e48cfc087436c8a28c17ff98db369447bcaff3b887a3ab4467",
    _TRITON,
)

# Headers that the 7.1 wheel lacks and that compile beside its core.  Not among them: hip_ext.h and
# hip_hcc.h (they use the macro DEPRECATED, which 7.1 no longer has), hip_api_trace.hpp (tables of
# another ABI), hiprtc.h (the 7.1 stubs declare it), and the grid_launch family (gone with hcc).
OVERLAY_7_1 = (
    "hip/amd_detail/amd_hip_bf16.h",
    "hip/amd_detail/amd_hip_bfloat16.h",
    "hip/amd_detail/amd_hip_complex.h",
    "hip/amd_detail/amd_hip_cooperative_groups.h",
    "hip/amd_detail/amd_hip_fp16.h",
    "hip/amd_detail/amd_hip_fp8.h",
    "hip/amd_detail/amd_hip_math_constants.h",
    "hip/amd_detail/hip_cooperative_groups_helper.h",
    "hip/amd_detail/hip_fp16_gcc.h",
    "hip/device_functions.h",
    "hip/hip_bf16.h",
    "hip/hip_bfloat16.h",
    "hip/hip_complex.h",
    "hip/hip_cooperative_groups.h",
    "hip/hip_fp16.h",
    "hip/hip_fp8.h",
    "hip/hip_gl_interop.h",
    "hip/hip_math_constants.h",
    "hip/hip_profile.h",
    "hip/math_functions.h",
)


@dataclass(frozen=True)
class Recipe:
    """A ROCm release: the wheel with its headers, and what fills the gaps of that wheel."""

    rocm: str
    core: Wheel
    overlay: Wheel | None = None
    overlay_rocm: str = ""
    overlay_headers: tuple[str, ...] = ()
    stubs: tuple[StubSet, ...] = ()


RECIPES = {
    "7.1": Recipe(
        "7.1", HIP_7_1, HIP_6_2, "6.2", OVERLAY_7_1, (STUBS_7_1, STUBS_10_0, SYSTEMS_10_0)
    ),
    "6.2": Recipe("6.2", HIP_6_2, stubs=(STUBS_6_2, STUBS_10_0, SYSTEMS_10_0)),
}
