"""Listings of workspaces that a host is sent: what could be written elsewhere is refused."""

import hashlib
from pathlib import Path

import pytest

from runtime.actor.workspaces.listing import Entry, check
from runtime.actor.workspaces.placing import Placing

_HASH = hashlib.sha256(b"x").hexdigest()
_HOSTILE: list[list[Entry]] = [
    [("../out", "f", 0o644, _HASH)],
    [("/etc/out", "f", 0o644, _HASH)],
    [("a", "d", 0o755, ""), ("a/../../out", "f", 0o644, _HASH)],
    [("a", "l", 0, "b"), ("a/out", "f", 0o644, _HASH)],
    [("a", "f", 0o644, _HASH), ("a/out", "f", 0o644, _HASH)],
    [("a", "d", 0o755, ""), ("a", "l", 0, "b")],
    [("a//out", "f", 0o644, _HASH)],
    [(".", "d", 0o755, "")],
    [("", "f", 0o644, _HASH)],
    [("out", "f", 0o4755, _HASH)],
    [("out", "c", 0o644, "")],
    [("out", "f", 0o644, "../../../etc/passwd")],
    [("out", "f", 0o644, _HASH[:-1] + "/")],
    [("out", "l", 0, "/etc/passwd")],
    [("out", "l", 0, "../etc/passwd")],
    [("out", "l", 0, "")],
    [("a", "l", 0, "b"), ("out", "l", 0, "a/../../etc/passwd")],
    [("nul\0", "f", 0o644, _HASH)],
]


@pytest.mark.parametrize("entries", _HOSTILE)
def test_a_hostile_listing_is_refused_before_anything_is_made(
    tmp_path: Path, entries: list[Entry]
) -> None:
    with pytest.raises(ValueError, match=r"cannot be in|no hash|not in the directory"):
        Placing(str(tmp_path / "ws"), "project", entries)
    assert list(tmp_path.iterdir()) == []


def test_links_that_stay_inside_are_copied() -> None:
    check([("a", "d", 0o755, ""), ("a/l", "l", 0, "../b"), ("m", "l", 0, "a/l/./c")], "top")
