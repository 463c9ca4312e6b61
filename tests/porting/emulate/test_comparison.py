"""What two runs differ in is told by kind; what may differ, or does not, is not."""

from typing import Any

import pytest

from porting.emulate.comparison import Difference, Run, differences


def run_on(
    platform: str,
    output: str = "",
    *,
    status: int = 0,
    findings: tuple[dict[str, Any], ...] = (),
    buffers: tuple[dict[str, Any], ...] = (),
) -> Run:
    return Run(platform, status, output.encode(), findings, buffers)


def buffer_of(number: int, digests: list[str] | None, size: int = 100) -> dict[str, Any]:
    at = f"main.cu:{number}"
    return {"buffer": number, "size": size, "at": at, "part": 64, "digests": digests}


def finding_at(file: str, line: int = 7) -> dict[str, Any]:
    at = {"file": file, "line": line, "column": 3, "function": "smooth(int*)", "label": ""}
    return {"code": "EMU001", "kind": "out of bounds", "text": "writes behind it", "at": at}


def told(cuda: Run, rocm: Run, ignored: str = "") -> list[tuple[str, str]]:
    return [(found.kind, found.text) for found in differences(cuda, rocm, ignored)]


def test_runs_when_all_is_the_same() -> None:
    held = (buffer_of(1, ["a", "b"]), buffer_of(2, ["c"]))
    cuda = run_on("cuda", "1\n2\n", status=4, buffers=held)
    rocm = run_on("rocm", "1\n2\n", status=4, buffers=held)
    assert differences(cuda, rocm) == []


def test_statuses_when_one_run_was_ended() -> None:
    found = differences(run_on("cuda"), run_on("rocm", status=134))
    assert found == [Difference("status", "cuda ended with 0, rocm with 134")]


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("1\n2\n3\n", "1\n5\n4\n", "line 2: cuda has '2\\n'; rocm has '5\\n'"),
        ("1\n2\n", "1\n", "line 2: cuda has '2\\n'; rocm has no such line"),
        ("", "1\n", "line 1: cuda has no such line; rocm has '1\\n'"),
        ("\n1\n", "\n", "line 2: cuda has '1\\n'; rocm has no such line"),
        ("1\n", "1", "line 1: cuda has '1\\n'; rocm has '1'"),
        ("1\r\n", "1\n", "line 1: cuda has '1\\r\\n'; rocm has '1\\n'"),
    ],
)
def test_output_when_a_line_differs(left: str, right: str, text: str) -> None:
    assert told(run_on("cuda", left), run_on("rocm", right)) == [("output", text)]


def test_output_when_it_is_no_text() -> None:
    cuda, rocm = (Run(name, 0, b"\xff" + end, (), ()) for name, end in (("a", b"1"), ("b", b"2")))
    assert told(cuda, rocm) == [("output", "line 1: a has '\ufffd1'; b has '\ufffd2'")]


def test_ignored_lines_when_only_they_differ() -> None:
    cuda = run_on("cuda", "on sm_90\n2\n")
    rocm = run_on("rocm", "on gfx942\n2\n")
    assert told(cuda, rocm, "^on ") == []
    assert told(cuda, rocm, "^off ") != []


def test_ignored_lines_when_one_run_has_another_there() -> None:
    cuda = run_on("cuda", "on sm_90\n2\n")
    rocm = run_on("rocm", "2\n")
    assert told(cuda, rocm, "^on ") == [
        ("output", "line 1: cuda has 'on sm_90\\n'; rocm has '2\\n'")
    ]


def test_lines_behind_an_ignored_one_are_compared() -> None:
    cuda = run_on("cuda", "on sm_90\n2\n")
    rocm = run_on("rocm", "on gfx942\n3\n")
    assert told(cuda, rocm, "^on ") == [("output", "line 2: cuda has '2\\n'; rocm has '3\\n'")]


def test_findings_when_both_runs_have_one() -> None:
    cuda = run_on("cuda", findings=(finding_at("/tree/a.cu"),))
    rocm = run_on("rocm", findings=(finding_at(""),))
    assert told(cuda, rocm) == [
        ("finding", "cuda: /tree/a.cu:7: EMU001 out of bounds: writes behind it"),
        ("finding", "rocm: smooth(int*): EMU001 out of bounds: writes behind it"),
    ]


@pytest.mark.parametrize(
    ("left", "right", "extent"),
    [
        (["a", "b"], ["x", "b"], "bytes 0 to 63"),
        (["a", "b"], ["a", "x"], "bytes 64 to 99"),
        (["a", "b"], ["x", "y"], "bytes 0 to 63"),
    ],
)
def test_buffers_when_a_part_differs(left: list[str], right: list[str], extent: str) -> None:
    cuda = run_on("cuda", buffers=(buffer_of(1, left),))
    rocm = run_on("rocm", buffers=(buffer_of(1, right),))
    text = f"buffer 1: of 100 bytes, allocated at main.cu:1, differs first in {extent}"
    assert told(cuda, rocm) == [("buffer", text)]


def test_buffers_when_they_were_freed_in_another_order() -> None:
    held = (buffer_of(1, ["a", "b"]), buffer_of(2, ["c", "d"]))
    assert told(run_on("cuda", buffers=held), run_on("rocm", buffers=held[::-1])) == []


def test_buffers_when_sizes_differ() -> None:
    cuda = run_on("cuda", buffers=(buffer_of(1, ["a"], 64),))
    rocm = run_on("rocm", buffers=(buffer_of(1, ["a", "b"], 128),))
    text = "buffer 1: of 64 bytes, allocated at main.cu:1, has 128 bytes in rocm"
    assert told(cuda, rocm) == [("buffer", text)]


@pytest.mark.parametrize(("extra", "there"), [("cuda", "cuda"), ("rocm", "rocm")])
def test_buffers_when_one_run_has_more(extra: str, there: str) -> None:
    first, second = buffer_of(1, ["a"], 64), buffer_of(2, ["b"], 64)
    held = {name: (first, second) if name == extra else (first,) for name in ("cuda", "rocm")}
    cuda, rocm = (run_on(name, buffers=held[name]) for name in held)
    assert told(cuda, rocm) == [("buffer", f"buffer 2: only {there} allocates it, 64 bytes")]


def test_buffers_when_only_the_first_that_differs_is_told() -> None:
    cuda = run_on("cuda", buffers=(buffer_of(1, ["a"], 64), buffer_of(2, ["b"], 64)))
    rocm = run_on("rocm", buffers=(buffer_of(1, ["x"], 64), buffer_of(2, ["y"], 64)))
    [(kind, text)] = told(cuda, rocm)
    assert kind == "buffer"
    assert text.startswith("buffer 1: ")


def test_buffers_when_one_has_the_same_words_in_another_order() -> None:
    cuda = run_on("cuda", buffers=({**buffer_of(1, ["a"]), "words": "w"}, buffer_of(2, ["c"])))
    rocm = run_on("rocm", buffers=({**buffer_of(1, ["b"]), "words": "w"}, buffer_of(2, ["d"])))
    assert [kind for kind, _text in told(cuda, rocm)] == ["order", "buffer"]


def test_buffers_when_one_is_too_large_to_be_looked_at() -> None:
    large = {**buffer_of(1, ["a"], 1 << 29), "digests": None, "words": None}
    cuda, rocm = (run_on(name, buffers=(large,)) for name in ("cuda", "rocm"))
    text = "buffer 1: of 536870912 bytes, allocated at main.cu:1, is too large to be looked at"
    assert told(cuda, rocm) == [("unread", text)]
