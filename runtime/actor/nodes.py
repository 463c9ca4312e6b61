"""Identities: a node's is its host's in the upper 32 bits, and in the lower ones the process's."""

from __future__ import annotations

import os

_HOST = 0xFFFFFFFF_00000000


def gateway_of(node: int) -> int:
    """Return the node that owns the processes of a node's host."""
    return node & _HOST


def new_gateway() -> int:
    """Return a new identity of a host's gateway."""
    return _new_part() << 32


def new_node(gateway: int) -> int:
    """Return a new identity of a process on a host."""
    return gateway | _new_part()


def new_actor_id() -> int:
    """Return a new identity of an actor, unique in the program."""
    return int.from_bytes(os.urandom(8)) >> 1 | 1 << 32


def _new_part() -> int:
    return int.from_bytes(os.urandom(4)) or 1
