"""The rule families, in the order in which their edits take precedence."""

from porting.diagnostics import Code
from porting.rules import names
from porting.rules.unit import Project, Rule, Unit

# Families that rewrite structure come before plain renames; within overlapping edits the first wins.
RULES: tuple[Rule, ...] = (names.check,)
CODES: tuple[Code, ...] = (*names.CODES,)

__all__ = ["CODES", "RULES", "Project", "Rule", "Unit"]
