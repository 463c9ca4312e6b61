"""The codes of findings: the emulator's table, the pages, and the numbers are the same."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from porting.cli.explain_command import explain_command
from porting.emulate.codes import CODES
from porting.emulate.toolkits import NATIVE
from porting.port import all_codes

CORE = NATIVE / "core"


def table(path: Path) -> list[tuple[str, str]]:
    """Return the codes and names of findings.cpp, in their order."""
    return re.findall(r'\{"(EMU\d+)", "([^"]+)"\}', path.read_text())


def kinds(path: Path) -> list[str]:
    """Return the enumerators of findings.h, in their order."""
    body = re.search(r"enum class Kind \{(.*?)\};", path.read_text(), re.DOTALL)
    assert body is not None
    return re.findall(r"^\s*(k\w+),", body[1], re.MULTILINE)


def told(core: Path) -> set[str]:
    """Return the kinds that sources of the core tell."""
    texts = (path.read_text() for path in core.glob("*.cpp"))
    return {kind for text in texts for kind in re.findall(r"(?<!\w)Kind::(k\w+)", text)}


def test_codes_when_compared_with_the_emulators_table() -> None:
    assert [(code.code, code.title) for code in CODES] == table(CORE / "findings.cpp")


def test_table_when_compared_with_the_kinds() -> None:
    assert len(kinds(CORE / "findings.h")) == len(table(CORE / "findings.cpp")) > 0


def test_pages_when_a_kind_is_told_by_nothing() -> None:
    said = [kind in told(CORE) for kind in kinds(CORE / "findings.h")]
    assert ["does not tell it" not in code.explanation for code in CODES] == said


def test_codes_when_compared_with_those_of_ports() -> None:
    assert not {code.code for code in CODES} & {code.code for code in all_codes()}


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.code)
def test_explain_when_asked_for_a_code_of_the_emulator(code: object) -> None:
    word = getattr(code, "code", "")
    done = CliRunner().invoke(explain_command, [word], standalone_mode=False)
    assert done.output.startswith(f"{word}: {getattr(code, 'title', '')}\ntopic emulated, ")


def test_explain_when_all_codes_are_listed() -> None:
    done = CliRunner().invoke(explain_command, ["--codes"], standalone_mode=False)
    assert re.search(r"^EMU001 +error +emulated +out of bounds$", done.output, re.MULTILINE)
