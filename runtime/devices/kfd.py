"""What Linux's kernel says of AMD's GPUs: the exact architecture, which HIP's numbers leave open.

Source: include/uapi/linux/kfd_sysfs.h and drivers/gpu/drm/amd/amdkfd/kfd_topology.c of Linux:
gfx_target_version is major * 10000 + minor * 100 + stepping, location_id bus << 8 | device << 3 |
function.
"""

import re
from pathlib import Path

_TOPOLOGY = Path("/sys/class/kfd/kfd/topology/nodes")
_ADDRESS = re.compile(r"([0-9a-f]+):([0-9a-f]+):([0-9a-f]+)\.([0-7])")


def architecture_at(pci_address: str, topology: Path = _TOPOLOGY) -> str | None:
    """Return the architecture of the GPU in a slot, like gfx942; None where nothing is said."""
    match = _ADDRESS.fullmatch(pci_address)
    if match is None:
        return None
    domain, bus, device, function = (int(part, 16) for part in match.groups())
    location = bus << 8 | device << 3 | function
    for file in sorted(topology.glob("*/properties")):
        fields = _fields(file)
        version = fields.get("gfx_target_version", 0)
        if version and (fields.get("domain", 0), fields.get("location_id")) == (domain, location):
            return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
    return None


def _fields(file: Path) -> dict[str, int]:
    try:
        rows = [line.split() for line in file.read_text(encoding="ascii").splitlines()]
    except OSError:  # the node went away, or is another container's
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}  # noqa: PLR2004
