"""How programs are linked on each platform, and an audit of those that are built."""

from porting.link.codes import CODES
from porting.link.libraries import How, Library, libraries, vendor_file
from porting.link.plan import PLATFORMS, Linked, LinkPlan, link_plan

__all__ = [
    "CODES",
    "PLATFORMS",
    "How",
    "Library",
    "LinkPlan",
    "Linked",
    "libraries",
    "link_plan",
    "vendor_file",
]
