"""Which platform compiles a branch, and what a condition comes to when little is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.syntax import (
    Conditionals,
    Side,
    Truth,
    chains,
    condition_holds,
    evaluate,
    scopes,
    tokenize,
)

_WORDS = ["A", "B", "(", ")", "&&", "||", "!", "defined", "1", "<", ">=", "?", ":"]
TRUTHS = st.sampled_from(list(Truth))


def side_of(source: str, mark: str = "HERE", extra: tuple[str, ...] = ()) -> Side:
    return Conditionals(tokenize(source), extra).side(source.index(mark))


def value(condition: str, defined: set[str], undefined: set[str], **values: int) -> Truth:
    return evaluate(tokenize(condition).tokens, defined, undefined, values)


@given(TRUTHS, TRUTHS)
def test_negation_turns_conjunction_into_disjunction(a: Truth, b: Truth) -> None:
    assert ~(a & b) is (~a | ~b)
    assert ~~a is a


@given(TRUTHS)
def test_unknown_is_never_resolved_by_what_does_not_decide(a: Truth) -> None:
    assert (a & Truth.TRUE) is a
    assert (a | Truth.FALSE) is a
    assert (a & Truth.FALSE) is Truth.FALSE
    assert (a | Truth.TRUE) is Truth.TRUE


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("defined(A)", Truth.TRUE),
        ("defined B", Truth.FALSE),
        ("!defined(B) && defined(A)", Truth.TRUE),
        ("defined(C)", Truth.UNKNOWN),
        ("defined(C) && defined(B)", Truth.FALSE),
        ("defined(C) || defined(A)", Truth.TRUE),
        ("B >= 700", Truth.FALSE),
        ("B < 700", Truth.TRUE),
        ("700 > B", Truth.TRUE),
        ("A >= 3", Truth.UNKNOWN),
        ("A", Truth.TRUE),
        ("0", Truth.FALSE),
        ("0x10", Truth.TRUE),
        ("1 == 1", Truth.TRUE),
        ("(B)", Truth.FALSE),
        ("F(A, B) && 0", Truth.FALSE),
        ("A + B > 3", Truth.UNKNOWN),
        ("A ? B : C", Truth.UNKNOWN),
        ("V >= 12000 && V < 13000", Truth.TRUE),
        ("defined(V)", Truth.TRUE),
        ("V / 1000 >= 12", Truth.UNKNOWN),
        ("", Truth.UNKNOWN),
        ("&&", Truth.UNKNOWN),
        (")", Truth.UNKNOWN),
    ],
)
def test_condition_comes_to_what_is_certain(condition: str, expected: Truth) -> None:
    assert value(condition, {"A"}, {"B"}, V=12080) is expected


@given(
    st.lists(
        st.sampled_from(["A", "B", "(", ")", "&&", "||", "!", "defined", "1", "<", ">=", "?", ":"]),
        max_size=12,
    )
)
def test_evaluation_never_fails_for_any_tokens(words: list[str]) -> None:
    assert value(" ".join(words), {"A"}, {"B"}) in Truth


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#ifdef USE_ROCM\nHERE\n#else\n#endif", Side.ROCM),
        ("#ifdef USE_ROCM\n#else\nHERE\n#endif", Side.CUDA),
        ("#ifndef USE_ROCM\nHERE\n#endif", Side.CUDA),
        ("#if !defined(__HIPCC__) && defined(X)\nHERE\n#endif", Side.CUDA),
        ("#if defined(__CUDACC__) || defined(__HIPCC__)\nHERE\n#endif", Side.BOTH),
        ("#if defined(__CUDACC__) && !defined(__HIPCC__)\nHERE\n#endif", Side.CUDA),
        ("#if defined(__HIPCC__)\n#elif defined(__CUDACC__)\nHERE\n#endif", Side.CUDA),
        ("#if HIP_VERSION >= 60000000\nHERE\n#endif", Side.ROCM),
        ("#if HIP_VERSION < 60000000\nHERE\n#endif", Side.BOTH),
        ("#if defined(__HIP_DEVICE_COMPILE__)\nHERE\n#else\n#endif", Side.ROCM),
        ("#if defined(__HIP_DEVICE_COMPILE__)\n#else\nHERE\n#endif", Side.BOTH),
        ("#if defined(__gfx90a__)\nHERE\n#endif", Side.ROCM),
        ("#ifdef GGML_USE_HIP\nHERE\n#endif", Side.ROCM),
        ("#ifdef KOKKOS_ENABLE_HIP\n#else\nHERE\n#endif", Side.CUDA),
        ("#ifdef __CUDA_ARCH__\nHERE\n#endif", Side.BOTH),
        ("#ifndef MY_USE_HIP_H\n#define MY_USE_HIP_H\nHERE\n#endif", Side.BOTH),
        ("#ifdef USE_ROCM\n#ifdef A\nHERE\n#endif\n#endif", Side.ROCM),
        ("#ifdef USE_ROCM\nHERE", Side.BOTH),
        ("#else\nHERE\n#endif", Side.BOTH),
    ],
)
def test_branch_belongs_to_the_platform_that_can_compile_it(source: str, expected: Side) -> None:
    assert side_of(source) is expected


def test_project_macro_counts_as_a_switch_when_the_project_says_so() -> None:
    source = "#ifdef WITH_RADEON\n#else\nHERE\n#endif"
    assert side_of(source) is Side.BOTH
    assert side_of(source, extra=("WITH_RADEON",)) is Side.CUDA


def test_chains_close_from_the_inside() -> None:
    lexed = tokenize("#if A\n#if B\n#endif\n#elif C\n#else\n#endif\n#endif")
    assert chains(lexed.directives) == [[1, 2], [0, 3, 4, 5]]


def test_scope_tells_what_is_seen_from_where() -> None:
    lexed = tokenize("#include <a>\n#if A\n#include <b>\n#else\n#include <c>\n#endif\n#include <d>")
    assert scopes(lexed.directives) == [(), (), (1,), (), (3,), (), ()]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#ifdef A\n#endif", Truth.TRUE),
        ("#ifndef A\n#endif", Truth.FALSE),
        ("#ifdef V\n#endif", Truth.TRUE),
        ("#if V > 3\n#endif", Truth.TRUE),
        ("#else\n", Truth.TRUE),
    ],
)
def test_directive_holds_as_its_name_says(source: str, expected: Truth) -> None:
    lexed = tokenize(source)
    found = condition_holds(lexed.tokens, lexed.directives[0], {"A"}, {"B"}, {"V": 4})
    assert found is expected
