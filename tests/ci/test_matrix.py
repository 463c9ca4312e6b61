"""The matrix: its rules written out as cells, and errors at the key that is wrong."""

import re
import tomllib
from pathlib import Path

import pytest

from ci.cells import CHECKED, PLATFORMS, ROOT, Cell, read_matrix
from ci.errors import ParityError

SMALL = """
pythons = ["3.11", "3.12"]

[platform.cuda]
targets = { sm_80 = 32, sm_90 = 32 }
containerfile = "c"
device = ["--gpus=all"]

[platform.rocm]
targets = { gfx942 = 64, gfx1100 = 32 }
containerfile = "r"
device = ["--device=/dev/kfd"]

[toolkit.cuda-13]
platform = "cuda"
release = "13"
tag = "13"

[toolkit."rocm-7.1"]
platform = "rocm"
release = "7.1"
tag = "7.1"

[toolkit.rocm-newest]
platform = "rocm"
newer_than = "7.1"
tag = "latest"

[runner.hosted]
labels = ["ubuntu"]
checked = ["emulated", "compiled"]

[runner.gpu]
labels = ["self-hosted", "{target}"]
checked = ["device"]

[[rule]]
why = "to try"
runner = "hosted"
checked = ["emulated"]
toolkits = ["cuda-13", "rocm-7.1"]
targets = ["sm_90", "gfx942", "gfx1100"]
pythons = ["3.11"]
"""
DEVICE = """
[[rule]]
why = "more"
runner = "gpu"
container = true
checked = ["device"]
toolkits = ["rocm-newest"]
targets = ["gfx1100"]
pythons = ["3.12"]
"""


def read(folder: Path, text: str) -> dict[str, Cell]:
    """Read a matrix from its text."""
    path = folder / "matrix.toml"
    path.write_text(text)
    return read_matrix(path)


def test_rules_when_written_out(tmp_path: Path) -> None:
    """Each toolkit goes with the targets of its own platform."""
    assert list(read(tmp_path, SMALL + DEVICE)) == [
        "cuda-13-sm_90-py311-emulated",
        "rocm-7.1-gfx942-py311-emulated",
        "rocm-7.1-gfx1100-py311-emulated",
        "rocm-newest-gfx1100-py312-device",
    ]


def test_cell_when_it_is_asked_what_it_is(tmp_path: Path) -> None:
    cells = read(tmp_path, SMALL + DEVICE)
    wide = cells["rocm-7.1-gfx942-py311-emulated"]
    assert (wide.platform, wide.wave, wide.in_container) == ("rocm", 64, False)
    assert cells["rocm-7.1-gfx1100-py311-emulated"].wave == 32
    device = cells["rocm-newest-gfx1100-py312-device"]
    assert (device.labels, device.in_container) == (("self-hosted", "gfx1100"), True)


@pytest.mark.parametrize(
    ("toolkit", "covered", "others"),
    [
        ("rocm-7.1", ["7.1", "7.1.1"], ["7.10", "7.2", "7.0", "7", "8.1", "unknown", ""]),
        ("cuda-13", ["13", "13.0", "13.5"], ["12.9", "14.0", "1.3"]),
        ("rocm-newest", ["7.2", "7.10", "10.0"], ["7.1", "7.1.1", "7.0", "6.4", "unknown"]),
    ],
)
def test_toolkit_when_a_release_is_found(
    toolkit: str, covered: list[str], others: list[str], tmp_path: Path
) -> None:
    more = DEVICE.replace("gpu", "hosted").replace("device", "compiled")
    cells = read(tmp_path, SMALL + more).values()
    found = next(cell.toolkit for cell in cells if cell.toolkit.name == toolkit)
    assert [release for release in covered + others if found.covers(release)] == covered


TEXTS = "an array of different texts out of"
WRONG = {
    "rule[0].checked": (
        'checked = ["emulated"]',
        'checked = ["device"]',
        f'is ["device"]; it has to be {TEXTS} emulated, compiled',
    ),
    "rule[0].runner": (
        'runner = "hosted"',
        'runner = "laptop"',
        'is "laptop"; it has to be one of hosted, gpu',
    ),
    "rule[0].targets": (
        '"gfx942", "gfx1100"]',
        '"gfx941"]',
        f'is ["sm_90", "gfx941"]; it has to be {TEXTS} gfx1100, gfx942, sm_80, sm_90',
    ),
    "rule[0].targets ": (
        '"sm_90", "gfx942", "gfx1100"',
        '"sm_90"',
        'is ["sm_90"]; it has to be an array with a target of rocm-7.1 too: gfx942, gfx1100',
    ),
    "rule[0].toolkits": (
        '["cuda-13", "rocm-7.1"]',
        '["cuda-13"]',
        'is ["cuda-13"]; it has to be an array with a toolkit for gfx942 too',
    ),
    "rule[0].pythons": (
        'pythons = ["3.11"]',
        'pythons = ["3.11", "3.11"]',
        f'is ["3.11", "3.11"]; it has to be {TEXTS} 3.11, 3.12',
    ),
    "rule[0].why": ('why = "to try"', "", "is missing; it has to be a text"),
    "rule[0].why ": (
        '"to try"',
        '" "',
        'is " "; it has to be a text that is not empty',
    ),
    "rule[0].slow": (
        'why = "to try"',
        'why = "to try"\nslow = true',
        (
            "is no key; allowed here: why, runner, checked, toolkits, targets, pythons, container, "
            "make_test"
        ),
    ),
    "rule[0].make_test": (
        'why = "to try"',
        'why = "to try"\nmake_test = 1',
        "is 1; it has to be true or false",
    ),
    "rule": (
        "[[rule]]",
        "[rule]",
        (
            'is {"why": "to try", "runner": "hosted", "checked": ["emulated…; '
            "it has to be an array of tables"
        ),
    ),
    "platform.rocm.targets": (
        "gfx942 = 64",
        "gfx942 = 63",
        'is {"gfx942": 63, "gfx1100": 32}; it has to be a table of names, each with one of 32, 64',
    ),
    "platform.metal": (
        "[platform.rocm]",
        "[platform.metal]",
        "is no platform; platforms are cuda, rocm",
    ),
    "toolkit.rocm-newest.release": (
        'newer_than = "7.1"',
        'newer_than = "7.1"\nrelease = "7.1"',
        'is "7.1"; it has to be left out, since newer_than says the releases',
    ),
    "platform.cuda.driver": (
        "sm_90 = 32 }",
        "sm_90 = 32 }\ndriver = 1",
        "is no key; allowed here: targets, containerfile, device",
    ),
    "toolkit.cuda-13.image": (
        'tag = "13"',
        'tag = "13"\nimage = 1',
        "is no key; allowed here: platform, newer_than, release, tag",
    ),
    "runner.hosted.image": (
        'labels = ["ubuntu"]',
        'labels = ["ubuntu"]\nimage = 1',
        "is no key; allowed here: labels, checked",
    ),
    "runner.spare": ("[runner.hosted]", "[runner]\nspare = 1\n[runner.hosted]", "is 1, no table"),
    'toolkit."rocm-7.1".release': (
        'release = "7.1"',
        'release = "seven"',
        'is "seven"; it has to be a release like 7.1',
    ),
    "toolkit.cuda-13.platform": (
        'platform = "cuda"',
        'platform = "metal"',
        'is "metal"; it has to be one of cuda, rocm',
    ),
}


@pytest.mark.parametrize("place", WRONG)
def test_matrix_when_a_key_is_wrong(place: str, tmp_path: Path) -> None:
    right, wrong, message = WRONG[place]
    assert right in SMALL
    with pytest.raises(ParityError) as caught:
        read(tmp_path, SMALL.replace(right, wrong))
    assert str(caught.value) == f"{tmp_path}/matrix.toml: {place.strip()} {message}"


def test_matrix_when_two_rules_state_one_cell(tmp_path: Path) -> None:
    with pytest.raises(
        ParityError,
        match=r"rule\[2\] states rocm-newest-gfx1100-py312-device, and so does rule\[1\]$",
    ):
        read(tmp_path, SMALL + DEVICE + DEVICE)


def test_matrix_when_it_has_no_rule(tmp_path: Path) -> None:
    text = SMALL[: SMALL.index("[[rule]]")]
    with pytest.raises(ParityError, match=r"rule is missing; it has to be at least one rule$"):
        read(tmp_path, text)


def test_matrix_when_it_is_no_toml(tmp_path: Path) -> None:
    with pytest.raises(ParityError, match=r"matrix\.toml is no TOML: .*line 1"):
        read(tmp_path, "= 1")


def test_matrix_when_it_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ParityError, match=r"absent\.toml does not exist$"):
        read_matrix(tmp_path / "absent.toml")


def test_own_matrix_when_read() -> None:
    cells = read_matrix()
    assert all(re.fullmatch(r"[a-z0-9._-]+", name) for name in cells), (
        "names of files and artifacts"
    )
    meetings = {(cell.checked, cell.platform) for cell in cells.values()}
    assert meetings == {(way, platform) for way in CHECKED for platform in PLATFORMS}
    toolkits = {cell.toolkit.name for cell in cells.values()}
    assert toolkits == {"cuda-12", "cuda-13", "rocm-7.0", "rocm-7.1", "rocm-newest"}
    assert all((ROOT / c.toolkit.platform.containerfile).is_file() for c in cells.values())


def test_own_matrix_when_its_waves_are_compared_with_the_gpus() -> None:
    """gfx9 has wavefronts of 64 lanes, gfx11 of 32, and CUDA warps of 32."""
    waves = {cell.target: cell.wave for cell in read_matrix().values()}
    expected = {name: 64 if name.startswith("gfx9") else 32 for name in waves}
    assert waves == expected
    assert set(waves) == {"sm_80", "sm_90", "gfx90a", "gfx942", "gfx1100"}


def test_own_matrix_when_its_pythons_are_compared_with_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [re.search(r":: (3\.\d+)$", line) for line in project["classifiers"]]
    promised = {found[1] for found in lines if found}
    assert {cell.python for cell in read_matrix().values()} == promised


def test_own_matrix_when_make_test_asks_for_its_cells() -> None:
    """Whichever Python a checkout has, both platforms run and compile, in both wave sizes."""
    chosen = [cell for cell in read_matrix().values() if cell.in_make_test]
    assert not any(cell.checked == "device" or cell.in_container for cell in chosen)
    for python in ("3.11", "3.12", "3.13"):
        own = {(c.platform, c.checked, c.wave) for c in chosen if c.python == python}
        assert {("cuda", "emulated", 32), ("rocm", "emulated", 64)} <= own
        assert {("cuda", "compiled", 32), ("rocm", "compiled", 64)} <= own
