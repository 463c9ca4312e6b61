"""The rule families, in the order in which their edits take precedence."""

from porting.diagnostics import Code
from porting.rules import (
    api,
    collisions,
    cooperative,
    device,
    handles,
    includes,
    labels,
    launches,
    libraries,
    macros,
    names,
    ptx,
    semantics,
    strings,
    warp,
)
from porting.rules.collect import collect_project
from porting.rules.macros import Selections
from porting.rules.project import Project
from porting.rules.unit import Rule, Unit

# Families that rewrite structure come before plain renames: where edits overlap, the first wins.
FAMILIES = (
    labels,
    launches,
    collisions,
    includes,
    macros,
    strings,
    handles,
    warp,
    ptx,
    cooperative,
    device,
    libraries,
    api,
    semantics,
    names,
)
RULES: tuple[Rule, ...] = tuple(family.check for family in FAMILIES)
CODES: tuple[Code, ...] = tuple(code for family in FAMILIES for code in family.CODES)

# Codes that say nothing new where another family has spoken of the same name on the same line.
GIVES_WAY: frozenset[str] = names.GIVES_WAY

__all__ = [
    "CODES",
    "GIVES_WAY",
    "RULES",
    "Project",
    "Rule",
    "Selections",
    "Unit",
    "collect_project",
]
