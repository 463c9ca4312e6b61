"""Lines of an output lead back to the input."""

from hypothesis import given
from hypothesis import strategies as st

from porting.config import Target
from porting.edits import Edit, apply_edits
from porting.hipify import hipify
from porting.mapping import Names
from porting.output.linemap import LineMap
from porting.source import SourceFile


def _map(text: str, *edits: Edit) -> LineMap:
    return LineMap.of(SourceFile("a.cu", text.encode("latin-1")), edits)


def test_lines_are_the_same_when_no_edit_adds_or_removes_one() -> None:
    lines = _map("a\nb\nc\n", Edit(0, 1, "xyz"), Edit(2, 3, ""))
    assert lines.steps == ()
    assert [lines.origin(n) for n in (1, 2, 3)] == [1, 2, 3]


def test_lines_after_an_inserted_one_move_up() -> None:
    lines = _map("a\nb\n", Edit(0, 0, "#include <x>\n"))
    assert [lines.origin(n) for n in (1, 2, 3)] == [1, 1, 2]


def test_lines_inside_a_longer_replacement_belong_to_its_start() -> None:
    lines = _map("a\nb\nc\n", Edit(2, 3, "1\n2\n3"))
    assert [lines.origin(n) for n in (1, 2, 3, 4, 5)] == [1, 2, 2, 2, 3]


def test_lines_after_a_removed_one_move_down() -> None:
    lines = _map("a\nb\nc\nd\n", Edit(2, 4, ""))
    assert [lines.origin(n) for n in (1, 2, 3)] == [1, 3, 4]


def test_lines_of_a_ported_file_lead_back_over_a_removed_one() -> None:
    text = "#include <cub/block/block_scan.cuh>\n#include <cub/cub.cuh>\nint y = cudaFree(p);\n"
    done = hipify(SourceFile("a.cu", text.encode()), Target(), Names.load("7.1"))
    assert done.data.decode().splitlines()[1] == "int y = hipFree(p);"
    lines = LineMap.of(done.source, done.edits)
    assert [lines.origin(n) for n in (1, 2)] == [1, 3]


@given(st.data())
def test_every_line_that_no_edit_touches_leads_to_itself(data: st.DataObject) -> None:
    number = data.draw(st.integers(1, 12))
    text = "".join(f"line {n}\n" for n in range(number))
    edits = []
    for line in data.draw(st.sets(st.integers(0, number - 1))):
        start = text.index(f"line {line}\n")
        replacement = data.draw(st.sampled_from(["", "x", "x\n", "x\ny\nz\n", "\n\n"]))
        edits.append(Edit(start, start + len(f"line {line}\n"), replacement))
    edits.sort(key=lambda e: e.start)
    lines = _map(text, *edits)
    shown_lines = apply_edits(text, edits).split("\n")
    origins = [lines.origin(at) for at, _ in enumerate(shown_lines, 1)]
    assert origins == sorted(origins)
    for at, shown in enumerate(shown_lines, 1):
        # A replacement without a line end runs into the line after it.
        if shown.startswith("line "):
            assert lines.origin(at) == int(shown.removeprefix("line ")) + 1
