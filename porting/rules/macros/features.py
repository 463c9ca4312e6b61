"""Branches for new NVIDIA GPUs that stand for features which AMD GPUs may lack."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from porting.rules.macros.chains import CONDITIONS, Arm
from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER

# From compute capability 7.0 on there are tensor cores, from 8.0 on asynchronous copies too.
_SWITCHES_FROM: Final = 700
_FEATURES_FROM: Final = 800
_FEATURE: Final = re.compile(
    r"(?i:(?:\w*_)?(?:w|wg|rocw|h)?mma(?:_\w*)?|\w*cp_?async\w*|(?:\w*_)?tma(?:_\w*)?"
    r"|\w*tensor_?map\w*|\w*(?:ld|st)matrix\w*|\w*mbarrier\w*|\w*tcgen05\w*|\w*tensor_?cores?\w*)"
)


def doubtful(unit: Unit, new: Sequence[Arm], old: Sequence[Arm], arms: Sequence[Arm]) -> int:
    """Return the architecture from which on a chain stands for features, 0 when it does not.

    `new`, `old`: the arms of `arms` that the newest and the oldest GPUs take.
    """
    threshold = max((_threshold(unit, arm) for arm in arms), default=0)
    if threshold < _SWITCHES_FROM:
        return 0
    differing = [arm for arm in arms if (arm in new) != (arm in old)]
    filled = [arm for arm in differing if unit.tokens_in(arm.start, arm.end)]
    if filled and all(_only_defines(unit, arm) for arm in filled):
        return threshold
    features = [arm for arm in filled if arm in new and _names_feature(unit, arm)]
    return threshold if features and threshold >= _FEATURES_FROM else 0


def _threshold(unit: Unit, arm: Arm) -> int:
    directive = unit.lexed.directives[arm.directive]
    if directive.name not in CONDITIONS:
        return 0
    tokens = unit.tokens[directive.first : directive.last]
    values = (_value(token.text) for token in tokens if token.kind == NUMBER)
    return max((value for value in values if value < 10_000), default=0)  # noqa: PLR2004 - versions


def _value(text: str) -> int:
    digits = re.match(r"\d+", text)
    return int(digits[0]) if digits else 0


def _only_defines(unit: Unit, arm: Arm) -> bool:
    """Whether the arm holds nothing but definitions of macros, at least one."""
    names = set(_directive_names(unit, arm))
    return "define" in names and names <= {"define", "undef"}


def _directive_names(unit: Unit, arm: Arm) -> Iterable[str]:
    inside = unit.tokens_in(arm.start, arm.end)
    for directive in unit.tokens.directives[inside.start : inside.stop]:
        yield unit.lexed.directives[directive].name if directive >= 0 else ""


def _names_feature(unit: Unit, arm: Arm) -> bool:
    words, kinds = unit.tokens.words, unit.tokens.kinds
    return any(
        kinds[number] == IDENT and _FEATURE.fullmatch(words[number])
        for number in unit.tokens_in(arm.start, arm.end)
    )
