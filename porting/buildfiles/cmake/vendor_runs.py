"""Stretches of options that differ between the vendors, with the text that each of them gets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from porting.buildfiles.cmake.commands import Argument
from porting.buildfiles.cmake.options import Run
from porting.buildfiles.cmake.words import Word


@dataclass(frozen=True, slots=True)
class Stretch:
    """A place in the text, and what stands there for each vendor, as arguments of `set`."""

    start: int
    end: int
    cuda: str
    rocm: str


def stretches(text: str, arguments: Sequence[Argument], run: Run) -> Iterator[Stretch | None]:
    """Yield the places of a run that differ; None for one that no variable can hold.

    That is one with a variable in it, whose value is known only at that place.
    """
    pieces = run.translated.pieces
    at = 0
    while at < len(pieces):
        first = at
        while at < len(pieces) and pieces[at].flags != _words(run, at):
            at += 1
        if at > first:
            words = run.words[pieces[first].start : pieces[at - 1].end]
            flags = [flag for piece in pieces[first:at] for flag in piece.flags]
            yield _stretch(text, arguments, words, flags)
        else:
            at += 1


def _words(run: Run, number: int) -> tuple[str, ...]:
    piece = run.translated.pieces[number]
    return run.translated.words[piece.start : piece.end]


def _stretch(
    text: str, arguments: Sequence[Argument], words: Sequence[Word], flags: Sequence[str]
) -> Stretch | None:
    first, last = arguments[words[0].argument], arguments[words[-1].argument]
    start, end = words[0].start, words[-1].end
    if any("$" in word.text for word in words):
        return None
    if first is last and first.quoted and (first.inner, first.inner_end) != (start, end):
        between = ";" if ";" in text[first.inner : first.inner_end] else " "
        return Stretch(start, end, f'"{text[start:end]}"', f'"{between.join(flags)}"')
    start = first.start if first.quoted and first.inner == start else start
    end = last.end if last.quoted and last.inner_end == end else end
    inside = text[start:end]
    if "#" in inside or inside.count('"') % 2:
        return None
    return Stretch(start, end, " ".join(inside.split()), " ".join(map(_argument, flags)))


def _argument(flag: str) -> str:
    """Return an option as an argument of `set`."""
    if any(character in flag for character in ' ;"()#'):
        escaped = flag.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return flag
