"""Options inside arguments, as CMake and a compiler's driver see them."""

import pytest

from porting.buildfiles.cmake.commands import parse
from porting.buildfiles.cmake.words import Word, words_of
from porting.source import SourceFile


def _words(arguments: str) -> list[Word]:
    source = SourceFile("CMakeLists.txt", f"f({arguments})".encode())
    (command,) = parse(source).commands
    return words_of(source.text, command.args)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ("-a -b;-c", ["-a", "-b", "-c"]),
        ('"-a -b;-c"', ["-a", "-b", "-c"]),
        ("${X} $ENV{Y Z} -I${A}/b", ["${X}", "$ENV{Y", "Z}", "-I${A}/b"]),
        ("$<$<CONFIG:Debug>:-a;-b>", ["-a", "-b"]),
        ("-DX=$<BOOL:1>,y -b", ["-DX=$<BOOL:1>,y", "-b"]),
        ('"SHELL:-a b"', ["-a", "b"]),
        ('"a\\"b c"', ['a\\"b c']),
    ],
)
def test_words_are_elements_of_the_list(arguments: str, texts: list[str]) -> None:
    assert [word.text for word in _words(arguments)] == texts


@pytest.mark.parametrize(
    ("condition", "for_cuda", "for_others"),
    [
        ("$<COMPILE_LANGUAGE:CUDA>", True, False),
        ("$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>", True, False),
        ("$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Debug>>", True, False),
        ("$<COMPILE_LANGUAGE:CXX>", False, True),
        ("$<NOT:$<COMPILE_LANGUAGE:CUDA>>", False, True),
        ("$<COMPILE_LANGUAGE:CXX,CUDA>", False, False),
        ("$<OR:$<COMPILE_LANGUAGE:CUDA>,$<COMPILE_LANGUAGE:CXX>>", False, False),
        ("$<CONFIG:Debug>", False, False),
    ],
)
def test_condition_says_whose_options_they_are(
    condition: str, *, for_cuda: bool, for_others: bool
) -> None:
    (word,) = _words(f"$<{condition}:-x>")
    assert (word.for_cuda, word.for_others) == (for_cuda, for_others)


def test_expression_reaches_over_several_arguments() -> None:
    words = _words("$<$<COMPILE_LANGUAGE:CUDA>:-a -b\n  -c> -d")
    assert [(w.text, w.for_cuda, w.argument) for w in words] == [
        ("-a", True, 0),
        ("-b", True, 1),
        ("-c", True, 2),
        ("-d", False, 3),
    ]
