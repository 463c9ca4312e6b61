"""Constants of the runtime: none becomes the HIP constant that another one's name is for.

Code with a direction or a flag swapped compiles, and an emulator or a driver may not mind.
"""

from pathlib import Path

import pytest

from porting.mapping import Names

# The records that do, each for a reason: HIP has the newer of two names, or one type for both.
SHARED = {
    "CUDA_R_8F_UE4M3": "HIP_R_8F_E4M3",
    "cudaDeviceBlockingSync": "hipDeviceScheduleBlockingSync",
    "cudaStreamAttributeAccessPolicyWindow": "hipLaunchAttributeAccessPolicyWindow",
    "cudaStreamAttributeMemSyncDomain": "hipLaunchAttributeMemSyncDomain",
    "cudaStreamAttributeMemSyncDomainMap": "hipLaunchAttributeMemSyncDomainMap",
    "cudaStreamAttributePriority": "hipLaunchAttributePriority",
    "cudaStreamAttributeSynchronizationPolicy": "hipLaunchAttributeSynchronizationPolicy",
}
KINDS = ("enumerator", "macro")


@pytest.fixture(scope="module")
def targets() -> dict[str, str]:
    """Return what HIP calls each constant of the runtime's table."""
    table = Path(__file__).resolve().parents[2] / "porting" / "mappings" / "runtime.tsv"
    body = table.read_text(encoding="utf-8").partition("\n\n")[2]
    newest = Names.load("10.0")
    found = {}
    for line in body.splitlines():
        record = newest.get(line.split("\t")[0])
        assert record is not None
        if record.kind in KINDS:
            found[record.name] = record.target or ""
    return found


def _usual(target: str) -> str:
    """Return the CUDA name that a HIP name is usually for."""
    for ours, theirs in (("hip", "cuda"), ("HIP", "CUDA")):
        if target.startswith(ours):
            return theirs + target.removeprefix(ours)
    return target


def test_constants_when_renamed_keep_their_own_meaning(targets: dict[str, str]) -> None:
    taken = {
        name: target
        for name, target in targets.items()
        if target and _usual(target) != name and _usual(target) in targets
    }

    assert taken == SHARED
