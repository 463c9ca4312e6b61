"""Values of settings: what a key takes, in any form that people write it, becomes one form."""

from __future__ import annotations

from runtime.config.errors import ConfigError, ConfigTypeError
from runtime.config.keys import GIB, KIB, MIB, Key, Value

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "b": 1,
    "k": KIB,
    "kib": KIB,
    "m": MIB,
    "mib": MIB,
    "g": GIB,
    "gib": GIB,
    "t": GIB << 10,
    "tib": GIB << 10,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
}
_FLAGS = {"1": True, "true": True, "yes": True, "on": True}
_FLAGS |= {"0": False, "false": False, "no": False, "off": False}
_TAKES = {
    "duration": "a duration: seconds (30), or a text like '500ms', '30s' or '1h 30m'",
    "size": "a size: bytes (65536), or a text like '64KiB', '64MiB' or '10GB'",
    "count": "a whole number",
    "flag": "a flag: True or False (in the environment 1 or 0)",
    "text": "a text",
    "names": "names: a list of texts, or one text with commas between them",
}


def checked(key: Key, given: object, place: str = "") -> Value:
    """Return a value in the key's own form: seconds, bytes, a number, a flag, text or names.

    Raises ConfigTypeError for a type that the key does not take, ConfigError for a value out of
    its limits or a text that says nothing. `place` says where the value comes from.
    """
    value = _READERS[key.kind](given)
    if value is None:
        kind = ConfigError if _takes_type(key, given) else ConfigTypeError
        raise kind(f"{_shown(key, given, place)} is not {_TAKES[key.kind]}")
    if key.choices and value not in key.choices:
        raise ConfigError(f"{_shown(key, given, place)} is not {any_of(key.choices)}")
    if isinstance(value, int | float) and not key.low <= value <= key.high:
        raise ConfigError(
            f"{_shown(key, given, place)} is out of range; "
            f"it can be {shown(key, key.low)} to {shown(key, key.high)}"
        )
    return value


def from_text(key: Key, text: str, place: str) -> Value:
    """Return the value that a text gives, where numbers and flags are texts too."""
    text = text.strip()
    given: object = text
    if key.kind == "count":
        given = int(text) if text.isascii() and text.isdigit() else None
    elif key.kind == "flag":
        given = _FLAGS.get(text.lower())
    if given is None:
        raise ConfigError(f"{_shown(key, text, place)} is not {_TAKES[key.kind]}")
    return checked(key, given, place)


def shown(key: Key, value: object) -> str:
    """Return a value as people write it: 0.5 as 500ms, 67108864 as 64MiB."""
    if key.kind == "duration" and isinstance(value, int | float):
        return f"{value * 1000:g}ms" if 0 < value < 1 else f"{value:g}s"
    if key.kind == "size" and isinstance(value, int):
        return _shown_size(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def any_of(choices: tuple[str, ...]) -> str:
    """Return what a text can be, for people."""
    *others, last = choices
    return f"{', '.join(others)} or {last}"


def _shown_size(value: int) -> str:
    for size, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if value and value % size == 0:
            return f"{value // size}{unit}"
    return f"{value}B"


def _shown(key: Key, given: object, place: str) -> str:
    return f"{key.name}={given!r}{place}"


def _takes_type(key: Key, given: object) -> bool:
    """Tell whether the type is one that the key takes, so that it is the value that is wrong."""
    if key.kind == "duration":
        return isinstance(given, str | float)
    return key.kind == "size" and isinstance(given, str)


def _duration(given: object) -> float | None:
    if isinstance(given, str):
        total = _sum(given, _SECONDS)
        return None if total is None else round(float(total), 9)  # 700 * 1e-3 is not 0.7
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) if given == given and abs(given) <= LIMIT else None  # noqa: PLR0124
    seconds = getattr(given, "total_seconds", None)  # a timedelta
    return float(seconds()) if callable(seconds) else None


#: Beyond it an int has no float; what is smaller and still too much is told as out of range.
LIMIT = 1e300


def _size(given: object) -> int | None:
    if isinstance(given, str):
        total = _sum(given, _BYTES)
        return None if total is None or total != int(total) else int(total)
    return _count(given)


def _count(given: object) -> int | None:
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        return None
    return int(given.__index__())


def _flag(given: object) -> bool | None:
    return given if isinstance(given, bool) else None


def _text(given: object) -> str | None:
    if isinstance(given, str):
        return given
    setting = getattr(given, "setting", None)  # a ChannelTransport
    if isinstance(setting, str):
        return setting
    path = getattr(given, "__fspath__", None)
    found = path() if callable(path) else None
    return found if isinstance(found, str) else None


def _names(given: object) -> tuple[str, ...] | None:
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        return None
    return tuple(each.strip() for each in given if each.strip())


def _sum(text: str, units: dict[str, float] | dict[str, int]) -> float | None:
    """Return what numbers with units add up to, '1h 30m' as 5400; a bare number has no unit."""
    import re

    text = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return _exact(text)
    parts = re.findall(r"(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    whole = re.fullmatch(r"(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+", text)
    if whole is None or any(unit not in units for _, unit in parts):
        return None
    return sum(_exact(number) * units[unit] for number, unit in parts)


def _exact(number: str) -> float:
    return float(number) if "." in number else int(number)


_READERS = {
    "duration": _duration,
    "size": _size,
    "count": _count,
    "flag": _flag,
    "text": _text,
    "names": _names,
}
