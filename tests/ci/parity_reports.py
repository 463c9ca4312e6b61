"""Reports of cells made from a few words, for the tests of the parity table."""

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from ci.cells import read_matrix
from ci.joining import Table, join
from ci.junit import Case, Outcome, Report

CUDA = "cuda-13-sm_90-py311-emulated"
ROCM = "rocm-7.1-gfx942-py311-emulated"
ROCM_32 = "rocm-7.1-gfx1100-py311-emulated"
CUDA_COMPILED = "cuda-13-sm_90-py311-compiled"
ROCM_COMPILED = "rocm-7.1-gfx942-py311-compiled"
ROCM_DEVICE = "rocm-7.1-gfx942-py311-device"
LETTERS = {"p": Outcome.PASSED, "f": Outcome.FAILED, "s": Outcome.SKIPPED}
CELLS = read_matrix()


def facts(cell: str, release: str = "7.1") -> dict[str, str]:
    """Return what a report says of a cell of the matrix."""
    own = CELLS[cell]
    return {
        "cell": cell,
        "platform": own.platform,
        "toolkit": own.toolkit.name,
        "release": release,
        "target": own.target,
        "wave": str(own.wave),
        "python": own.python,
        "checked": own.checked,
    }


def report(cell: str, tests: Mapping[str, str]) -> Report:
    """Return a cell's report; `tests` has a letter of LETTERS per test, and maybe a message."""
    cases = []
    for name, said in tests.items():
        letter, _, message = said.partition(" ")
        detail = "assert False" if letter == "f" else ""
        case = Case("tests.parity.test_a", name, LETTERS[letter], 0.5, message, detail)
        cases.append(case)
    return Report(Path(f"{cell}.xml"), facts(cell), tuple(cases))


def table(**tests: str) -> Table:
    """Return a table of a CUDA, a ROCm and a ROCm cell of 32 lanes.

    A test has a letter for each of them, or `-` where it is missing; one letter stands for all.
    """
    cells = (CUDA, ROCM, ROCM_32)
    spread = {
        name: letters * 3 if len(letters) == 1 else letters for name, letters in tests.items()
    }
    return join(
        report(cell, {n: letters[at] for n, letters in spread.items() if letters[at] != "-"})
        for at, cell in enumerate(cells)
    )


def write(path: Path, stated: Mapping[str, str], tests: Mapping[str, str]) -> Path:
    """Write a stamped report as a file."""
    suite = ET.Element("testsuite", name="pytest")
    properties = ET.SubElement(suite, "properties")
    for name, value in stated.items():
        ET.SubElement(properties, "property", name=name, value=value)
    for name, letter in tests.items():
        case = ET.SubElement(suite, "testcase", classname="test_a", name=name, time="0.1")
        if letter != "p":
            ET.SubElement(case, "failure" if letter == "f" else "skipped", message="why")
    root = ET.Element("testsuites")
    root.append(suite)
    path.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(root).write(path, encoding="utf-8")
    return path
