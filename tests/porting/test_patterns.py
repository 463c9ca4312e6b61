"""Path patterns read as .gitignore reads them."""

import pytest

from porting.patterns import PathPatterns


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("third_party", "third_party"),
        ("third_party", "third_party/a.cu"),
        ("third_party", "deep/third_party/a.cu"),
        ("third_party/", "deep/third_party/a.cu"),
        ("/build", "build/a.cu"),
        ("src/*.cu", "src/a.cu"),
        ("src/gen", "src/gen/b/a.cu"),
        ("*.cuh", "src/a.cuh"),
        ("src/**/a.cu", "src/a.cu"),
        ("src/**/a.cu", "src/b/c/a.cu"),
        ("**/gen", "x/y/gen/a.cu"),
        ("tests/**", "tests/a.cu"),
        ("tests/**", "tests/b/c/a.cu"),
        ("src/*/**", "src/b/a.cu"),
        ("**/gen/**", "x/gen/a.cu"),
        ("**", "a.cu"),
        ("**", "b/a.cu"),
        ("file?.cu", "file1.cu"),
        ("[x].cu", "[x].cu"),
        ("a+b.cu", "a+b.cu"),
    ],
)
def test_match_is_true_when_the_pattern_names_the_path(pattern: str, path: str) -> None:
    assert PathPatterns([pattern]).match(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("third_party", "my_third_party/a.cu"),
        ("third_party", "third_party.cu"),
        ("/build", "src/build/a.cu"),
        ("src/*.cu", "src/b/a.cu"),
        ("src/gen", "lib/src/gen/a.cu"),
        ("*.cu", "a.cuh"),
        ("file?.cu", "file/.cu"),
        ("a.cu", "axcu"),
        ("src/**/a.cu", "src/ba.cu"),
        ("tests/**", "tests"),
        ("tests/**", "src/tests/a.cu"),
        ("tests/**", "testset/a.cu"),
        ("src/*/**", "src/a.cu"),
    ],
)
def test_match_is_false_when_the_pattern_names_another_path(pattern: str, path: str) -> None:
    assert not PathPatterns([pattern]).match(path)


def test_match_is_false_when_there_are_no_patterns() -> None:
    assert not PathPatterns().match("a.cu")


def test_match_looks_at_every_pattern_when_there_are_several() -> None:
    patterns = PathPatterns(["a", "b/*"])
    assert [p for p in ("a", "b/x", "c") if patterns.match(p)] == ["a", "b/x"]
