"""Reading a TOML file key by key: each error names the file, the key's path and what is allowed."""

import datetime as dt
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ci.errors import ParityError

Value = TypeVar("Value")
_SHOWN = 60  # characters of a value in a message


class Keys:
    """One table of a file. Keys are taken; `finish` refuses what nobody took."""

    def __init__(self, file: str, path: str, values: Mapping[str, Any]) -> None:
        self._file = file
        self._path = path
        self._values = dict(values)
        self._known: list[str] = []

    @classmethod
    def of_file(cls, path: Path, shown: str) -> "Keys":
        """Return the root table of a file; `shown` is what messages call it."""
        try:
            return cls(shown, "", tomllib.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise ParityError(f"{shown} does not exist") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ParityError(f"{shown} is no TOML: {error}") from error

    def wrong(self, key: str, needs: str) -> ParityError:
        """Return the error of a key: where it is, its value, and what it has to be."""
        place = f"{self._path}.{key}" if self._path else key
        if key not in self._values:
            return ParityError(f"{self._file}: {place} is missing; it has to be {needs}")
        value = _shown(self._values[key])
        return ParityError(f"{self._file}: {place} is {value}; it has to be {needs}")

    def has(self, key: str) -> bool:
        """Tell whether the key is there."""
        self._known.append(key)
        return key in self._values

    def text(self, key: str, allowed: Collection[str] = ()) -> str:
        """Return a text that is not empty, one of `allowed` when that is given."""
        value = self._of(key, str, _one_of(allowed) or "a text")
        if not value.strip() or (allowed and value not in allowed):
            raise self.wrong(key, _one_of(allowed) or "a text that is not empty")
        return value

    def texts(self, key: str, allowed: Collection[str] = ()) -> tuple[str, ...]:
        """Return an array of different texts, each one of `allowed` when that is given."""
        needs = "an array of different texts"
        if allowed:
            needs += f" out of {', '.join(allowed)}"
        values = self._of(key, list, needs)
        fits = all(isinstance(v, str) and v and (not allowed or v in allowed) for v in values)
        if not values or not fits or len(set(values)) < len(values):
            raise self.wrong(key, needs)
        return tuple(values)

    def flag(self, key: str) -> bool:
        """Return true or false; false when the key is not there."""
        return self.has(key) and self._of(key, bool, "true or false")

    def numbers(self, key: str, allowed: Collection[int]) -> dict[str, int]:
        """Return a table of names and numbers."""
        needs = f"a table of names, each with one of {', '.join(map(str, allowed))}"
        values = self._of(key, dict, needs)
        if not values or not all(type(v) is int and v in allowed for v in values.values()):
            raise self.wrong(key, needs)
        return values

    def date(self, key: str) -> dt.date:
        """Return a date without a time."""
        value = self._of(key, dt.date, "a date like 2027-01-31")
        if isinstance(value, dt.datetime):
            raise self.wrong(key, "a date without a time")
        return value

    def number_or_text(self, key: str, needs: str) -> str:
        """Return a whole number or a text, as a text."""
        value = self._of(key, object, needs)
        if type(value) not in (int, str):
            raise self.wrong(key, needs)
        return str(value)

    def tables(self, key: str) -> Iterator[tuple[str, "Keys"]]:
        """Yield the named tables below a key."""
        named = self._of(key, dict, "tables")
        for name, values in named.items():
            path = f"{self._prefix}{key}.{name if _is_bare(name) else json.dumps(name)}"
            if not isinstance(values, dict):
                raise ParityError(f"{self._file}: {path} is {_shown(values)}, no table")
            yield name, Keys(self._file, path, values)

    def array(self, key: str) -> Iterator["Keys"]:
        """Yield the tables of an array; there are none when the key is not there."""
        if not self.has(key):
            return
        entries = self._of(key, list, "an array of tables")
        for number, values in enumerate(entries):
            if not isinstance(values, dict):
                raise self.wrong(key, "an array of tables")
            yield Keys(self._file, f"{self._prefix}{key}[{number}]", values)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._values:
            if key not in self._known:
                place = f"{self._prefix}{key}"
                known = ", ".join(self._known)
                raise ParityError(f"{self._file}: {place} is no key; allowed here: {known}")

    @property
    def path(self) -> str:
        """The path of this table in its file."""
        return self._path

    @property
    def place(self) -> str:
        """The file and the path, as messages begin."""
        return f"{self._file}: {self._path}"

    @property
    def _prefix(self) -> str:
        return f"{self._path}." if self._path else ""

    def _of(self, key: str, kind: type[Value], needs: str) -> Value:
        self._known.append(key)
        value = self._values.get(key)
        if not isinstance(value, kind) or value is None:
            raise self.wrong(key, needs)
        return value


def _one_of(allowed: Collection[str]) -> str:
    return f"one of {', '.join(allowed)}" if allowed else ""


def _shown(value: object) -> str:
    """Return a value as TOML writes it, nearly, and not at length."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _is_bare(name: str) -> bool:
    return name.replace("-", "").replace("_", "").isalnum()
