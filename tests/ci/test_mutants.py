"""Mutants: the data, planting in a copy, and verdicts of real runs on a small tree of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ci import mutant_suite as suite
from ci.cells import ROOT, read_matrix
from ci.errors import ParityError
from ci.mutant_baseline import Baseline
from ci.mutant_suite import End, Part, Place, Ran
from ci.mutants import Result, Verdict, is_enough, judge, main, newly_failed, selections, table
from ci.planting import (
    AREAS,
    Mutant,
    check,
    copied_files,
    copy_checkout,
    planted,
    planted_text,
    read_mutants,
)

MUTANTS = read_mutants()
ENTRY = """
[[mutant]]
id = "one"
area = "emulator"
file = "porting/emulate/sum.py"
fault = "a sum is a difference"
find = "a + b"
replace = "a - b"
platforms = ["rocm"]
caught_by = ["tests/porting/emulate/test_sum.py"]
"""
SUM = "def add(a, b):\n    return a + b\n"
# `porting emulate ... -- PROGRAM` that runs the program, unless a source is wrong.
PORTING = """
import pathlib, subprocess, sys
compile(pathlib.Path("porting/emulate/sum.py").read_text(), "sum.py", "exec")
sys.exit(subprocess.run(sys.argv[sys.argv.index("--") + 1:]).returncode)
"""
TEST = """
import threading
from porting.emulate.sum import add

def test_sum_when_added():
    assert add(2, 3) == 5

def test_sum_when_nothing_is_added():
    assert add(2, 0) == 2

def test_sum_that_is_wrong_anyhow():
    assert add(2, 2) == 5
"""
# Names that a report has otherwise than pytest takes them.
GROUPED = """
import pytest
from pathlib import Path
from porting.emulate.sum import add

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", ["a@b"])
def test_sum_when_grouped(number):
    assert add(2, 3) == 5

@pytest.mark.xdist_group("one")
class TestSum:
    def test_sum_when_it_fails_once(self):
        seen = Path("seen")
        assert add(2, 3) == 5 or seen.exists() or seen.touch()
"""
HANGS = "import threading\n\ndef test_event_when_it_never_comes():\n    threading.Event().wait()\n"
SUMS = "tests/porting/emulate/test_sum.py"
GROUPS = "tests/porting/emulate/test_groups.py"
PLAIN = Part("emulator")


def _mutant(find: str = "a + b", replace: str = "a - b") -> Mutant:
    return Mutant(
        "one", "emulator", "porting/emulate/sum.py", "a fault", find, replace, ("rocm",), (SUMS,)
    )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a place whose copy has one function and its tests."""
    files = {
        "porting/__init__.py": "",
        "porting/__main__.py": PORTING,
        "porting/emulate/__init__.py": "",
        "porting/emulate/sum.py": SUM,
        SUMS: TEST,
        GROUPS: GROUPED,
        "tests/porting/emulate/test_hangs.py": HANGS,
        "sitecustomize.py": "import sys\nsys.meta_path[:] = [\n"
        "    f for f in sys.meta_path if type(f).__name__ != 'ScikitBuildRedirectingFinder']\n",
    }
    made = Place(tmp_path / "mutants")
    for name, text in files.items():
        path = made.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return made


def test_mutants_when_counted_cover_all_areas() -> None:
    assert len(MUTANTS) == 40
    for area in AREAS.values():
        own = [mutant for mutant in MUTANTS.values() if mutant.area == area.name]
        assert len(own) >= area.least


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_when_planted_has_its_place_once(name: str) -> None:
    check([MUTANTS[name]], ROOT)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_when_it_names_tests_they_are_there(name: str) -> None:
    for test in MUTANTS[name].caught_by:
        file, _, function = test.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {function}(" in text if function else "def test_" in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"emulator"', '"runtime"', "mutant[0].area is"),
        ("porting/emulate/sum.py", "runtime/cli.py", "a file of porting/emulate/"),
        ("porting/emulate/sum.py", "porting/emulate/../cli.py", "a file of porting/emulate/"),
        ('"a - b"', '"a + b"', "another text than `find`"),
        ('["rocm"]', '["vulkan"]', "out of cuda, rocm"),
        ('"tests/porting', '"benchmarks', "names of tests"),
        ("fault =", "what =", "mutant[0].fault is missing"),
        ("[[mutant]]", "[[mutant]]\nextra = 1", "mutant[0].extra is no key"),
    ],
)
def test_data_when_wrong_says_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "mutants.toml"
    file.write_text(ENTRY.replace(old, new))

    with pytest.raises(ParityError, match=re.escape(message)):
        read_mutants(file)


def test_data_when_an_id_is_there_twice(tmp_path: Path) -> None:
    file = tmp_path / "mutants.toml"
    file.write_text(ENTRY + ENTRY)

    with pytest.raises(ParityError, match="one that no other mutant has"):
        read_mutants(file)


def test_text_when_planted_changes_at_its_place() -> None:
    assert planted_text(SUM, _mutant()) == "def add(a, b):\n    return a - b\n"


@pytest.mark.parametrize(("text", "times"), [("return 0", 0), (SUM + SUM, 2)])
def test_text_when_the_place_is_not_there_once(text: str, times: int) -> None:
    with pytest.raises(ParityError, match=rf"mutant one: .* {times} times and has to be"):
        planted_text(text, _mutant())


def test_fault_when_what_it_was_planted_for_breaks_off(place: Place) -> None:
    source = place.tree / "porting" / "emulate" / "sum.py"

    def break_off() -> None:
        with planted(_mutant(), place.tree):
            raise KeyboardInterrupt(source.read_text())

    with pytest.raises(KeyboardInterrupt, match="a - b"):
        break_off()

    assert source.read_text() == SUM


def test_fault_when_its_file_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ParityError, match=r"porting/emulate/sum\.py does not exist"):
        check([_mutant()], tmp_path)


def test_copy_when_made_again_touches_what_changed_alone(tmp_path: Path) -> None:
    source, tree = tmp_path / "source", tmp_path / "copy" / "tree"
    source.mkdir()
    _git(source, "init", "-q")
    for name, text in {"kept": "1", "changed": "1", "gone": "1", ".gitignore": "out\n"}.items():
        (source / name).write_text(text)
    (source / "out").write_text("1")
    copy_checkout(source, tree)
    built = tree / "built"
    built.write_text("1")
    before = (tree / "kept").stat().st_mtime_ns
    (source / "changed").write_text("2")
    (source / "gone").unlink()

    copy_checkout(source, tree)

    assert (tree / "kept").stat().st_mtime_ns == before
    assert (tree / "changed").read_text() == "2"
    assert built.exists()
    assert copied_files(tree) == {"kept", "changed", ".gitignore"}
    assert not any((tree / name).exists() for name in ("gone", "out"))
    assert sorted(path.name for path in source.iterdir() if path.name != ".git") == [
        ".gitignore",
        "changed",
        "kept",
        "out",
    ]


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, timeout=30)


def test_failures_when_a_test_fails_without_the_fault_too() -> None:
    ran = Ran(End.FINISHED, {"a": False, "b": False, "c": True, "new": False})

    assert newly_failed(ran, {"a": True, "b": False, "c": True}) == ["a"]


@pytest.mark.parametrize(("caught", "enough"), [(36, True), (35, False), (40, True)])
def test_results_when_judged(caught: int, enough: bool) -> None:  # noqa: FBT001
    verdicts = [Verdict.CAUGHT] * caught + [Verdict.SURVIVED, Verdict.BROKEN] * 20

    assert is_enough([Result(_mutant(), one) for one in verdicts[:40]]) == enough


def test_table_when_one_survives_says_its_fault() -> None:
    caught = Result(_mutant(), Verdict.CAUGHT, "parity rocm", ("t::a", "t::b"), "", 3.25)
    lines = table([caught, Result(_mutant(), Verdict.SURVIVED)]).splitlines()

    assert lines[1].split() == "one caught 3.2 parity rocm: t::a and 1 more".split()
    assert "survived: one: a fault" in lines
    assert lines[-4:] == [
        "gpu: 0 of 0 caught",
        "emulator: 1 of 2 caught",
        "mappings: 0 of 0 caught",
        "mutants: 1 of 2 caught",
    ]


def test_tests_when_chosen_go_to_their_parts() -> None:
    device, parity = "tests/runtime/devices/test_protocol.py::test_a", "tests/parity/test_b.py"
    mutant = Mutant("a", "gpu", "f", "f", "a", "b", ("cuda", "rocm"), (device, parity, SUMS))

    assert selections([mutant, mutant]) == {
        Part("protocol", "cuda"): [device],
        Part("parity", "cuda"): [parity],
        PLAIN: [SUMS],
        Part("protocol", "rocm"): [device],
        Part("parity", "rocm"): [parity],
    }


def test_cell_when_chosen_has_the_widest_waves() -> None:
    cells = read_matrix()

    assert suite.cell_of("rocm", cells).wave == 64
    assert suite.cell_of("cuda", cells).checked == "emulated"


def test_run_when_it_ends_says_what_became_of_each_test(place: Place) -> None:
    ran = suite.run(PLAIN, place, [SUMS], 50)

    assert ran.end is End.FINISHED
    assert ran.failed == {f"{SUMS}::test_sum_that_is_wrong_anyhow"}
    assert len(ran.tests) == 3


def test_run_when_tests_have_groups_and_classes_names_them_as_pytest_does(place: Place) -> None:
    ran = suite.run(PLAIN, place, [GROUPS], 50)

    assert ran.tests == {
        f"{GROUPS}::test_sum_when_grouped[a@b]": True,
        f"{GROUPS}::TestSum::test_sum_when_it_fails_once": True,
        "the end of emulator": True,
    }
    assert suite.run(PLAIN, place, [*ran.tests][:2], 50).tests == ran.tests


def test_run_when_nothing_is_collected_has_broken_off(place: Place) -> None:
    assert suite.run(PLAIN, place, ["tests/nothing.py"], 50).end is End.BROKE


def test_run_when_it_hangs_leaves_no_process(place: Place) -> None:
    ran = suite.run(PLAIN, place, ["tests/porting/emulate/test_hangs.py"], 5)

    assert ran.end is End.HUNG
    assert not _marked()


def test_command_when_it_leaves_a_process_of_its_own_session(place: Place) -> None:
    waits = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()'], "
    waits += "stdin=subprocess.PIPE, start_new_session=True)"

    status, _ = suite.spawn([sys.executable, "-c", waits], place, 30)

    assert status == 0
    assert not _marked()


def _marked() -> list[str]:
    """Return the processes that still carry our mark, but for those that are dead already."""
    mark = f"ECLOSION_MUTANTS={os.getpid()}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_mutant_when_a_test_fails_by_it_is_caught(place: Place) -> None:
    baseline = _baseline(place)

    result = judge(_mutant(), {PLAIN: [SUMS]}, place, baseline)

    assert result.verdict is Verdict.CAUGHT
    assert result.tests == (f"{SUMS}::test_sum_when_added",)
    assert result.part == "emulator"


def test_mutant_when_no_test_minds_survives(place: Place) -> None:
    mutant = _mutant("return a + b", "return b + a")

    assert judge(mutant, {PLAIN: [SUMS]}, place, _baseline(place)).verdict is Verdict.SURVIVED


@pytest.mark.timeout(180)  # three runs of pytest
def test_mutant_when_tests_fail_that_it_does_not_name_they_are_run_again(place: Place) -> None:
    twice = f"{GROUPS}::test_sum_when_grouped[a@b]"
    once = f"{GROUPS}::TestSum::test_sum_when_it_fails_once"
    baseline = Baseline(place)
    baseline.learn({PLAIN: [GROUPS]})

    assert judge(_mutant(), {PLAIN: [once, twice]}, place, baseline).tests == (twice,)


@pytest.mark.timeout(180)  # three runs of pytest
def test_mutant_when_the_second_run_breaks_off_is_not_caught(place: Place) -> None:
    baseline = Baseline(place)
    baseline.learn({PLAIN: [GROUPS]})
    (place.tree / GROUPS).write_text(GROUPED.replace("seen.touch()", "Path(__file__).unlink()"))

    result = judge(_mutant(), {PLAIN: [f"{GROUPS}::TestSum"]}, place, baseline)

    assert result.verdict is Verdict.BROKEN
    assert "no tests ran" in result.note


def test_mutant_when_it_does_not_build_is_not_caught(place: Place) -> None:
    result = judge(_mutant("a + b", "a +"), {PLAIN: [SUMS]}, place, _baseline(place))

    assert result.verdict is Verdict.BROKEN
    assert "SyntaxError" in result.note


def _baseline(place: Place) -> Baseline:
    made = Baseline(place)
    made.learn({PLAIN: [SUMS]})
    return made


def test_baseline_when_the_copy_is_as_it_was_is_remembered(place: Place) -> None:
    place.tree.with_name("tree.files").write_text(SUMS)
    _baseline(place)
    (place.tree / "porting" / "emulate" / "sum.py").unlink()  # it would fail now

    again = Baseline(place)
    again.learn({PLAIN: [SUMS]})

    assert again.of(PLAIN)[f"{SUMS}::test_sum_when_added"]


def test_baseline_when_the_copy_has_changed_is_forgotten(place: Place) -> None:
    place.tree.with_name("tree.files").write_text(SUMS)
    _baseline(place)
    (place.tree / SUMS).write_text("def test_other():\n    pass\n")

    assert not Baseline(place).of(PLAIN)


def test_command_when_a_mutant_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "nobody"]) == 2
    assert "has no mutant nobody" in capsys.readouterr().err


def test_command_when_mutants_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n") == 2 * len(MUTANTS)
