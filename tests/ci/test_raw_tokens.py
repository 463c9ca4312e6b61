"""The independent checker of ported trees: it must find what a careless port leaves or touches."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from ci.checkers.clang_tokens import condition_macros, live_lines, raw_tokens
from ci.checkers.cuda_names import CudaNames, read_names
from ci.checkers.line_map import LineMap
from ci.checkers.raw_tokens import TABLES, Diagnosed, check_tree

CLANG = "clang-19"
needs_clang = [
    pytest.mark.toolchain,
    pytest.mark.skipif(shutil.which(CLANG) is None, reason="clang-19 is not installed"),
]
NAMES = CudaNames({"cudaMalloc", "cudaFree"}, {"cuda_runtime.h"})


def violations(
    folder: Path, before: str, after: str, diagnosed: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """Return what the checker says of one file, given the lines that have diagnostics."""
    source, output, report = folder / "in", folder / "out", folder / "report.json"
    for place, text in ((source, before), (output, after)):
        place.mkdir()
        (place / "a.cu").write_text(text, encoding="latin-1")
    found = [{"file": "a.cu", "line": first, "end_line": last} for first, last in diagnosed]
    report.write_text(json.dumps({"diagnostics": found}))
    return list(check_tree(source, output, Diagnosed.read(report), NAMES, CLANG))


class TestChecker:
    """What is and what is not a violation."""

    pytestmark = needs_clang

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("int a = cudaMalloc(p, 4);\n", "int a = hipMalloc(p, 4);\n"),
            ('f("cudaMalloc");\n', 'f("hipMalloc");\n'),
            ('f("libcuda.so.1 is missing");\n', 'f("libamdhip64.so.7 is missing");\n'),
            ('asm("mov.u32 %0, %%laneid;" : "=r"(x));\n', "x = __lane_id();\n"),
            ('#include "cuda_runtime.h"\n', '#include "hip/hip_runtime.h"\n'),
            ("// cudaMalloc is slow\nint a;\n", "// cudaMalloc is slow\nint a;\n"),
            (
                "#ifdef USE_ROCM\nint a;\n#else\nint b = cudaFree(p);\n#endif\n",
                "#ifdef USE_ROCM\nint a;\n#else\nint b = cudaFree(p);\n#endif\n",
            ),
            (
                "#if defined(USE_ROCM) || !defined(X)\n#else\ncudaFree(p);\n#endif\n",
                "#if defined(USE_ROCM) || !defined(X)\n#else\ncudaFree(p);\n#endif\n",
            ),
        ],
    )
    def test_nothing_is_said_of_a_careful_port(
        self, tmp_path: Path, before: str, after: str
    ) -> None:
        assert violations(tmp_path, before, after) == []

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            ("a;\ncudaMalloc(p);\n", "a;\ncudaMalloc(p);\n", "a.cu:2: cudaMalloc is left"),
            (
                "#include <cuda_runtime.h>\n",
                "#include <cuda_runtime.h>\n",
                "cuda_runtime.h is left",
            ),
            ("#if X\ncudaFree(p);\n#endif\n", "#if X\ncudaFree(p);\n#endif\n", "cudaFree is left"),
            ("// cudaMalloc\n", "// hipMalloc\n", "a.cu:1: comment '// cudaMalloc' became"),
            ("/* a */ int b;\n", "int b;\n", "a.cu:1: comment '/* a */' became ''"),
            ("int b;\n", "int b; // new\n", "comment '' became '// new'"),
            ('f("one");\n', 'f("two");\n', "strings"),
            ('f("cudaMalloc failed");\n', 'f("hipMalloc fails");\n', "strings"),
            ('f("one");\n', "f();\n", "strings"),
        ],
    )
    def test_a_careless_port_is_found_out(
        self, tmp_path: Path, before: str, after: str, said: str
    ) -> None:
        found = violations(tmp_path, before, after)
        assert len(found) == 1
        assert said in found[0]

    def test_a_diagnostic_on_the_line_excuses_a_name(self, tmp_path: Path) -> None:
        text = "a;\ncudaMalloc(p);\ncudaFree(p);\n"
        assert violations(tmp_path, text, text, [(2, 2)]) == [
            "a.cu:3: cudaFree is left in the output and not diagnosed"
        ]

    def test_a_diagnostic_of_several_lines_covers_them_all(self, tmp_path: Path) -> None:
        text = "a;\ncudaMalloc(p);\ncudaFree(p);\n"
        assert violations(tmp_path, text, text, [(1, 3)]) == []

    def test_lines_are_those_of_the_input_when_the_output_grew(self, tmp_path: Path) -> None:
        before, after = "a;\ncudaFree(p);\n", "#include <x>\n\na;\ncudaFree(p);\n"
        assert violations(tmp_path, before, after, [(2, 2)]) == []

    def test_a_missing_file_is_a_violation(self, tmp_path: Path) -> None:
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a.cu").write_text("int a;\n")
        found = list(check_tree(tmp_path / "in", tmp_path, Diagnosed({}), NAMES, CLANG))
        assert found == ["a.cu: the output lacks this file"]

    def test_raw_tokens_of_awkward_text_are_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "a.cu"
        path.write_text("/* 'a'\t\n b */ R\"x(\n'c)x\" d\\\ne k<<<1, 2>>>(f);\n")
        tokens = raw_tokens(path, CLANG)
        assert [t.text for t in tokens[:3]] == ["/* 'a'\t\n b */", 'R"x(\n\'c)x"', "de"]
        assert [t.line for t in tokens[:3]] == [1, 2, 3]
        assert "<<<" in [t.text for t in tokens]

    def test_live_lines_follow_the_macros_given(self) -> None:
        text = b"#ifdef A\none\n#else\ntwo\n#endif\nthree\n"
        assert live_lines(text, {"A": "1"}, CLANG) == {2, 6}
        assert live_lines(text, {}, CLANG) == {4, 6}


def test_condition_macros_reach_over_continued_lines() -> None:
    text = b"#if defined(A) && \\\n  B\n#elif C\n#ifdef D\n#define E F\n"
    assert condition_macros(text) == {"A", "B", "C", "D"}


def test_line_map_gives_every_candidate_of_a_rewritten_stretch() -> None:
    mapped = LineMap(["a", "b", "c", "d"], ["a", "x", "d"])
    assert [list(mapped.origins(line)) for line in (1, 2, 3)] == [[1], [2, 3], [4]]


def test_tables_name_what_hip_spells_otherwise_and_not_what_it_shares() -> None:
    names = read_names(TABLES, "7.1")
    assert {"cudaMalloc", "cuMemAlloc_v2", "cublasCreate_v2", "CUDA_SUCCESS"} <= names.identifiers
    assert not {"__syncthreads", "ncclSend", "dim3"} & names.identifiers
    assert "cuda_runtime.h" in names.headers


def test_a_name_that_comes_with_a_later_release_counts_as_missing(tmp_path: Path) -> None:
    row = "later\tfunction\td0\t=\t\t7.2\t\t\tc0\n"
    (tmp_path / "t.tsv").write_text(f"# t\n\n{row}")
    assert read_names(tmp_path, "7.1").identifiers == {"later"}
    assert read_names(tmp_path, "10.0").identifiers == set()


@pytest.mark.parametrize("word", ["cudaMalloc", "libcuda.so.1", "libnccl.so.2", "cudart"])
def test_words_of_cuda_in_strings_are_known(word: str) -> None:
    assert NAMES.knows(word)


@pytest.mark.parametrize("word", ["malloc", "libc.so.6", "cudaMallocs"])
def test_other_words_in_strings_are_not(word: str) -> None:
    assert not NAMES.knows(word)
