"""What a port is for: the ROCm release and the GPU architectures."""

import re
from dataclasses import dataclass
from enum import StrEnum

from porting.errors import ConfigError

DEFAULT_ROCM = "7.1"
DEFAULT_ARCHS = ("gfx90a", "gfx942", "gfx1100")
OLDEST_ROCM = (6, 2)
# The release of CUDA whose interfaces HIP follows: conditions on a version are decided as for it.
FOLLOWED_CUDA = (12, 8)


class Mode(StrEnum):
    """What a port makes of a tree.

    RENAME: a ROCm tree under the same file names.  COMPAT: one tree for both vendors, its sources
    untouched and a generated header that gives HIP under CUDA's names.
    """

    RENAME = "rename"
    COMPAT = "compat"


_RELEASE = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?")
_ARCH = re.compile(r"gfx(\d+)([0-9a-f]{2})")


def release_key(rocm: str) -> tuple[int, int]:
    """Return (major, minor) of a ROCm release like "7.1" or "7.1.2"; raise ConfigError if none."""
    match = _RELEASE.fullmatch(rocm)
    if match is None:
        message = f"'{rocm}' is not a ROCm release; write it like 7.1"
        raise ConfigError(message)
    return int(match[1]), int(match[2])


def wave_size(arch: str) -> int:
    """Return the lanes of a wavefront: 64 on gfx6 to gfx9 (GCN, CDNA), 32 from gfx10 (RDNA).

    Source: LLVM AMDGPU backend user guide, "Processors" and "Target Features" (wavefrontsize64).
    """
    match = _ARCH.fullmatch(arch)
    if match is None:
        message = f"'{arch}' is not an AMD GPU architecture; write it like gfx942"
        raise ConfigError(message)
    return 64 if int(match[1]) <= 9 else 32  # noqa: PLR2004


@dataclass(frozen=True)
class Target:
    """The ROCm release and architectures that the output is for.

    `hipify_launches`: write kernel launches as hipLaunchKernelGGL instead of keeping <<<>>>.
    """

    rocm: str = DEFAULT_ROCM
    archs: tuple[str, ...] = DEFAULT_ARCHS
    hipify_launches: bool = False

    def __post_init__(self) -> None:
        """Check the values; raise ConfigError for what cannot be a target."""
        if release_key(self.rocm) < OLDEST_ROCM:
            message = f"ROCm {self.rocm} is too old to be a target; 6.2 or newer is needed"
            raise ConfigError(message)
        if not self.archs:
            message = "no GPU architecture given; name at least one, like gfx942"
            raise ConfigError(message)
        for arch in self.archs:
            wave_size(arch)

    @property
    def release(self) -> tuple[int, int]:
        """(major, minor) of the ROCm release."""
        return release_key(self.rocm)

    @property
    def wave_sizes(self) -> frozenset[int]:
        """Every wavefront width among the architectures."""
        return frozenset(wave_size(arch) for arch in self.archs)
