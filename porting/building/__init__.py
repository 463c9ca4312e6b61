"""Build a ported tree with its own build systems, load what came out, say what is wrong."""

from porting.building.codes import CODES
from porting.building.findings import Building, judge, stage_names
from porting.building.pipeline import DEFAULT_TIMEOUT, BuildRequest, build
from porting.building.products import Product

__all__ = [
    "CODES",
    "DEFAULT_TIMEOUT",
    "BuildRequest",
    "Building",
    "Product",
    "build",
    "judge",
    "stage_names",
]
