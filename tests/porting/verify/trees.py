"""Trees that are verified, and what is said of them."""

from collections.abc import Mapping
from pathlib import Path

from porting.reports import Outcome
from porting.verify import Verification

RUNTIME = "#include <hip/hip_runtime.h>\n"
GOOD = f"{RUNTIME}__global__ void k(float *p) {{ p[0] = sinf(p[1]); }}\n"


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write a tree."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def outcomes(verification: Verification, path: str) -> set[tuple[str, str, Outcome]]:
    """Return (stage, arch, outcome) of a unit."""
    return {(v.stage, v.arch, v.outcome) for v in verification.verdicts[path]}
