"""A link plan written for a build system, one module each."""

import importlib
from typing import Final

from porting.link.fragments.text import MadeBy
from porting.link.plan import LinkPlan

BUILD_SYSTEMS: Final = ("cmake", "setuptools", "make", "meson", "cargo")

__all__ = ["BUILD_SYSTEMS", "MadeBy", "fragment"]


def fragment(plan: LinkPlan, build_system: str, made_by: MadeBy) -> str:
    """Return a plan as a file of one of BUILD_SYSTEMS; `made_by`: the generator, the command."""
    module = importlib.import_module(f"porting.link.fragments.{build_system}_fragment")
    text: str = module.render(plan, made_by)
    return text
