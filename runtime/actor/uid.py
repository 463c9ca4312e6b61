"""Identities as text: a name alone, or a number in base 58 that a name may stand before."""

from __future__ import annotations

import os
import re

_DIGITS = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
_LABEL = r"[a-z](?:[a-z0-9_.-]*[a-z0-9])?"
_SYNTAX = re.compile(rf"(?P<label>{_LABEL})?(?:<(?P<number>[^<>]+)>)?")
_BITS = 64


class Uid:
    """An identity: of the only one of its name, or one of many, told apart by a number.

    Instances are equal when their numbers are; the name is for people.
    """

    __slots__ = ("_label", "_number")

    def __init__(self, label: str | None, number: int | None) -> None:
        if label is None and number is None:
            raise ValueError("an identity needs a label, a number, or both")
        if label is not None and not re.fullmatch(_LABEL, label):
            raise ValueError(
                f"label {label!r}: it begins with a small letter, ends with one or a digit, and "
                "has small letters, digits, and any of _.- between them"
            )
        if number is not None and not 0 <= number < 1 << _BITS:
            raise ValueError(f"{number} is no number of {_BITS} bits")
        self._label = label
        self._number = number

    @classmethod
    def singleton(cls, label: str) -> Uid:
        """Return the identity of the only one of this name."""
        return cls(label, None)

    @classmethod
    def instance(cls, label: str) -> Uid:
        """Return a new identity of one of this name."""
        return cls(label, _random())

    @classmethod
    def anonymous(cls) -> Uid:
        """Return a new identity without a name."""
        return cls(None, _random())

    @classmethod
    def instance_from_value(cls, value: int, label: str | None = None) -> Uid:
        """Return the identity of this number."""
        return cls(label, value)

    @classmethod
    def from_string(cls, text: str) -> Uid:
        """Read what `str` has written: `name`, `name<number>` or `<number>`."""
        found = _SYNTAX.fullmatch(text)
        if not found or not text:
            raise ValueError(f"{text!r} is no identity; it looks like name, name<C9x> or <C9x>")
        digits = found["number"]
        return cls(found["label"], None if digits is None else _number_of(digits))

    @property
    def label(self) -> str | None:
        """The name."""
        return self._label

    @property
    def instance_value(self) -> int | None:
        """The number; None of the only one of its name."""
        return self._number

    @property
    def is_instance(self) -> bool:
        """Whether it has a number."""
        return self._number is not None

    @property
    def is_singleton(self) -> bool:
        """Whether it is the only one of its name."""
        return self._number is None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uid) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> str | int | None:
        return self._label if self._number is None else self._number

    def __str__(self) -> str:
        label = self._label or ""
        return label if self._number is None else f"{label}<{base58(self._number)}>"

    def __repr__(self) -> str:
        return f"Uid({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Uid, (self._label, self._number)


class ProcId:
    """The identity of a process."""

    __slots__ = ("uid",)

    def __init__(self, uid: Uid) -> None:
        self.uid = uid

    @classmethod
    def from_string(cls, text: str) -> ProcId:
        """Read what `str` has written."""
        return cls(Uid.from_string(text))

    @property
    def label(self) -> str | None:
        """The name of the process."""
        return self.uid.label

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProcId) and self.uid == other.uid

    def __hash__(self) -> int:
        return hash(self.uid)

    def __str__(self) -> str:
        return str(self.uid)

    def __repr__(self) -> str:
        return f"ProcId({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return ProcId, (self.uid,)


def base58(number: int) -> str:
    """Write a number with digits of which no two look alike."""
    digits = ""
    while number or not digits:
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return digits


def _number_of(digits: str) -> int:
    number = 0
    for digit in digits:
        value = _DIGITS.find(digit)
        if value < 0:
            raise ValueError(f"{digits!r} is no number: {digit!r} is no digit of base 58")
        number = number * len(_DIGITS) + value
    return number


def _random() -> int:
    return int.from_bytes(os.urandom(_BITS // 8))
