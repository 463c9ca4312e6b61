"""The rule families, in the order in which their edits take precedence."""

from porting.diagnostics import Code
from porting.rules import api, includes, libraries, names, warp
from porting.rules.project import Project
from porting.rules.unit import Rule, Unit

# Families that rewrite structure come before plain renames; within overlapping edits the first wins.
RULES: tuple[Rule, ...] = (includes.check, warp.check, libraries.check, api.check, names.check)
CODES: tuple[Code, ...] = (*includes.CODES, *warp.CODES, *libraries.CODES, *api.CODES, *names.CODES)

# Codes that say nothing new where another family has spoken of the same name on the same line.
GIVES_WAY: frozenset[str] = names.GIVES_WAY

__all__ = ["CODES", "GIVES_WAY", "RULES", "Project", "Rule", "Unit"]
