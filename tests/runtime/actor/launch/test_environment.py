"""Which variables name another zygote, and what is left to set after the fork."""

import pytest

from runtime.actor.launch import environment


@pytest.mark.parametrize(
    "name",
    [
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "GLIBC_TUNABLES",
        "MALLOC_ARENA_MAX",
        "PYTHONHASHSEED",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "ASAN_OPTIONS",
        "LC_ALL",
        "TZ",
    ],
)
def test_acts_at_start_when_read_once(name: str) -> None:
    assert environment.acts_at_start(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "RANK", "ECLOSION_LD_X", "MY_OMP_", "OLD_PWD"])
def test_acts_at_start_when_read_at_any_time(name: str) -> None:
    assert not environment.acts_at_start(name)


def test_key_when_only_other_variables_differ() -> None:
    assert environment.key({"A": "1", "OMP_NUM_THREADS": "2"}) == environment.key(
        {"OMP_NUM_THREADS": "2", "B": "3"}
    )


def test_key_when_an_acting_variable_differs() -> None:
    keys = {environment.key({"LD_LIBRARY_PATH": value}) for value in ("", "/a", "/b")}
    assert len(keys | {environment.key({})}) == 4


def test_merged_when_both_have_a_variable() -> None:
    assert environment.merged({"A": "1", "B": "2"}, {"B": "3"}) == {"A": "1", "B": "3"}


@pytest.mark.parametrize(("name", "value"), [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "\0")])
def test_merged_when_a_variable_cannot_be(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"^an environment cannot have the variable"):
        environment.merged({}, {name: value})


def test_changes_when_variables_came_went_and_stayed() -> None:
    present = {"stays": "1", "changes": "1", "goes": "1", environment.RUN: "5"}
    wanted = {"stays": "1", "changes": "2", "comes": "3"}
    assert environment.changes(present, wanted) == (["goes"], {"changes": "2", "comes": "3"})
