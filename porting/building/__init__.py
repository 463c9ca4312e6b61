"""Build a ported tree with its own build systems, load what came out, say what is wrong."""

from porting.building.codes import BUILD_FAILED, CODES
from porting.building.findings import Building, judge, stage_names
from porting.building.pipeline import BuildRequest, build
from porting.building.products import Product

__all__ = [
    "BUILD_FAILED",
    "CODES",
    "BuildRequest",
    "Building",
    "Product",
    "build",
    "judge",
    "stage_names",
]
