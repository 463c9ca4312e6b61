"""The table of docs/configuration.md, written from the table of keys."""

from __future__ import annotations

from runtime.config.keys import KEYS, Key
from runtime.config.values import any_of, shown

_HEAD = """\
| key | takes | default | what it does |
|---|---|---|---|
"""


def as_markdown() -> str:
    """Return one row per key, in the order of the table."""
    return _HEAD + "".join(_row(key) for key in KEYS.values())


def _row(key: Key) -> str:
    default = shown(key, key.default)
    notes = [key.doc]
    if key.aliases:
        notes.append(f"Also {', '.join(f'`{alias}`' for alias in key.aliases)}.")
    if not key.travels:
        notes.append("Each machine has its own.")
    cells = (f"`{key.name}`", _takes(key), f"`{default}`" if default else "none", " ".join(notes))
    return f"| {' | '.join(cells)} |\n"


def _takes(key: Key) -> str:
    if key.kind in {"duration", "size", "count"} and key.low > 0:
        return f"{key.kind}, at least {shown(key, key.low)}"
    return any_of(tuple(f"`{each}`" for each in key.choices)) if key.choices else key.kind
