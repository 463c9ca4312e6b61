"""Queries of the warp's width: a compat tree counts in 32 lanes, whatever the GPU's wavefront."""

from typing import Final

from porting.headers.entries import Entry, Group
from porting.headers.layout import function
from porting.mapping import Name

_ATTRIBUTES: Final = frozenset(("cudaDevAttrWarpSize", "CU_DEVICE_ATTRIBUTE_WARP_SIZE"))
# Function -> the names whose use makes its answer matter.
WARP_SIZE_NAMES: Final = {
    "cudaGetDeviceProperties": frozenset(("warpSize",)),
    "cudaDeviceGetAttribute": _ATTRIBUTES,
    "cuDeviceGetAttribute": _ATTRIBUTES,
}


def warp_size_entry(name: Name) -> Entry:
    """Return the wrapper of a query that answers 32 for the width of a warp."""
    text = _properties(name.name) if name.name == "cudaGetDeviceProperties" else _query(name.name)
    return Entry(name.name, name.library, Group.FUNCTIONS, text)


def _properties(name: str) -> str:
    return function(
        f"static inline hipError_t {name}",
        ("struct hipDeviceProp_t* prop", "int device"),
        (
            "  hipError_t status = hipGetDeviceProperties(prop, device);",
            "  if (status == hipSuccess) prop->warpSize = 32;",
            "  return status;",
        ),
    )


def _query(name: str) -> str:
    device = "hipDevice_t" if name.startswith("cuDevice") else "int"
    return function(
        f"static inline hipError_t {name}",
        ("int* value", "hipDeviceAttribute_t attribute", f"{device} device"),
        (
            "  hipError_t status = hipDeviceGetAttribute(value, attribute, device);",
            "  if (status == hipSuccess && attribute == hipDeviceAttributeWarpSize) {",
            "    *value = 32;",
            "  }",
            "  return status;",
        ),
    )
