"""The diff of a port is one that `patch` takes."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porting.edits import Edit, apply_edits
from porting.hipify import Hipified
from porting.output.diffs import unified_diff
from porting.source import SourceFile


def _done(text: str, *edits: Edit, path: str = "a.cu") -> Hipified:
    data = apply_edits(text, edits).encode("latin-1")
    return Hipified(SourceFile(path, text.encode("latin-1")), data, edits)


def test_diff_is_empty_when_nothing_changed() -> None:
    assert unified_diff(_done("a\n")) == b""


def test_diff_shows_three_lines_around_a_change() -> None:
    text = "".join(f"{n}\n" for n in range(1, 10))
    assert unified_diff(_done(text, Edit(8, 9, "x"))).decode() == (
        "--- a/a.cu\n+++ b/a.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"
    )


def test_diff_has_one_hunk_per_group_of_lines() -> None:
    text = "".join(f"{n}\n" for n in range(10, 40))
    edits = Edit(0, 2, "x\ny"), Edit(3 * 20, 3 * 20 + 2, "z")
    assert unified_diff(_done(text, *edits)).decode().count("@@ -") == 2
    assert b"@@ -18,7 +19,7 @@" in unified_diff(_done(text, *edits))


def test_diff_leaves_out_edits_that_only_hold_their_place() -> None:
    """A hunk without a change is malformed for patch."""
    text = "".join(f"{n}\n" for n in range(10, 40))
    hold = Edit(60, 62, text[60:62])
    assert unified_diff(_done(text, Edit(0, 2, "x"), hold)) == unified_diff(
        _done(text, Edit(0, 2, "x"))
    )
    assert unified_diff(_done(text, hold)) == b""


def test_diff_says_so_when_the_last_line_has_no_end() -> None:
    assert unified_diff(_done("a", Edit(0, 1, "b"))).decode() == (
        "--- a/a.cu\n+++ b/a.cu\n@@ -1,1 +1,1 @@\n"
        "-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )


def test_diff_keeps_bytes_that_are_no_utf8() -> None:
    assert b"-Andr\xe9 x\n+Andr\xe9 y\n" in unified_diff(_done("Andr\xe9 x\n", Edit(6, 7, "y")))


@pytest.mark.parametrize("character", ["\f", "\v", "\x85", "\x1c"])
def test_diff_splits_lines_at_line_feeds_alone(character: str) -> None:
    diff = unified_diff(_done(f"a{character}b\n", Edit(0, 1, "x")))
    assert f"-a{character}b\n+x{character}b\n".encode("latin-1") in diff


_LINE = st.text(alphabet="ab \t\r\f\xe9", max_size=4)


@settings(deadline=None)  # patch is a process, and the machine may be busy
@given(st.data())
def test_patch_turns_the_input_into_the_output(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = data.draw(st.lists(_LINE, min_size=1, max_size=30))
    text = "\n".join(lines) + data.draw(st.sampled_from(["", "\n"]))
    edits: list[Edit] = []
    at = 0
    while at < len(text) and data.draw(st.integers(0, 3)):
        start = data.draw(st.integers(at, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 9)))
        edits.append(Edit(start, end, data.draw(st.text("xy\n", max_size=4))))
        at = end + 1
    done = _done(text, *edits)
    if done.data == done.source.data:
        return
    folder = tmp_path_factory.mktemp("patch")
    (folder / "a.cu").write_bytes(done.source.data)
    patch = subprocess.run(
        ["patch", "-p1", "--binary", "-s"],
        cwd=folder,
        input=unified_diff(done),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert patch.stdout + patch.stderr == b""
    left = (folder / "a.cu").read_bytes() if (folder / "a.cu").exists() else b""
    assert left == done.data


def test_every_path_of_a_diff_is_relative_to_the_tree(tmp_path: Path) -> None:
    assert unified_diff(_done("a\n", Edit(0, 1, "b"), path="src/x y.cu")).startswith(
        b"--- a/src/x y.cu\n+++ b/src/x y.cu\n"
    )
