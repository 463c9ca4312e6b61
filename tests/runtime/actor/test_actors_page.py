"""The programs in the guide to actors and in the README print what their comments say."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime import actor as ra
from tests.runtime.field.scripts import Script

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 50.0
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def blocks(page: str, kind: str = "python") -> list[str]:
    """Return the blocks of a page of one kind: "python", "python worker" or "python client"."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["docs/actors.md", "README.md"])
def test_page_when_its_program_is_run(page: str, program: Callable[[str], Script]) -> None:
    source = "\n".join(blocks(page))
    said = PRINTED.findall(source)
    assert said
    script = program(source)
    assert script.finish(SECONDS) == 0, script.out
    assert script.out.splitlines() == said


def test_guide_when_names_are_compared() -> None:
    text = (ROOT / "docs/actors.md").read_text(encoding="utf-8")
    names = set(re.findall(r"from runtime\.actor import (.*)", text))
    for name in sorted({each.strip() for line in names for each in line.split(",")}):
        assert hasattr(ra, name), name
