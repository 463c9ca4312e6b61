"""The bytes of a process's output as lines: marks, cut characters, progress bars, garbage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor.logs.lines import LONGEST, Line, LineReader
from runtime.actor.logs.marking import mark

END = mark("")


def read(*parts: bytes) -> list[Line]:
    reader = LineReader()
    lines = [line for part in parts for line in reader.feed(part)]
    return lines + reader.finish()


def drawing(reader: LineReader, data: bytes) -> tuple[bool, list[Line]]:
    lines = reader.feed(data)
    return reader.drawing, lines


def test_lines_when_they_come_in_parts() -> None:
    assert read(b"one\ntw", b"o\n\nthr", b"ee") == [
        ("", "one"),
        ("", "two"),
        ("", ""),
        ("", "three"),
    ]


def test_a_line_when_it_is_split_inside_a_character() -> None:
    text = "größe ✓".encode()
    for cut in range(len(text)):
        assert read(text[:cut], text[cut:] + b"\n") == [("", "größe ✓")]


def test_bytes_when_they_are_no_text() -> None:
    assert read(b"\xff\xfe\x00\x07ok\x7f\n") == [("", "\ufffd\ufffd\\x00\\x07ok\\x7f")]


def test_colours_and_tabs_when_printed() -> None:
    assert read(b"\x1b[31mred\x1b[0m\tx\n") == [("", "\x1b[31mred\x1b[0m\tx")]


def test_a_progress_bar_when_it_is_drawn_over_itself() -> None:
    reader = LineReader()
    assert drawing(reader, b"\r 10%\r 20%") == (True, [])
    assert reader.progress() == [("", " 20%")]
    assert reader.progress() == []
    assert reader.feed(b"\r 30%") == []
    assert reader.progress() == [("", " 30%")]
    assert drawing(reader, b"\r100%\n") == (False, [("", "100%")])
    assert reader.finish() == []


def test_a_progress_bar_when_its_last_state_was_shown() -> None:
    reader = LineReader()
    reader.feed(b"\r100%")
    assert reader.progress() == [("", "100%")]
    assert reader.feed(b"\nnext\n") == [("", "next")]


def test_a_progress_bar_when_it_is_drawn_a_million_times() -> None:
    reader = LineReader()
    for number in range(100_000):
        reader.feed(b"\r%d of many" % number)
    assert sum(map(len, reader._rests.values())) < 100
    assert reader.finish() == [("", "99999 of many")]


def test_ends_of_lines_when_they_are_of_windows() -> None:
    assert read(b"one\r\ntwo\r\n") == [("", "one"), ("", "two")]
    assert read(b"one\r", b"\ntwo\r\n") == [("", "one"), ("", "two")]


def test_a_line_when_it_is_very_long() -> None:
    text = "é" * LONGEST + "!"
    lines = read(text.encode())
    assert "".join(line for _, line in lines) == text
    assert max(len(line.encode()) for _, line in lines) <= LONGEST
    assert len(lines) == 3


def test_a_line_when_it_is_long_and_of_no_characters() -> None:
    lines = read(b"\x80" * (LONGEST * 2) + b"\n")
    assert sum(len(line) for _, line in lines) == LONGEST * 2


def test_lines_when_two_actors_print_parts_in_turn() -> None:
    a, b = mark("2:a{r=0}"), mark("2:b{r=1}")
    data = f"{a}one{END}{b}two{END}raw\n{a} and{END}{a}\n{END}{b}\nlast{END}"
    assert read(data.encode()) == [
        ("", "raw"),
        ("2:a{r=0}", "one and"),
        ("2:b{r=1}", "two"),
        ("2:b{r=1}", "last"),
    ]


@given(st.integers(1, 200), st.text(max_size=20))
def test_marks_when_they_are_cut_anywhere(step: int, name: str) -> None:
    speaker = mark(f"4:{name}")
    data = f"{speaker}one\n{END}raw\n{speaker}two{END}".encode(errors="replace")
    parts = [data[i : i + step] for i in range(0, len(data), step)]
    assert [text for _, text in read(*parts)] == ["one", "raw", "two"]


def test_an_open_mark_when_the_process_ends() -> None:
    assert read(b"text\x1eabc") == [("", "text\\x1eabc")]


@pytest.mark.parametrize("after", [b"broken}\x1fhalf\nwhole\n", b"half\nwhole\n", b"\nwhole\n"])
def test_lines_when_bytes_were_dropped_between(after: bytes) -> None:
    reader = LineReader()
    assert reader.feed(b"before\nopen") == [("", "before")]
    lost = after.index(b"\n")
    assert reader.feed(after, dropped=1000) == [
        ("", "open"),
        ("", f"({1000 + lost} bytes of output were dropped here; log_buffer was full)"),
        ("", "whole"),
    ]


def test_bytes_when_dropped_and_no_line_ends_after() -> None:
    reader = LineReader()
    assert reader.feed(b"abc", dropped=10) == []
    assert reader.feed(b"def", dropped=5) == []
    assert reader.finish() == [("", "(21 bytes of output were dropped here)")]


@given(st.binary(max_size=400), st.integers(1, 50))
def test_bytes_when_they_are_anything(data: bytes, step: int) -> None:
    parts = [data[i : i + step] for i in range(0, len(data), step)]
    for _, line in read(*parts):
        assert "\n" not in line
        assert "\r" not in line
