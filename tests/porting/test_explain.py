"""What `explain` knows."""

import pytest

from porting.diagnostics import Code, Severity
from porting.errors import UsageError
from porting.explain import code_list, explain, library_table
from porting.mapping import Names
from porting.port import all_codes

CODES = (
    Code("ABC001", "topic", Severity.ERROR, "a title", "First paragraph.\n\nSecond one."),
    Code("ABD002", "topic", Severity.NOTE, "another", "Text."),
)


@pytest.fixture(scope="module")
def names() -> Names:
    return Names.load("7.1")


@pytest.mark.parametrize("word", ["ABC001", "abc001"])
def test_explain_gives_the_page_of_a_code(names: Names, word: str) -> None:
    assert explain(word, names, CODES) == (
        "ABC001: a title\ntopic topic, error unless a finding says otherwise\n\n"
        "First paragraph.\n\nSecond one.\n"
    )


def test_explain_gives_the_record_of_a_mapped_name(names: Names) -> None:
    text = explain("cudaMalloc", names, CODES)
    assert "cudaMalloc (function of runtime)" in text
    assert "ROCm 7.1:   hipMalloc\n" in text
    assert "since:      ROCm 6.2\n" in text
    assert "hip/hip_runtime_api.h" in text


def test_explain_says_why_when_a_name_is_unsupported(names: Names) -> None:
    text = explain("cudaGraphicsEGLRegisterImage", names, CODES)
    assert "nothing: unsupported" in text
    assert "reason:" in text


@pytest.mark.parametrize("word", ["cuda_runtime.h", "<cuda_runtime.h>", '"cuda_runtime.h"'])
def test_explain_gives_the_record_of_a_header(names: Names, word: str) -> None:
    assert "ROCm 7.1:   hip/hip_runtime.h\n" in explain(word, names, CODES)


def test_explain_gives_the_record_of_a_namespace(names: Names) -> None:
    assert "cub (namespace" in explain("cub", names, CODES)


def test_explain_names_the_nearest_when_a_code_is_unknown(names: Names) -> None:
    message = r"^'ABC01' is no code of this tool .*; did you mean ABC001\?$"
    with pytest.raises(UsageError, match=message):
        explain("ABC01", names, CODES)


def test_explain_names_the_nearest_when_a_name_is_unknown(names: Names) -> None:
    with pytest.raises(UsageError, match=r"did you mean cudaMalloc,"):
        explain("cudaMaloc", names, CODES)


def test_explain_has_no_guess_when_nothing_is_near(names: Names) -> None:
    with pytest.raises(UsageError, match=r"CUDA header it knows$"):
        explain("zzzzzzzzzzzz", names, CODES)


def test_code_list_has_a_line_per_code() -> None:
    assert code_list(CODES).splitlines()[0].split() == ["ABC001", "error", "topic", "a", "title"]


def test_library_table_adds_up(names: Names) -> None:
    rows = [line.split() for line in library_table(names).splitlines()[2:]]
    sums = [sum(int(row[column]) for row in rows[:-1]) for column in (1, 2, 3)]
    assert [rows[-1][0], *map(int, rows[-1][1:])] == ["total", *sums]
    assert {"runtime", "driver", "nccl", "nvml"} <= {row[0] for row in rows}


def test_every_code_is_there_once_and_has_a_page() -> None:
    codes = all_codes()
    assert len({code.code for code in codes}) == len(codes)
    for code in codes:
        assert len(code.explanation) > 60, f"{code.code} explains nothing"
        assert code.title
        assert not code.title.endswith(".")
        assert code.topic == code.topic.lower()
