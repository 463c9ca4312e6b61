"""Identities: what they are written like, which are equal, what is refused."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor import ProcId, Uid


def again_of(one: object) -> object:
    """Return what another process would get."""
    return pickle.loads(pickle.dumps(one))  # noqa: S301 - our own


@given(st.integers(0, (1 << 64) - 1), st.sampled_from([None, "a", "trainer-0", "a_b.c9"]))
def test_uid_when_written_and_read(number: int, label: str | None) -> None:
    uid = Uid.instance_from_value(number, label)
    again = Uid.from_string(str(uid))
    assert (again.label, again.instance_value) == (label, number)
    assert again_of(uid) == uid


# What PyTorch Monarch writes for these.
@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "<1>"), (12, "<d>"), (36, "<C>"), ((1 << 64) - 1, "<JPwcyDCgEup>")],
)
def test_uid_when_its_number_is_written(number: int, text: str) -> None:
    assert str(Uid.instance_from_value(number)) == text


def test_uid_when_compared() -> None:
    assert Uid.from_string("a<C>") == Uid.from_string("b<C>")
    assert Uid.from_string("a") == Uid.singleton("a") != Uid.singleton("b")
    assert Uid.instance("a") != Uid.instance("a")
    assert Uid.anonymous() != Uid.anonymous()
    assert len({Uid.from_string("a<C>"), Uid.from_string("<C>"), Uid.singleton("a")}) == 2


def test_uid_when_asked_what_it_is() -> None:
    one, many = Uid.singleton("a"), Uid.instance("a")
    assert (one.is_singleton, one.is_instance, one.instance_value) == (True, False, None)
    assert (many.is_singleton, many.is_instance, many.label) == (False, True, "a")
    assert Uid.anonymous().label is None


@pytest.mark.parametrize("text", ["", "A", "a{b}", "a-", "a<0>", "<>", "a<1>b", "<1", "9a"])
def test_uid_when_it_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no|label"):
        Uid.from_string(text)


@pytest.mark.parametrize("number", [-1, 1 << 64])
def test_uid_when_its_number_does_not_fit(number: int) -> None:
    with pytest.raises(ValueError, match="is no number of 64 bits"):
        Uid.instance_from_value(number)


def test_proc_id_when_written_and_read() -> None:
    proc = ProcId(Uid.from_string("trainer<C>"))
    assert ProcId.from_string(str(proc)) == proc == again_of(proc)
    assert (proc.label, proc.uid.instance_value) == ("trainer", 36)
    assert proc != ProcId(Uid.singleton("trainer"))
