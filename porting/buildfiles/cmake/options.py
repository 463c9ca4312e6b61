"""Options of nvcc in the arguments of a CMake command: found, translated, put in their place."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from porting.buildfiles.cmake.commands import Argument
from porting.buildfiles.cmake.editing import FileEdits
from porting.buildfiles.cmake.words import Frame, Word, words_of
from porting.buildfiles.codes import flag_code
from porting.buildfiles.flags import Translated, is_of_nvcc, translate


@dataclass(frozen=True, slots=True)
class Run:
    """Words that follow each other in one list, and what they become."""

    words: tuple[Word, ...]
    translated: Translated


def runs_of(text: str, arguments: Sequence[Argument], chosen: Callable[[Word], bool]) -> list[Run]:
    """Return the runs of options for CUDA's compiler among the arguments, translated.

    `chosen`: whether a word is one; those under a condition on CUDA are anyway.
    """
    found = words_of(text, arguments)
    runs = []
    for (_, mine), group in groupby(found, key=lambda w: (w.frames, w.for_cuda or chosen(w))):
        if mine:
            words = tuple(group)
            runs.append(Run(words, translate([_bare(word.text) for word in words])))
    return runs


def has_options_of_nvcc(text: str, arguments: Sequence[Argument]) -> bool:
    """Whether an option that only nvcc has stands outside of any condition."""
    return any(
        is_of_nvcc(_bare(word.text)) for word in words_of(text, arguments) if not word.frames
    )


def apply_runs(
    edits: FileEdits, arguments: Sequence[Argument], runs: Sequence[Run], *, in_string: bool
) -> tuple[str, ...]:
    """Put the options of clang in the place of nvcc's; return the options that linking needs.

    `in_string`: the value is a command line with blanks between its options, not a list.
    """
    outputs: dict[Word, tuple[str, ...]] = {}
    for run in runs:
        for piece in run.translated.pieces:
            outputs[run.words[piece.start]] = piece.flags
            outputs |= dict.fromkeys(run.words[piece.start + 1 : piece.end], ())
            for note in piece.notes:
                place = run.words[piece.start].start
                edits.say(flag_code(note.severity), place, f"{note.flag}: {note.text}")
    empty = _empty_frames(edits.text, arguments, outputs)
    for frame in empty:
        edits.cut(*_whole_argument(arguments, frame.start, frame.end))
    gone = _empty_arguments(edits.text, arguments, outputs)
    for number in gone:
        edits.cut_argument(arguments[number])
    for word in outputs:
        if word.argument in gone or any(frame in empty for frame in word.frames):
            continue
        argument = arguments[word.argument]
        _apply(edits, argument, word, outputs[word], blank=in_string or not argument.quoted)
    return tuple(dict.fromkeys(flag for run in runs for flag in run.translated.link))


def _apply(
    edits: FileEdits, argument: Argument, word: Word, flags: tuple[str, ...], *, blank: bool
) -> None:
    """Replace one word, or take it out with its argument when that is all of it."""
    if flags:
        new = (" " if blank else ";").join(flags)
        if new != _bare(word.text):
            text = new.replace('"', '\\"') if argument.quoted else new
            edits.replace(word.start, word.end, text)
    else:
        edits.cut(*_whole_argument((argument,), word.start, word.end))


def _whole_argument(arguments: Sequence[Argument], start: int, end: int) -> tuple[int, int]:
    """Return a place with the quotes around it when it is all that they hold."""
    for argument in arguments:
        if (argument.inner, argument.inner_end) == (start, end):
            return argument.start, argument.end
    return start, end


def _empty_frames(
    text: str, arguments: Sequence[Argument], outputs: dict[Word, tuple[str, ...]]
) -> list[Frame]:
    """Return the generator expressions around options of which none is left."""
    everything = words_of(text, arguments)
    frames = dict.fromkeys(word.frames[-1] for word in outputs if word.frames)
    return [
        frame
        for frame in frames
        if frame.end >= 0
        and all(outputs.get(word) == () for word in everything if frame in word.frames)
    ]


def _empty_arguments(
    text: str, arguments: Sequence[Argument], outputs: dict[Word, tuple[str, ...]]
) -> set[int]:
    """Return the indices of arguments of several words of which none is left."""
    by_argument: dict[int, list[Word]] = {}
    for word in words_of(text, arguments):
        by_argument.setdefault(word.argument, []).append(word)
    return {
        number
        for number, words in by_argument.items()
        if len(words) > 1 and all(not w.frames and outputs.get(w) == () for w in words)
    }


def _bare(word: str) -> str:
    """Return a word without the backslashes that CMake takes off."""
    return word.replace('\\"', '"')


def options_after(arguments: Sequence[Argument], first: int) -> Iterator[Argument]:
    """Yield the arguments from an index on that are no keywords of visibility."""
    keywords = ("PUBLIC", "PRIVATE", "INTERFACE", "BEFORE")
    return (argument for argument in arguments[first:] if argument.value not in keywords)
