"""The Python blocks of pages about settings and supervision do what their comments say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from runtime import config

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["configuration.md", "observing.md", "supervision.md"])
def test_page_when_its_code_is_run(page: str) -> None:
    blocks = re.findall(
        r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL
    )
    assert blocks
    for block in blocks:
        said = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.MULTILINE)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, page, "exec"), {})  # noqa: S102  our own page
        assert output.getvalue().splitlines() == said != []
    config.clear_runtime_config()
